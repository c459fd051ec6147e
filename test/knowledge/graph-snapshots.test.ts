import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { Changeable } from "../../src/knowledge/bundle-change.js";
import { readGraph } from "../../src/knowledge/bundle-files.js";
import { createGraphCatalog } from "../../src/knowledge/catalog.js";
import { stampGraphFiles } from "../../src/knowledge/file-stamps.js";
import { SNAPSHOT_VERSION } from "../../src/knowledge/graph-snapshot.js";
import { createGraphSnapshots } from "../../src/knowledge/graph-snapshots.js";
import { entriesOf, toPathMap } from "../../src/knowledge/path-map.js";
import { startSnapshotKeeper } from "../../src/knowledge/snapshot-keeper.js";
import { manualClock } from "../support/manual-clock.js";
import { graphOf, TIDES } from "./sample-bundle.js";

const NONE = toPathMap<readonly string[]>([]);
const FOREVER = new AbortController().signal;

/** Long after the files were written. */
const later = () => manualClock(new Date(Date.now() + 60_000).toISOString());

async function keepTides(t: Test) {
	const home = t.testdir({ tides: nested(TIDES) });
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

t.test("a folder that is as it was is not read again, and a changed file alone is", async (t) => {
	const { folder, open, graph } = await keepTides(t);
	const first = open();
	t.same(await first.read(folder), graph);
	t.ok(first.isKept(graph), "no file was looked into");
	writeFileSync(join(folder, "phases/low.md"), "---\ntype: Concept\ntitle: Ebb\n---\nText.");
	const second = open();
	const changed = (await second.read(folder)) as Changeable;
	t.same(changed, await readGraph(folder));
	t.notOk(second.isKept(changed), "the next start would look into it again");
	await second.keep(changed, FOREVER);
	t.ok(second.isKept(changed));
	t.same(await open().read(folder), changed);
});

t.test("what is damaged, cut short, of another version or missing is only slower", async (t) => {
	const { folder, file, graph, open } = await keepTides(t);
	const whole = readFileSync(file);
	const damages: Readonly<Record<string, () => void>> = {
		"a flipped byte": () => {
			const bytes = Buffer.from(whole);
			bytes[whole.length >> 1] = (bytes[whole.length >> 1] ?? 0) ^ 1;
			writeFileSync(file, bytes);
		},
		"the last line cut": () => truncateSync(file, whole.lastIndexOf("\n", whole.length - 2) + 1),
		"cut in the middle": () => truncateSync(file, whole.length >> 1),
		"no line at all": () => writeFileSync(file, "nothing"),
		"an empty file": () => writeFileSync(file, ""),
		"a sound file of something else": () => {
			const text = "{}\n[]\n";
			const sum = createHash("sha256").update(text).digest("hex");
			writeFileSync(file, `${text}"${sum}"\n`);
		},
		"a sound file of no lines": () =>
			writeFileSync(file, `"${createHash("sha256").digest("hex")}"\n`),
	};
	for (const [name, damage] of Object.entries(damages)) {
		writeFileSync(file, whole);
		damage();
		const snapshots = open();
		t.same(await snapshots.read(folder), graph, name);
		t.notOk(snapshots.isKept(graph), `${name} is not taken for a snapshot`);
	}
	writeFileSync(file, whole);
	const newer = open("2");
	t.same(await newer.read(folder), graph);
	t.notOk(newer.isKept(graph), "another version of the software reads the files itself");
});

t.test("a write that was ended or failed leaves the snapshot from before", async (t) => {
	const { folder, cache, file, graph, open } = await keepTides(t);
	const whole = readFileSync(file);
	await t.rejects(open().keep(graph, AbortSignal.abort()));
	t.same(readFileSync(file), whole);
	t.same(readdirSync(cache).length, 1, "and nothing beside it");
	const blocked = createGraphSnapshots({ folder: file, version: "1", clock: later() });
	await t.rejects(blocked.keep(graph, FOREVER), "a file is where its folder should be");
	t.same(await blocked.read(folder), graph);
});

t.test("a thread of its own finds the stamps that this one finds", async (t) => {
	const { folder } = await keepTides(t);
	const clock = later();
	const [here, there] = await Promise.all(
		[false, true].map((isLarge) => stampGraphFiles(folder, { clock, isLarge })),
	);
	t.same(there, here);
	t.equal(here?.list.split("\0").length, Object.keys(TIDES).length);
	const gone = join(folder, "gone");
	await t.rejects(stampGraphFiles(gone, { clock, isLarge: true }), { code: "ENOENT" });
});

t.test("a graph whose folder is gone is refused as reading it refuses", async (t) => {
	const { open, folder } = await keepTides(t);
	await t.rejects(open().read(join(folder, "gone")), { code: "NOT_FOUND" });
});

t.test("the keeper keeps what has settled and forgets what is no longer on sale", async (t) => {
	const { cache, folder, graph, open } = await keepTides(t);
	const stray = join(cache, `${"0".repeat(64)}.graph`);
	const notOurs = join(cache, "notes.txt");
	writeFileSync(stray, "old");
	writeFileSync(notOurs, "mine");
	const snapshots = open();
	const catalog = createGraphCatalog([graph]);
	const errors: unknown[] = [];
	const logger = { info: () => undefined, error: (...all: unknown[]) => void errors.push(all) };
	let look: () => void = () => undefined;
	const clock = {
		...later(),
		every: (_: number, task: () => void) => {
			look = task;
			return () => undefined;
		},
	};
	const gone = { ...graph, folder: join(folder, "gone"), record: { ...graph.record, id: "gone" } };
	catalog.put(gone);
	let stop = startSnapshotKeeper({ snapshots, catalog, clock, logger });
	look();
	await stop();
	t.notOk(snapshots.isKept(graph), "it might change again in a moment");
	stop = startSnapshotKeeper({ snapshots, catalog, clock, logger });
	for (let count = 0; count < 100 && !snapshots.isKept(graph); count++) {
		look();
		await new Promise((done) => setTimeout(done, 5));
	}
	await stop();
	t.ok(snapshots.isKept(graph));
	t.match(errors, [[/could not be kept/, { graph: "gone" }]], "the others are kept all the same");
	t.notOk(existsSync(stray));
	t.ok(existsSync(notOurs));
});

/** A little of everything that a reader has rules for. */
const PINNED = {
	...TIDES,
	"index.md": "# Listed title\n\n- [Low](phases/low.md)\n",
	"log.md": "## 2026-05-06\n\nSomething.\n",
	"notes/rules.md": [
		"---",
		"type: Rule ",
		"description: >",
		"  Folded\u200b text, *marked*.",
		"tags: one, two, one",
		"aliases: [Three, 4, null]",
		"timestamp: 2024-05",
		"stale_after: 2027-01-02",
		"status: Draft",
		"verified: [human:me, { by: x/2, at: 2025-01-01 }, {}]",
		"sources: [https://example.org/a, { url: ftp://example.org }, { id: a, url: 'https://example.org/b', date: 2020 }]",
		"relations: [{ target: phases.low, type: Needs_It, weight: -1, valid_to: 2026-02 }, { target: nowhere }]",
		"---",
		"# Heading\r\n",
		"First `code` paragraph, [low](../phases/low), [[high]], [out](../../x.md), [web](https://example.org).",
		"```\n[not a link](low.md)\n```",
	].join("\n"),
	"v01.md":
		"---\ntype: Old\n---\nText.\n\n# Citations\n\n[1] [Title](https://example.org/c), 2018-08-01\n",
};

t.test("whoever changes what reading a bundle gives raises the version of snapshots", (t) => {
	const { concepts, record, memory } = graphOf(PINNED);
	const reading = JSON.stringify({
		concepts,
		record,
		awaited: [...entriesOf(memory?.awaited ?? NONE)],
	});
	const digest = createHash("sha256").update(reading).digest("hex").slice(0, 16);
	t.same({ version: SNAPSHOT_VERSION, digest }, { version: 1, digest: "d10e26d61790baac" });
	t.end();
});
