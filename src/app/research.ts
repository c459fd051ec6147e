import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
	createLlmWriter,
	extractiveWriter,
	type LlmWriter,
	type WriterMeter,
	type WriterUsage,
} from "../../skills/answers/answers.js";
import type { Schedules } from "../../skills/briefings/briefings.js";
import {
	createChatRecords,
	createChatRoom,
	createSharedTurns,
	createStagedTurns,
} from "../../skills/chat/chat.js";
import { createDeepDiveWork, createEarlierQuestions } from "../../skills/deep-dive/deep-dive.js";
import {
	createFeedFetcher,
	createFeeds,
	FEED_LIMITS,
	type FeedCache,
	type FeedFetcher,
	type Feeds,
	readBundle,
	readRegistry,
} from "../../skills/feeds/feeds.js";
import type { KeyFolder } from "../accounts/accounts.js";
import { createArtifactRepository, createResultIds } from "../artifacts/artifacts.js";
import { WRITER_LIMITS } from "../contract/contract.js";
import { createConfiguredEgress } from "../delivery/delivery.js";
import { createJobs, createLaunchedJobs, type Jobs } from "../jobs/jobs.js";
import {
	type Clock,
	createTurnQueue,
	memoize,
	PACKAGE_ROOT,
	SOFTWARE_VERSION,
} from "../kernel/kernel.js";
import type { SearchEngine } from "../search/search.js";
import type { ResearchParts } from "../service/service.js";
import type { Settings } from "../settings/settings.js";
import type { Wiring } from "./services.js";

interface ResearchWiring extends Pick<Wiring, "store" | "clock" | "ids" | "logger" | "webhooks"> {
	readonly settings: Pick<Settings, "writer" | "feeds" | "contact">;
	readonly keys: Pick<KeyFolder, "readPlaced" | "pepper">;
	readonly search: Pick<SearchEngine, "status">;
	/** Given what the language model takes. */
	readonly writerMeter: WriterMeter;
	/** Where last values of feeds are kept. */
	readonly feedCache: FeedCache;
	readonly schedulesOf: (parts: Pick<ResearchParts, "artifacts" | "writer">) => Schedules;
}

/** What research skills work with, wired to one store. */
export function createResearchParts(deps: ResearchWiring): ResearchParts {
	const { store, clock, ids, keys, search } = deps;
	const queueOf = (name: string) =>
		store.processes.isShared ? createSharedTurns({ store, clock }, name) : createTurnQueue();
	const chatSessions = { records: createChatRecords({ store, clock }), writes: queueOf("writes") };
	const seats = queueOf("seats");
	const stagedTurns = createStagedTurns({ ...deps, ...chatSessions, seats });
	const artifacts = createArtifactRepository({ store, clock });
	const writer = openLlmWriter(deps, deps.writerMeter.add) ?? extractiveWriter;
	return {
		ids,
		chats: createChatRoom({ ...chatSessions, seats, ids, clock, staged: stagedTurns }),
		chatSessions,
		stagedTurns,
		artifacts,
		writer,
		schedules: deps.schedulesOf({ artifacts, writer }),
		webhooks: deps.webhooks,
		feeds: openFeeds(deps),
		embedder: () => search.status().model?.id,
		resultIds: createResultIds({ ids, secret: keys.pepper }),
		launched: createLaunchedJobs({ store, clock }),
		earlierQuestion: createEarlierQuestions(store),
	};
}

/** The day the bundled observations were taken from their sources. */
const BUNDLED_AT = Date.UTC(2026, 10, 22);

const FEEDS_FOLDER = join(PACKAGE_ROOT, "feeds");

/** The feeds of the registry that comes with the software; nothing is read before somebody asks. */
export function openFeeds({
	settings: { feeds, contact },
	feedCache: cache,
	clock,
	logger,
}: Pick<ResearchWiring, "settings" | "feedCache" | "clock" | "logger">): Feeds {
	const registry = memoize(async () =>
		readRegistry(await readFile(join(FEEDS_FOLDER, "registry.json"), "utf8")),
	);
	const fetcher = async (): Promise<FeedFetcher> => {
		const urls = [...(await registry()).values()].map(({ url }) => url);
		const egress = createConfiguredEgress({ urls, replyBytesMax: FEED_LIMITS.replyBytes });
		const userAgent = `tollgraph/${SOFTWARE_VERSION}${contact === undefined ? "" : ` (${contact})`}`;
		return createFeedFetcher({ egress, clock, userAgent });
	};
	const opened = memoize(fetcher);
	return createFeeds({
		registry,
		bundle: async () => readBundle(await readObservations(), await registry(), BUNDLED_AT),
		sample: (name) => readFile(join(FEEDS_FOLDER, "samples", name), "utf8"),
		cache,
		fetch: feeds === "live" ? async (feed, asked) => (await opened())(feed, asked) : undefined,
		clock,
		report: (problem) => logger.error(problem),
	});
}

async function readObservations(): Promise<readonly string[]> {
	const folder = join(FEEDS_FOLDER, "observations");
	const names = (await readdir(folder)).filter((name) => name.endsWith(".csv")).sort();
	return Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
}

/** Work that outlives its call, wired to one store; nothing is begun yet. */
export function openJobs(
	deps: Pick<
		Wiring,
		| "store"
		| "clock"
		| "ids"
		| "logger"
		| "money"
		| "search"
		| "catalog"
		| "research"
		| "telemetry"
		| "renderReport"
	>,
): Jobs {
	const { money, research } = deps;
	const { writer, feeds } = research;
	const works = [deps.telemetry.work(createDeepDiveWork({ ...deps, writer, feeds }))];
	return createJobs({ ...deps, billing: money.jobBilling, works });
}

/** The model an operator configured, reached at its own host and nowhere else; without one evidence is quoted. */
export function openLlmWriter(
	{
		settings,
		keys,
		clock,
	}: {
		readonly settings: Pick<Settings, "writer">;
		readonly keys: Pick<KeyFolder, "readPlaced">;
		readonly clock: Clock;
	},
	onUsage: (usage: WriterUsage) => void,
): LlmWriter | undefined {
	const { writer } = settings;
	if (!writer) return undefined;
	const { price: _, preset = "openai", ...asked } = writer;
	const { replyBytes: replyBytesMax } = WRITER_LIMITS;
	const egress = createConfiguredEgress({ urls: [asked.url], replyBytesMax, streams: true });
	const apiKey = writer.apiKey ?? keys.readPlaced("writer-key");
	return createLlmWriter({ ...asked, preset, egress, clock, apiKey, onUsage });
}
