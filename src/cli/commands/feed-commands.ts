import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import {
	type Feeds,
	newestOf,
	type SkippedFeedWire,
	toDescribed,
} from "../../../skills/feeds/feeds.js";
import { openFeeds } from "../../app/app.js";
import { ServiceError, systemClock, toIsoDay } from "../../kernel/kernel.js";
import { openIndexDisk } from "../../search/search.js";
import { type CommandContext, type Flags, settingsOf, withSettings } from "../operator-command.js";
import { createProgress, printResult, toColumns } from "../output.js";

export function addFeeds(program: Command, context: CommandContext): void {
	const feeds = program.command("feeds").description("Feeds that supplemental data comes from.");
	const { terminal } = context;
	withSettings(feeds.command("list").description("List the feeds and the newest value of each."))
		.option("--json", "print one JSON line")
		.action(async (flags: Flags) => {
			const items = await listAll(openFor(context, flags, "bundled"));
			const lines = toColumns(
				items.map((item) => [item.feed_id, item.newest ?? "–", item.title, item.licence]),
			);
			printResult(terminal, { items }, { json: flags["json"] === true, lines });
		});
	withSettings(
		feeds
			.command("refresh [feed_id...]")
			.description(
				"Ask the sources of all feeds, or of these, and keep what they say; a running server reads it at its next start.",
			),
	)
		.option("--json", "print one JSON line")
		.action(async (ids: string[], flags: Flags) => {
			const opened = openFor(context, flags, "live");
			const wanted = ids.length > 0 ? ids : await idsOf(opened);
			const progress = createProgress(terminal, "Asking feeds");
			const skipped: SkippedFeedWire[] = [];
			for (const [done, id] of wanted.entries()) {
				progress({ done, total: wanted.length });
				skipped.push(...(await opened.observe({ feedIds: [id], limit: 1 })).skipped);
			}
			const refreshed = wanted.length - skipped.length;
			const lines = [
				`${refreshed} of ${wanted.length} feeds are fresh.`,
				...skipped.map(({ feed_id, reason }) => `${feed_id}: ${reason}`),
			];
			printResult(terminal, { refreshed, skipped }, { json: flags["json"] === true, lines });
			if (refreshed === 0) throw new ServiceError("UNAVAILABLE", "No source of a feed answers.");
		});
}

function openFor(context: CommandContext, flags: Flags, mode: "bundled" | "live"): Feeds {
	const { data, contact } = settingsOf(context, flags);
	const folder = join(resolve(data), "feeds");
	return openFeeds({
		feeds: mode,
		contact,
		clock: systemClock,
		logger: { info: () => undefined, error: (message) => context.terminal.say(message) },
		feedDisk: () => {
			mkdirSync(resolve(data), { recursive: true, mode: 0o700 });
			return openIndexDisk(folder);
		},
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

/** Search feeds have nothing to tell without a topic. */
async function idsOf(feeds: Feeds): Promise<readonly string[]> {
	const registry = await feeds.registry();
	return [...registry.values()].filter(({ isSearch }) => !isSearch).map(({ id }) => id);
}
