import { createHash } from "node:crypto";
import {
	cpSync,
	readdirSync,
	readFileSync,
	rmSync,
	truncateSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import t from "tap";
import {
	type Changeable,
	changeBundle,
	isChangeable,
} from "../../src/knowledge/bundle/bundle-change.js";
import { readGraph } from "../../src/knowledge/bundle/bundle-folder.js";
import type { Finding } from "../../src/knowledge/model/graph.js";
import { stampGraphFiles } from "../../src/knowledge/snapshots/file-stamps.js";
import { peekSnapshot, readSnapshot } from "../../src/knowledge/snapshots/graph-snapshot.js";
import {
	createGraphSnapshots,
	shipSnapshot,
} from "../../src/knowledge/snapshots/graph-snapshots.js";
import { manualClock } from "../support/manual-clock.js";
import { keepTides, later } from "./kept-tides.js";
import { TIDES } from "./sample-bundle.js";

const FOREVER = new AbortController().signal;

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

t.test("the memory of a kept graph waits for a change, and is then read in turns", async (t) => {
	const { folder, open } = await keepTides(t);
	const graph = (await open().read(folder)) as Changeable;
	const parsed = t.capture(JSON, "parse", JSON.parse);
	t.ok(isChangeable(graph));
	t.equal(parsed().length, 0, "asking whether it can change reads nothing");
	let turns = 0;
	let isOver = false;
	const take = () => {
		turns += 1;
		if (!isOver) setImmediate(take);
	};
	take();
	const changes = new Map([["phases/low.md", Buffer.from("---\ntype: Concept\n---\nText.")]]);
	await changeBundle(graph, changes, async () => Buffer.from(""));
	isOver = true;
	t.ok(turns > 20, `others were served ${turns} times`);
	t.same(graph.memory, ((await readGraph(folder)) as Changeable).memory);
	const other = (await open().read(folder)) as Changeable;
	t.same(other.memory, graph.memory, "a caller that cannot wait has it at once");
});

t.test("keeping a graph again does not read the snapshot from before", async (t) => {
	const { folder, open } = await keepTides(t);
	const snapshots = open();
	await snapshots.read(folder);
	for (const text of ["One.", "Two."]) {
		writeFileSync(join(folder, "phases/low.md"), `---\ntype: Concept\n---\n${text}`);
		const changed = (await readGraph(folder)) as Changeable;
		const isFirst = text === "One.";
		const parsed = t.capture(JSON, "parse", JSON.parse);
		await snapshots.keep(changed, FOREVER);
		if (!isFirst) t.equal(parsed().length, 0, "what it says is known");
		parsed.restore();
		t.same(await open().read(folder), changed);
	}
});

t.test("a file that is dated in the future counts as any other", async (t) => {
	const { folder, open, graph } = await keepTides(t);
	utimesSync(join(folder, "phases/low.md"), 4e9, 4e9);
	const snapshots = open();
	await snapshots.keep(graph, FOREVER);
	t.ok(snapshots.isKept(graph));
	const next = open();
	t.same(await next.read(folder), graph);
	t.ok(next.isKept(graph), "and is not looked into again");
});

t.test("a clock that is behind the disk's has nothing written twice", async (t) => {
	const { folder, cache, file, graph, open } = await keepTides(t);
	const clock = manualClock(new Date(Date.now() - 3_600_000).toISOString());
	const snapshots = createGraphSnapshots({ folder: cache, version: "1", clock });
	await snapshots.read(folder);
	await snapshots.keep(graph, FOREVER);
	writeFileSync(file, "left alone");
	await snapshots.keep(graph, FOREVER);
	await snapshots.keep(graph, FOREVER);
	t.equal(readFileSync(file, "utf8"), "left alone", "a new snapshot would say the same");
	t.notOk(snapshots.isKept(graph), "every file would be looked into");
	clock.advance(7_200_000);
	await snapshots.keep(graph, FOREVER);
	t.ok(snapshots.isKept(graph));
	const next = open();
	t.same(await next.read(folder), graph);
	t.ok(next.isKept(graph), "once the clock is right again, none is");
});

t.test("a concept whose file is gone does not stay in the snapshot", async (t) => {
	const { folder, file, open } = await keepTides(t);
	rmSync(join(folder, "phases/low.md"));
	const snapshots = open();
	const changed = (await snapshots.read(folder)) as Changeable;
	t.same(changed, await readGraph(folder));
	t.notOk(snapshots.isKept(changed), "the old one still holds it");
	await snapshots.keep(changed, FOREVER);
	t.ok(snapshots.isKept(changed));
	t.notOk(readFileSync(file, "utf8").includes("phases/low.md"));
});

t.test("why files are not on sale is kept along with them", async (t) => {
	const notes = Array.from({ length: 120 }, (_, index) => [`note-${index}.md`, "Just a note."]);
	const files = { ...TIDES, ...Object.fromEntries(notes), "broken.md": "---\ntype: [" };
	const { folder, file, graph, open } = await keepTides(t, files);
	const expected: Finding[] = [];
	await readGraph(folder, { onFinding: (one) => one.severity === "error" && expected.push(one) });
	t.equal(expected.length, 121);
	const name = { version: "1", folder };
	t.equal(await peekSnapshot(file, name), Object.keys(files).length, "files, not concepts");
	const readKept = async () => [...((await readSnapshot(file, name))?.astray.values() ?? [])];
	t.same(new Set(await readKept()), new Set(expected));
	const snapshots = open();
	const heard: Finding[] = [];
	t.same(await snapshots.read(folder, { onFinding: (one) => void heard.push(one) }), graph);
	t.same(heard, expected);
	writeFileSync(join(folder, "note-7.md"), "---\ntype: [");
	await snapshots.keep((await readGraph(folder)) as Changeable, FOREVER);
	const [broken, ...rest] = (await readKept()).filter((one) => one?.rule === "bad-front-matter");
	t.same([broken?.file, ...rest.map((one) => one?.file)].sort(), ["broken.md", "note-7.md"]);
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

t.test("what comes with the software is read from what came with it", async (t) => {
	const { folder, cache, graph } = await keepTides(t);
	const home = join(cache, "..");
	const ship = async (name: string) => {
		const root = join(home, name);
		cpSync(folder, join(root, "tides"), { recursive: true });
		const shipped = { root, folder: join(home, `${name}-shipped`) };
		const copy = (await readGraph(join(root, "tides"))) as Changeable;
		await shipSnapshot(copy, { ...shipped, version: "1" });
		const file = join(shipped.folder, readdirSync(shipped.folder)[0] ?? "");
		return { shipped, copy, bytes: readFileSync(file) };
	};
	const [one, other] = [await ship("one"), await ship("other")];
	t.same(one.bytes, other.bytes, "the same wherever it was made");
	const open = (version = "1") =>
		createGraphSnapshots({
			folder: join(home, "own"),
			version,
			clock: later(),
			shipped: one.shipped,
		});
	const parsed = t.capture(JSON, "parse", JSON.parse);
	const first = open();
	t.same(await first.read(one.copy.folder), one.copy);
	t.ok(parsed().length > 0, "nothing else reads JSON here");
	t.notOk(first.isKept(one.copy), "it is kept with the stamps of this machine, too");
	await first.keep(one.copy, FOREVER);
	const second = open();
	t.same(await second.read(one.copy.folder), one.copy);
	t.ok(second.isKept(one.copy), "and then that is what is read");

	parsed();
	t.same(await open("2").read(one.copy.folder), one.copy);
	t.same(parsed().length, 2, "another version only looks at what either is");
	t.same(await open().read(folder), graph, "a graph of somebody else");
	rmSync(join(home, "own"), { recursive: true });
	writeFileSync(
		join(one.copy.folder, "phases/low.md"),
		"---\ntype: Concept\ntitle: Ebb\n---\nText.",
	);
	rmSync(join(one.copy.folder, "phases/high.md"), { force: true });
	const changed = await readGraph(one.copy.folder);
	t.not(changed.contentHash, one.copy.contentHash);
	t.same(await open().read(one.copy.folder), changed, "a changed file counts");
});
