import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import {
	readGraph,
	recoverBundles,
	writeBundle,
} from "../../src/knowledge/bundle/bundle-folder.js";
import {
	type BundleDisk,
	nodeBundleDisk,
	updateBundle,
} from "../../src/knowledge/bundle/bundle-update.js";
import { filesOf, graphOf, TIDES } from "./sample-bundle.js";

const CONCEPT = "---\ntype: Concept\ntitle: New\n---\nText.";
const CHANGES = new Map<string, Uint8Array | undefined>([
	...filesOf({
		"phases/low.md": CONCEPT,
		"new/deep/one.md": CONCEPT,
		"cycles/neap.md/x.md": CONCEPT,
	}),
	["cycles/neap.md", undefined],
	["phases/high.md", undefined],
]);

async function titlesIn(folder: string): Promise<readonly string[]> {
	return (await readGraph(folder)).concepts.map(({ path, title }) => `${path} ${title}`);
}

/** A disk whose power is cut after some calls: the call that fails may have happened or not, none follows. */
function failingDisk(calls: number, isLastDone: boolean): BundleDisk & { readonly left: number } {
	let left = calls;
	const cut = (work: (...args: never[]) => Promise<unknown>) => {
		return async (...args: never[]) => {
			if (left < 0) throw new Error("no power");
			left -= 1;
			if (left >= 0) return work(...args);
			if (isLastDone) await work(...args);
			throw new Error("no power");
		};
	};
	const entries = Object.entries(nodeBundleDisk).map(([name, work]) => [name, cut(work)]);
	const disk = Object.fromEntries(entries) as BundleDisk;
	return Object.defineProperty(disk, "left", { get: () => left }) as BundleDisk & { left: number };
}

t.test("files are put, replaced and removed, and nothing else is left behind", async (t) => {
	const parent = t.testdir({});
	const folder = join(parent, "tides");
	await writeBundle(graphOf(TIDES), folder);
	await updateBundle(folder, CHANGES);
	t.same(await titlesIn(folder), [
		"cycles/neap.md/x.md New",
		"cycles/spring.md Spring tide",
		"new/deep/one.md New",
		"phases/low.md New",
	]);
	t.same(readdirSync(parent), ["tides"]);
	await updateBundle(folder, new Map([["new/deep/one.md", undefined]]));
	t.notOk(readdirSync(folder).includes("new"), "folders that hold nothing more are gone");
});

t.test("wherever the power is cut, a start finds all of a change or none of it", async (t) => {
	const root = t.testdir({});
	const start = join(root, "start");
	await writeBundle(graphOf(TIDES), join(start, "tides"));
	const old = await titlesIn(join(start, "tides"));
	const after = join(root, "after");
	cpSync(start, after, { recursive: true });
	await updateBundle(join(after, "tides"), CHANGES);
	const changed = await titlesIn(join(after, "tides"));

	const outcomes: string[] = [];
	for (let calls = 0; ; calls += 1) {
		let isWhole = false;
		for (const isLastDone of [false, true]) {
			const parent = join(root, "try");
			rmSync(parent, { recursive: true, force: true });
			cpSync(start, parent, { recursive: true });
			const disk = failingDisk(calls, isLastDone);
			await updateBundle(join(parent, "tides"), CHANGES, disk).catch(() => undefined);
			isWhole = disk.left >= 0;
			const { restored, stuck } = await recoverBundles(parent);
			t.same([restored, stuck, readdirSync(parent)], [[], [], ["tides"]]);
			const titles = (await titlesIn(join(parent, "tides"))).join();
			if (titles !== old.join() && titles !== changed.join()) t.fail(`${calls}: ${titles}`);
			outcomes.push(titles === old.join() ? "old" : "new");
		}
		if (isWhole) break;
	}
	t.equal(outcomes.join(" ").replace(/(\w+)( \1)+/g, "$1"), "old new", `${outcomes.length} cuts`);
});

t.test("a promise that cannot be read keeps no start, and is kept", async (t) => {
	const parent = t.testdir({ ".tides-Ab12Cd": { new: { "0": "x" }, "changes.json": "{" } });
	await writeBundle(graphOf(TIDES), join(parent, "winds"));
	mkdirSync(join(parent, "tides"));
	const { stuck } = await recoverBundles(parent);
	t.same(stuck, [join(parent, ".tides-Ab12Cd")]);
	t.equal(readFileSync(join(parent, ".tides-Ab12Cd", "new", "0"), "utf8"), "x");
	await t.rejects(
		updateBundle(join(parent, "tides"), CHANGES),
		{ code: "UNAVAILABLE", message: /waits in ".*\.tides-Ab12Cd"/ },
		"nor is it overtaken",
	);
});

/** A disk that refuses to rename files to these names, the other renames done. */
function refusingDisk(...names: string[]): BundleDisk {
	return {
		...nodeBundleDisk,
		async rename(from, to) {
			if (names.some((name) => to.endsWith(name))) throw new Error(`no ${to}`);
			await nodeBundleDisk.rename(from, to);
		},
	};
}

t.test("a change the disk refuses whole is taken back", async (t) => {
	const parent = t.testdir({});
	const folder = join(parent, "tides");
	await writeBundle(graphOf(TIDES), folder);
	const before = readdirSync(folder, { recursive: true }).sort();
	const changes = filesOf({ "new/deep/one.md": CONCEPT });
	await t.rejects(updateBundle(folder, changes, refusingDisk("one.md")), {
		code: "UNAVAILABLE",
		message: /no .*one\.md.*nothing has changed/,
	});
	t.same(readdirSync(parent), ["tides"]);
	t.same(readdirSync(folder, { recursive: true }).sort(), before);
	t.equal(await updateBundle(folder, changes), undefined);
});

t.test("a change the disk refuses in part is seen through before the next one", async (t) => {
	const parent = t.testdir({});
	const folder = join(parent, "tides");
	await writeBundle(graphOf(TIDES), folder);
	const disk = refusingDisk("low.md");
	const unfinished = (await updateBundle(folder, CHANGES, disk)) ?? "";
	const [work = ""] = readdirSync(parent).filter((name) => name !== "tides");
	t.match(unfinished, join(parent, work));
	const next = filesOf({ "next.md": CONCEPT });
	await t.rejects(updateBundle(folder, next, disk), { code: "UNAVAILABLE", message: work });
	t.notOk((await titlesIn(folder)).some((title) => /next\.md/.test(title)));
	t.equal(await updateBundle(folder, next), undefined);
	t.same(readdirSync(parent), ["tides"]);
	const titles = await titlesIn(folder);
	t.match(titles, ["cycles/neap.md/x.md New"]);
	t.ok(titles.includes("next.md New"));
	t.ok(titles.includes("phases/low.md New"));
});

t.test("a folder in a file's place stays, and nothing has changed", async (t) => {
	const parent = t.testdir({});
	const folder = join(parent, "tides");
	await writeBundle(graphOf(TIDES), folder);
	mkdirSync(join(folder, "low.md"));
	const changes = filesOf({ "low.md": CONCEPT, "next.md": CONCEPT });
	await t.rejects(updateBundle(folder, changes), {
		code: "INVALID_ARGUMENT",
		message: /"low\.md" is that of a folder/,
	});
	t.same(readdirSync(parent), ["tides"]);
	t.notOk(readdirSync(folder).includes("next.md"));
});

t.test("a path that leaves the bundle changes nothing", async (t) => {
	const parent = t.testdir({ tides: { "graph.md": "x" } });
	const changes = filesOf({ "../evil.md": "x" });
	await t.rejects(updateBundle(join(parent, "tides"), changes), { code: "INVALID_ARGUMENT" });
	t.same(readdirSync(parent), ["tides"]);
});
