import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import type { Changeable } from "../../src/knowledge/bundle/bundle-change.js";
import { readGraph } from "../../src/knowledge/bundle/bundle-folder.js";
import { createGraphSnapshots } from "../../src/knowledge/snapshots/graph-snapshots.js";
import { manualClock } from "../support/manual-clock.js";
import { TIDES } from "./sample-bundle.js";

const FOREVER = new AbortController().signal;

/** Long after the files were written. */
export const later = () => manualClock(new Date(Date.now() + 60_000).toISOString());

/** A folder of these files, with the snapshot that was kept of it. */
export async function keepTides(t: Test, files: Readonly<Record<string, string>> = TIDES) {
	const home = t.testdir({ tides: nested(files) });
	const folder = join(home, "tides");
	const cache = join(home, "cache");
	const open = (version = "1") => createGraphSnapshots({ folder: cache, version, clock: later() });
	const graph = (await readGraph(folder)) as Changeable;
	await open().keep(graph, FOREVER);
	const file = join(cache, readdirSync(cache)[0] ?? "");
	return { folder, cache, file, graph, open };
}

/** As `testdir` wants it: a folder is an object. */
function nested(files: Readonly<Record<string, string>>) {
	const root: Record<string, string | Record<string, string>> = {};
	for (const [path, text] of Object.entries(files)) {
		const [folder = "", name] = path.split("/");
		if (name === undefined) root[folder] = text;
		else root[folder] = { ...(root[folder] as Record<string, string> | undefined), [name]: text };
	}
	return root;
}
