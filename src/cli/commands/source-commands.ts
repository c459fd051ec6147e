import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import {
	createFeedCache,
	type Feeds,
	type FeedTest,
	newestOf,
	toDescribed,
} from "../../../skills/feeds/feeds.js";
import { locateModel, openFeeds } from "../../app/app.js";
import { createHubEgress, MODEL_HUB } from "../../delivery/delivery.js";
import { systemClock, toIsoDay, unavailable } from "../../kernel/kernel.js";
import {
	createModelHub,
	type FetchedModel,
	fetchModel,
	type ListedModel,
	listModels,
	openIndexDisk,
	parseModelName,
} from "../../search/search.js";
import type { Settings } from "../../settings/settings.js";
import { addCommand, type CommandContext } from "../operator-command.js";
import { createProgress, type Line, toList } from "../output.js";

const MEGABYTE = 1_000_000;

export function addModels(program: Command, context: CommandContext): void {
	const models = program.command("models").description("Embedding models that search can use.");
	const list = models.command("list").description("List the models that are here or known.");
	addCommand(list, context, {
		async run({ settings }) {
			const modelsFolder = modelsFolderOf(settings);
			const locate = (model: string) => locateModel(parseModelName(model), modelsFolder);
			return { items: await listModels({ active: settings.model, modelsFolder, locate }) };
		},
		describe: ({ items }) => describe(items),
	});
	const fetch = models
		.command("fetch <id>")
		.description("Fetch a model from huggingface.co; nothing else ever asks the hub.");
	addCommand(fetch, context, {
		run({ settings, args: [id = ""] }) {
			const progress = createProgress(context.terminal, "Fetching MB");
			return fetchModel(id, {
				hub: createModelHub(createHubEgress(), MODEL_HUB),
				clock: systemClock,
				modelsFolder: modelsFolderOf(settings),
				onProgress: ({ done, total }) =>
					progress({ done: Math.floor(done / MEGABYTE), total: Math.floor(total / MEGABYTE) }),
			});
		},
		describe: (fetched) => [describeFetched(fetched)],
	});
}

const modelsFolderOf = ({ data }: Settings) => join(resolve(data), "models");

function describe(items: readonly ListedModel[]): readonly Line[] {
	return toList(
		["", "model", "state", "dimensions", "size", "licence", "why not"],
		items.map((item) => [
			item.is_active ? "*" : " ",
			item.model,
			item.state,
			item.dimensions === null ? "" : String(item.dimensions),
			item.bytes === null ? "" : `${(item.bytes / MEGABYTE).toFixed(1)} MB`,
			item.licence ?? "",
			item.reason ?? "",
		]),
		"No model is here. Fetch one: tollgraph models fetch <owner>/<name>",
	);
}

function describeFetched(model: FetchedModel): string {
	const { id, revision, licence, bytes, dimensions } = model;
	const what = model.is_new ? "fetched" : "was here already";
	return `${id} ${what}: ${(bytes / MEGABYTE).toFixed(1)} MB, ${dimensions} dimensions, licence ${licence ?? "not told"}, commit ${revision.slice(0, 12)}. Use it with --model hub:${id}.`;
}

export function addFeeds(program: Command, context: CommandContext): void {
	const feeds = program.command("feeds").description("Feeds that supplemental data comes from.");
	const list = feeds.command("list").description("List the feeds and the newest value of each.");
	addCommand(list, context, {
		run: async ({ settings }) => ({ items: await listAll(openFor(context, settings, "bundled")) }),
		describe: ({ items }) =>
			toList(
				["id", "newest", "title", "licence"],
				items.map((item) => [item.feed_id, item.newest ?? "–", item.title, item.licence]),
				"There are no feeds.",
			),
	});
	const refresh = feeds
		.command("refresh [feed_id...]")
		.description(
			"Ask the sources of all feeds, or of these, and keep what they say; a running server reads it at its next start.",
		);
	addCommand(refresh, context, {
		async run({ settings, args }) {
			const opened = openFor(context, settings, "live");
			const wanted = args.length > 0 ? args : await idsOf(opened);
			const observed = await askEach(context, wanted, (id) =>
				opened.observe({ feedIds: [id], limit: 1 }),
			);
			const skipped = observed.flatMap((one) => one.skipped);
			return { refreshed: wanted.length - skipped.length, skipped };
		},
		describe: ({ refreshed, skipped }) => [
			`${refreshed} of ${refreshed + skipped.length} feeds are fresh.`,
			...skipped.map(({ feed_id, reason }) => `${feed_id}: ${reason}`),
		],
		exitCode({ refreshed }) {
			if (refreshed > 0) return 0;
			throw unavailable("No source of a feed answers.");
		},
	});
	addFeedTest(feeds, context);
}

/** One after the other, with progress: several feeds of one host share its pace. */
async function askEach<T>(
	{ terminal }: CommandContext,
	ids: readonly string[],
	ask: (id: string) => Promise<T>,
): Promise<readonly T[]> {
	const progress = createProgress(terminal, "Asking feeds");
	const answers: T[] = [];
	for (const [done, id] of ids.entries()) {
		progress({ done, total: ids.length });
		answers.push(await ask(id));
	}
	return answers;
}

/** A source that does not answer fails the command as one whose reply has changed does: neither gives a value. */
function addFeedTest(feeds: Command, context: CommandContext): void {
	const test = feeds
		.command("test [feed_id...]")
		.description(
			"Ask the sources of all feeds, or of these, and compare the form of what they answer with their samples; nothing is kept.",
		);
	addCommand(test, context, {
		async run({ settings, args }) {
			const opened = openFor(context, settings, "live");
			const wanted = args.length > 0 ? args : [...(await opened.registry()).keys()];
			const items = await askEach(context, wanted, (id) => opened.test(id));
			return { same: items.filter(({ state }) => state === "same").length, items };
		},
		describe: ({ same, items }) => [
			`${same} of ${items.length} sources answer as their samples do.`,
			...items.filter(({ state }) => state !== "same").map(describeTest),
		],
		exitCode: ({ same, items }) => (same === items.length ? 0 : 1),
	});
}

function describeTest({ feed_id, host, state, reason, missing, added }: FeedTest): string {
	const parts = [
		...(reason === null ? [] : [reason]),
		...(missing.length === 0 ? [] : [`Missing: ${missing.join(", ")}.`]),
		...(missing.length === 0 || added.length === 0 ? [] : [`New: ${added.join(", ")}.`]),
	];
	return `${feed_id} (${host}): ${state}. ${parts.join(" ")}`;
}

function openFor(
	{ terminal }: CommandContext,
	{ data, contact }: Settings,
	mode: "bundled" | "live",
): Feeds {
	return openFeeds({
		settings: { feeds: mode, contact },
		clock: systemClock,
		logger: { info: () => undefined, error: (message) => terminal.say(message) },
		feedCache: createFeedCache(() => {
			mkdirSync(resolve(data), { recursive: true, mode: 0o700 });
			return openIndexDisk(join(resolve(data), "feeds"));
		}),
	});
}

async function listAll(feeds: Feeds) {
	const items = [];
	for (const feed of (await feeds.registry()).values()) {
		const { kept } = await feeds.recall(feed);
		const newest = kept && newestOf(kept.reading);
		const day = newest === undefined ? null : toIsoDay(newest);
		items.push({ ...toDescribed(feed), newest: day });
	}
	return items;
}

/** Search feeds have no value without a topic. */
async function idsOf(feeds: Feeds): Promise<readonly string[]> {
	const registry = await feeds.registry();
	return [...registry.values()].filter(({ isSearch }) => !isSearch).map(({ id }) => id);
}
