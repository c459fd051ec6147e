import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import * as fc from "fast-check";
import t from "tap";
import type { Changeable } from "../../src/knowledge/bundle/bundle-change.js";
import { readGraph } from "../../src/knowledge/bundle/bundle-folder.js";
import type { Finding } from "../../src/knowledge/model/graph.js";
import { createGraphSnapshots } from "../../src/knowledge/snapshots/graph-snapshots.js";
import { manualClock } from "../support/manual-clock.js";

const PATHS = ["a.md", "b.md", "c/a.md", "c.a.md", "c/index.md", "graph.md", "index.md", "log.md"];

const TEXTS = [
	"---\ntype: Concept\ntitle: One\nrelations: [{ type: needs, target: c.a, valid_from: 2024-01-02 }]\n---\n[b](b.md) [a](/c/a.md) [gone](gone.md)\n",
	"---\ntype: Concept\ntitle: Two\ngenerated: { by: x/1, at: 2025-06-07 }\nverified: [human:me, { by: x/2 }]\n---\n[a](../a.md) [graph](/graph.md)\n",
	"---\ntype: Concept\ntitle: Öne 😀\nstatus: draft\nsources: [{ resource: 'https://example.org/x', last_modified: 2018-08 }, ftp://no]\n---\n[a](a.md)\n",
	"---\ntype: domain\nid: other\ntitle: Other\nodd: [.nan, -0, .inf, 2024-02-03]\n---\nAbout.",
	"# A heading\n\n## 2026-05-06\n",
	"no front matter",
	"---\ntype: [",
];

const path = fc.constantFrom(...PATHS);
const edit = fc.oneof(
	fc.record({ kind: fc.constant("write" as const), path, text: fc.constantFrom(...TEXTS) }),
	fc.record({ kind: fc.constant("remove" as const), path }),
	fc.record({ kind: fc.constant("rename" as const), path, to: path }),
	fc.record({ kind: fc.constant("touch" as const), path }),
	fc.record({ kind: fc.constant("disguise" as const), path }),
);
type Edit = typeof edit extends fc.Arbitrary<infer One> ? One : never;

function applyEdit(folder: string, one: Edit): void {
	const file = join(folder, one.path);
	if (one.kind === "write") put(file, one.text);
	const found = statSync(file, { throwIfNoEntry: false });
	if (!found) return;
	if (one.kind === "remove") rmSync(file);
	if (one.kind === "touch") utimesSync(file, new Date(1), new Date(2));
	if (one.kind === "rename") {
		mkdirSync(dirname(join(folder, one.to)), { recursive: true });
		renameSync(file, join(folder, one.to));
	}
	if (one.kind === "disguise") {
		// As long and as old as before, and something else.
		put(file, "-".repeat(found.size));
		utimesSync(file, found.atimeMs / 1_000, found.mtimeMs / 1_000);
	}
}

function put(file: string, text: string): void {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
}

/** The graph with why files of it are not on sale, or why none could be read. */
async function outcomeOf(read: typeof readGraph, folder: string) {
	const errors: Finding[] = [];
	const onFinding = (finding: Finding) => {
		if (finding.severity === "error") errors.push(finding);
	};
	const graph = await read(folder, { onFinding }).catch((error: unknown) => String(error));
	return { graph, errors };
}

const FOREVER = new AbortController().signal;

/** Of two changes at one tick of the disk's clock the second would not show; a server waits longer than this. */
const TICK_MS = 15;

interface Round {
	readonly folder: string;
	readonly cache: string;
	/** While no server runs, and while one does. */
	readonly edits: readonly (readonly Edit[])[];
	readonly isPatient: boolean;
}

async function takeRound({ folder, cache, edits, isPatient }: Round): Promise<void> {
	const [offline = [], ...online] = edits;
	for (const one of offline) applyEdit(folder, one);
	// Without patience every stamp is too fresh to be trusted.
	const clock = manualClock(new Date(Date.now() + (isPatient ? 60_000 : 0)).toISOString());
	const snapshots = createGraphSnapshots({ folder: cache, version: "1", clock });
	const { graph, errors } = await outcomeOf(snapshots.read, folder);
	assert.deepEqual({ graph, errors }, await outcomeOf(readGraph, folder));
	if (typeof graph === "object") await snapshots.keep(graph as Changeable, FOREVER);
	if (isPatient) await setTimeout(TICK_MS);
	for (const some of online) {
		for (const one of some) applyEdit(folder, one);
		// A server knows what it has changed itself.
		const changed = await readGraph(folder).catch(() => undefined);
		if (changed) await snapshots.keep(changed as Changeable, FOREVER);
		if (isPatient) await setTimeout(TICK_MS);
	}
}

t.test(
	"a graph that was kept is what reading its folder gives, whatever was edited since",
	async (t) => {
		const home = t.testdir({});
		let run = 0;
		const edits = fc.array(edit, { maxLength: 4 });
		const sessions = fc.array(edits, { minLength: 1, maxLength: 3 });
		const rounds = fc.array(sessions, { minLength: 1, maxLength: 4 });
		await fc.assert(
			fc.asyncProperty(rounds, fc.boolean(), async (edited, isPatient) => {
				run += 1;
				const folder = join(home, `graph-${run}`);
				const cache = join(home, `cache-${run}`);
				put(join(folder, "a.md"), TEXTS[0] ?? "");
				put(join(folder, "c/a.md"), TEXTS[1] ?? "");
				for (const edits of edited) await takeRound({ folder, cache, edits, isPatient });
			}),
			{ numRuns: 25 },
		);
	},
);
