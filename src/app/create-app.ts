import type { RequestListener } from "node:http";
import { join, resolve } from "node:path";
import { type OnchainParts, reportUnreachable } from "../../payments/onchain/onchain.js";
import { createWriterMeter } from "../../skills/answers/answers.js";
import {
	createFeedCache,
	createSharedFeedCache,
	type FeedCache,
} from "../../skills/feeds/feeds.js";
import { type Store, sealTexts } from "../../store/store.js";
import { createKeyChecks, openKeyFolder, runTextKeyCommand } from "../accounts/accounts.js";
import {
	type Clock,
	createIds,
	type Egress,
	type Logger,
	PACKAGE_ROOT,
	type Random,
	SOFTWARE_VERSION,
	stderrLogger,
	systemClock,
	systemRandom,
} from "../kernel/kernel.js";
import {
	createGraphCatalog,
	createGraphSnapshots,
	createTermsSource,
	type GraphCatalog,
	recoverHistory,
} from "../knowledge/knowledge.js";
import {
	type AwaitedVectors,
	bindProfile,
	COMMAND_LINE,
	createAuditLog,
	createAwaitedVectors,
	createChainBooks,
	createPriceVersions,
	createRetention,
	createTrustedTime,
	makeDataFolder,
	toStartRefusal,
} from "../operator/operator.js";
import { openIndexDisk, type PairJudge, type SearchEngine } from "../search/search.js";
import type { Service } from "../service/service.js";
import { keysFolderOf, type Settings } from "../settings/settings.js";
import { createTelemetry, NO_TELEMETRY } from "../telemetry/telemetry.js";
import { createDashboardPages, createPageFrame, createWebRouter } from "../web/web.js";
import { importedGraphs, openHistory, wireCommands } from "./commands.js";
import {
	catalogFolders,
	loadGraphs,
	openSearch,
	SAMPLE_INDEX,
	SAMPLE_SNAPSHOTS,
} from "./content.js";
import { reportInterrupted, watchProcesses } from "./ended-processes.js";
import { type AppLife, createAppLife } from "./lifecycle.js";
import { createDemoSpt, createMoney, type Money } from "./money.js";
import { openStore } from "./open-store.js";
import { createResearchParts, openJobs } from "./research.js";
import { createSchedules, openWebhooks } from "./schedules.js";
import { createService } from "./service.js";
import type { OpenPorts, Ports, Wiring } from "./services.js";
import { openSharedGraphs } from "./shared-graphs.js";
import { createHttpApp, openA2a, openMcp, openOAuth } from "./transports.js";

/** Composition root: the only place where ports meet adapters. */

export interface AppOptions {
	readonly settings: Settings;
	readonly clock?: Clock;
	readonly random?: Random;
	readonly logger?: Logger;
	/** Opens a journal from whose end payments may be lost, and says so in the log, instead of refusing it. */
	readonly acceptsLoss?: boolean;
	/** Loads the model at once, because calls will follow; commands that only touch money leave it out. */
	readonly isServing?: boolean;
	/** What stands between the service and a chain; the app ends it with itself. */
	readonly onchain?: OnchainParts | undefined;
	/** How Slack is reached; by https to its own host where absent. */
	readonly slack?: Egress;
	/** How addresses that callers name are reached; by https on the public internet where absent. */
	readonly callerEgress?: Egress;
	/** Reads pairs of texts in place of the model that the settings name. */
	readonly judge?: PairJudge;
	/** Opens those parts, once the data folder and its keys are ours alone. */
	readonly openOnchain?: (
		ports: OpenPorts & { readonly store: Store },
	) => Promise<OnchainParts | undefined>;
}

export interface App
	extends AppLife,
		Pick<
			Wiring,
			| "service"
			| "operator"
			| "commands"
			| "catalog"
			| "search"
			| "store"
			| "money"
			| "schedules"
			| "webhooks"
		> {
	/** The demo profile's token, filled up; undefined in production. */
	readonly demoSpt: () => Promise<string | undefined>;
	readonly adminToken: string;
	readonly handler: RequestListener;
}

/**
 * Opens the data folder and wires everything; nothing listens yet. Holds an earlier process left open are released.
 * Throws UNAVAILABLE when another process holds the folder or the journal is damaged or lost.
 */
export async function createApp(options: AppOptions): Promise<App> {
	const { settings, clock = systemClock, random = systemRandom, logger = stderrLogger } = options;
	const folder = resolve(settings.data);
	const { isServing = false } = options;
	const ids = createIds({ clock, random });
	const { slack, callerEgress, judge } = options;
	const system = { clock, random, logger, ids };
	const bare = { ...system, settings, folder, isServing, slack, callerEgress, judge };
	makeDataFolder(folder);
	const onRoom: (() => Promise<void>)[] = [];
	const onResume = () => {
		for (const act of onRoom)
			act().catch((error: unknown) => logger.error(NOT_TAKEN_UP, { error: String(error) }));
	};
	const { acceptsLoss = false } = options;
	const asked = { settings, folder, clock, random, logger, acceptsLoss, onResume };
	const opening = openStore(asked);
	const { store, lostEnd, graphVersions } = await opening.catch((error: unknown) => {
		throw toStartRefusal(error, { folder });
	});
	let onchain = options.onchain;
	try {
		if (lostEnd !== undefined) {
			const change = { actor: COMMAND_LINE, command: "acceptLoss", target: "journal" };
			await createAuditLog({ store, clock }).note(
				change,
				JSON.stringify({ problem: lostEnd, at: clock.now() }),
			);
		}
		bindProfile(folder, settings.profile);
		const keysFolder = keysFolderOf(settings);
		const checks = createKeyChecks({ store, clock, keysFolder });
		const { textKeyCommand } = settings;
		const textKeys = textKeyCommand && (await runTextKeyCommand(textKeyCommand));
		await checks.assertNoneLost(textKeys ? ["text-key"] : []);
		const keys = openKeyFolder(keysFolder, random, textKeys);
		await checks.settle(keys);
		onchain ??= await options.openOnchain?.({ ...bare, keys, store });
		const onUnreadable = (rows: number) =>
			logger.error("rows of the query log are not what was written, and are read without text", {
				rows,
			});
		const sealed = sealTexts<Store>(store, { keys: keys.textKeys, random, onUnreadable });
		return await wireMeasured({ ...bare, keys, checks, onchain, onRoom, graphVersions }, sealed);
	} catch (error) {
		const refusal = toStartRefusal(error, { folder, store });
		await onchain?.close();
		await store.close();
		throw refusal;
	}
}

const NOT_TAKEN_UP = "what was interrupted while the store took no changes could not be taken up";

interface WiredPorts extends Ports {
	/** What is to be done once the store takes changes again. */
	readonly onRoom: (() => Promise<void>)[];
}

/** Commands that only touch the data folder are not measured: they are not what is served. */
async function wireMeasured(ports: Omit<WiredPorts, "telemetry">, store: Store): Promise<App> {
	const telemetry = ports.isServing ? await createTelemetry(ports) : NO_TELEMETRY;
	const onchain = ports.onchain && {
		...ports.onchain,
		facilitator: telemetry.facilitator(ports.onchain.facilitator),
	};
	try {
		return await wire({ ...ports, onchain, telemetry }, telemetry.store(store));
	} catch (error) {
		await telemetry.close();
		throw error;
	}
}

async function wire(ports: WiredPorts, store: Store): Promise<App> {
	const { settings, clock, logger, folder, keys, telemetry } = ports;
	const address = { baseUrl: settings.publicUrl ?? "", processes: 1 };
	const late = { baseUrl: () => address.baseUrl, processCount: () => address.processes };
	const base = { ...ports, store, address, ...late, pepper: keys.pepper };
	const history = openHistory(ports);
	const catalog = createGraphCatalog([], await recoverHistory(history, importedGraphs(folder)));
	const money = await openMoney({ ...base, graphs: createTermsSource(catalog) });
	const awaited = createAwaitedVectors();
	const search = telemetry.search(await openAppSearch(ports, awaited));
	// The model loads in its own thread while the graphs are read in this one.
	if (ports.isServing) search.warm();
	const snapshots = await openGraphs(ports, catalog);
	const revision = () => `${catalog.revision} ${money.prices.revision()}`;
	const time = createTrustedTime(base);
	const chainBooks = createChainBooks(base);
	const sharedGraphs = await openSharedGraphs({ ...ports, catalog, search, history, awaited });
	const parts = { money, search, catalog, snapshots, sharedGraphs };
	const frame = createPageFrame({ clock, packageRoot: PACKAGE_ROOT, service: () => service });
	const content = { ...base, ...parts, ...frame, revision, time, chainBooks };
	const webhooks = openWebhooks(content);
	const writerMeter = createWriterMeter({ logger, price: settings.writer?.price });
	const research = createResearchParts({
		...content,
		writerMeter,
		feedCache: feedCacheOf(base),
		schedulesOf: (parts) => createSchedules({ ...content, ...parts }),
		webhooks,
	});
	const jobs = openJobs({ ...content, research });
	telemetry.observe({ ...money, jobs, catalog, feeds: research.feeds });
	const processes = watchProcesses({ ...base, money, jobs });
	const sold = { ...content, ...research, research, jobs, processes };
	const service: Service = createService(sold);
	const a2a = openA2a({ ...sold, service });
	const retention = createRetention({ ...money, store, clock, sweepTasks: a2a.sweep });
	const wired = { ...sold, info: service.info, retention, writerMeter };
	const { operator, commands } = await wireCommands(wired);
	await sharedGraphs?.begin();
	const demoSpt = createDemoSpt({ ...money, keys, settings });
	const mcp = openMcp({ ...sold, service });
	const transports = [a2a.router, mcp.router, ...openOAuth({ ...sold, service })];
	const pages = openPages({ ...content, ...money, service, frame, demoSpt });
	const http = createHttpApp({ ...sold, service, commands, transports, ...pages });
	const sent = { streams: service.streams, a2a, mcp, http };
	const life = createAppLife({ ...sold, ...sent, retention, operator });
	return {
		service,
		operator,
		commands,
		catalog,
		search,
		store,
		money,
		adminToken: keys.adminToken,
		schedules: research.schedules,
		webhooks,
		handler: http.handler,
		listen: life.listen,
		ready: life.ready,
		demoSpt,
		close: life.close,
	};
}

/** What people see: the pages of the service, and those of its operators. */
function openPages(content: Parameters<typeof createWebRouter>[0]) {
	return { web: createWebRouter(content), dashboard: createDashboardPages(content.frame) };
}

function openAppSearch(ports: WiredPorts, awaited: AwaitedVectors): Promise<SearchEngine> {
	const { settings, folder, telemetry } = ports;
	return openSearch({
		...ports,
		model: settings.model,
		judge: ports.judge ?? settings.judge,
		folder: join(folder, "index"),
		begunWith: settings.catalog === "sample" ? SAMPLE_INDEX : undefined,
		modelsFolder: join(folder, "models"),
		timeModel: telemetry.timeModel,
		isMadeElsewhere: awaited.has,
	});
}

/** Money as an earlier process left it: its holds are released, what it sent is looked for, its changes are named. */
async function openMoney(base: Parameters<typeof createMoney>[0]): Promise<Money> {
	const { store, logger } = base;
	const money = createMoney(base);
	await reportInterrupted(base);
	await createPriceVersions({ ...base, ...money, configured: base.settings.prices }).load();
	await money.sweeper.releaseEnded();
	if (money.onchain) await money.onchain.resume();
	else reportUnreachable({ logger }, await store.read((reader) => reader.list("payments")));
	await reportBreach(money, logger);
	return money;
}

/** What is on sale. Files that are as they were when a graph was last kept are not read again. */
async function openGraphs({ settings, clock, logger, folder }: Ports, catalog: GraphCatalog) {
	const snapshots = createGraphSnapshots({
		folder: join(folder, "graph-cache"),
		version: SOFTWARE_VERSION,
		clock,
		shipped: SAMPLE_SNAPSHOTS,
	});
	const folders = catalogFolders(settings.catalog, importedGraphs(folder));
	for (const graph of await loadGraphs(folders, logger, snapshots.read)) catalog.put(graph);
	return snapshots;
}

/** Last values of feeds can be had again, so no backup holds them. */
function feedCacheOf({
	folder,
	store,
	clock,
}: Pick<Ports, "folder" | "clock"> & { readonly store: Store }): FeedCache {
	const own = createFeedCache(() => openIndexDisk(join(folder, "feeds")));
	const { documents, processes } = store;
	return processes.isShared ? createSharedFeedCache({ documents, clock, own }) : own;
}

async function reportBreach({ guard }: Money, logger: Logger): Promise<void> {
	// Adding up a long history takes a while: housekeeping does it as soon as the server listens.
	const { failures } = await guard.check({ history: false });
	if (failures.length > 0)
		logger.error("the ledger's invariants are breached; nothing is sold", { failures });
}
