import { transformSync } from "esbuild";
import t from "tap";
// @ts-expect-error a script without types
import { measure } from "../mutants/coverage.mjs";
// @ts-expect-error a script without types
import { instrument } from "../mutants/instrumented.mjs";
// @ts-expect-error a script without types
import { judgeMutants } from "../mutants/judged-mutants.mjs";
// @ts-expect-error a script without types
import { scoreOf, toReport, writeReport } from "../mutants/report.mjs";
// @ts-expect-error a script without types
import { chooseMutants } from "../mutants/sample.mjs";
// @ts-expect-error a script without types
import { runTest } from "../mutants/test-run.mjs";

const TAP = JSON.stringify(import.meta.resolve("tap"));
const FILE = "store/journal/serial-queue.ts";

const SOURCE = `
export function isCheap(price: number): boolean {
	return price < 10;
}
export function countTo(end: number): number {
	let count = 0;
	while (count !== end) count += 1;
	return count;
}
export const unused = () => 1 + 1;
`;

/** Knows both sides of the price, but not its edge. */
const TEST = `
import t from ${TAP};
import { countTo, isCheap } from "../source.js";
t.test("cheap", async (t) => {
	t.equal(isCheap(1), true);
	t.equal(isCheap(100), false);
});
t.test("counts", async (t) => t.equal(countTo(3), 3));
`;

const HANGS = `import t from ${TAP}; t.test("hangs", () => new Promise(() => setInterval(() => {}, 1000)));`;

interface Mutant {
	readonly mutator: string;
	readonly replacement: string;
}

t.test("mutants are told apart by what tests notice, endless loops included", async (t) => {
	const { files, mutants } = await instrument([{ name: FILE, content: SOURCE }]);
	const { code } = transformSync(files[0].content, { loader: "ts", format: "esm" });
	const folder = t.testdir({ "source.js": code, test: { "prices.test.js": TEST } });
	const test = "test/prices.test.ts";
	const keys = new Map(mutants.map(({ id, key }: { id: string; key: string }) => [id, key]));
	const { hits, ...run } = await measure(test, folder);
	t.equal(run.outcome, "passed");
	t.ok(run.seconds > 0);
	const byKey = Object.entries(hits).map(([id, count]) => [keys.get(id), count]);
	const coverage = new Map([[test, { ...run, hits: Object.fromEntries(byKey) }]]);

	const wanted = [
		["< =", "price <= 10", "survived"],
		["> =", "price >= 10", "killed"],
		["body", "{}", "killed"],
		["loop", "count -= 1", "killed"],
		["unreached", "1 - 1", "no coverage"],
	] as const;
	const chosen = wanted.map(([, replacement]) =>
		mutants.find((one: Mutant) => one.replacement === replacement),
	);
	const options = { folders: [folder], coverage, say: () => undefined };
	const limits = { endsMs: Number.POSITIVE_INFINITY, budgetSeconds: 60 };
	const judged = await judgeMutants(chosen, { ...options, ...limits });
	t.same(
		judged.map(({ status }: { status: string }) => status),
		wanted.map(([, , status]) => status),
	);

	const report = toReport(judged, { chosen: chosen.length, seconds: 1 });
	t.match(report, { judged: 5, killed: 3, survived: 1, noCoverage: 1, score: 60 });
	t.match(
		writeReport(report),
		/store\/journal\/serial-queue\.ts:3:9 survived .*\n.*\n\t\+ price <= 10/,
	);
});

t.test("a test that hangs is ended after its time, and does not hold up the rest", async (t) => {
	const folder = t.testdir({ test: { "hangs.test.js": HANGS } });
	const begunMs = performance.now();
	const { outcome } = await runTest("test/hangs.test.ts", { folder, env: {}, timeoutMs: 1_000 });
	t.equal(outcome, "timeout");
	t.ok(performance.now() - begunMs < 60_000);
});

t.test("a sample is the same for a seed, and the start of a larger one", async (t) => {
	const mutants = Array.from({ length: 50 }, (_, index) => ({
		key: `${index}`,
		file: index % 2 ? "payments/ledger.ts" : "store/tables.ts",
	}));
	const choose = (options: object) =>
		chooseMutants(mutants, { paths: [], seed: 7, ...options }).map(
			({ key }: { key: string }) => key,
		);
	t.same(choose({ count: 10 }), choose({}).slice(0, 10));
	t.not(`${choose({})}`, `${choose({ seed: 8 })}`);
	t.equal(new Set(choose({})).size, 50);
	for (const paths of [["./payments/"], ["payments/ledger.ts"]])
		t.equal(choose({ paths }).length, 25);
	t.same(choose({ paths: ["pay"] }), [], "a part of a name is no folder");
	t.same(choose({ keys: new Set(["3"]) }), ["3"]);
});

t.test("the score comes with the interval of Wilson", async (t) => {
	t.same(scoreOf(9, 10), { score: 90, interval: [59.6, 98.2] });
	t.same(scoreOf(340, 400), { score: 85, interval: [81.2, 88.2] });
	t.same(scoreOf(0, 0), { score: 0, interval: [0, 100] });
});
