import t from "tap";
import { instrument } from "../../bench/trace/instrument.js";
import { findTourFault, readTour } from "../../bench/trace/tour.js";
import { summarizeTrace } from "../../bench/trace/trace-summary.js";

const callsOf = (files: string) =>
	files.split(" ").map((file, index) => ({ file, line: index + 1, name: `call ${index}` }));

t.test("a file is counted once, and each later entry from another file is a return", async (t) => {
	const { firstEntries, filesOutside, returns, sequence } = summarizeTrace(
		callsOf("a b b a c a a"),
		[],
	);
	t.same(
		firstEntries.map(({ file, line }) => [file, line]),
		[
			["a", 1],
			["b", 2],
			["c", 5],
		],
	);
	t.equal(filesOutside, 3);
	t.equal(sequence.map(({ file }) => file).join(" "), "a b a c a");
	t.equal(returns, 2);
});

t.test("folders left out are listed, and neither counted nor a reason to return", async (t) => {
	const { firstEntries, filesOutside, returns } = summarizeTrace(
		callsOf("a store/x a store/y a storefront store/x"),
		["store"],
	);
	t.same(
		firstEntries.map(({ file }) => file),
		["a", "store/x", "store/y", "storefront"],
	);
	t.equal(filesOutside, 2);
	t.equal(returns, 0);
});

t.test("a tour is the files in backticks between its marks", async (t) => {
	const document =
		"`no.ts` <!-- tour -->\n1. `src/a.ts` calls `invoke`\n2. `src/b.mjs`, again `src/a.ts`\n<!-- end tour --> `no.ts`";
	t.same(readTour(document), ["src/a.ts", "src/b.mjs"]);
	t.equal(readTour("`src/a.ts`"), undefined);
});

t.test("a tour names files that run, in the order in which they are first entered", async (t) => {
	const entered = ["a.ts", "b.ts", "c.ts"];
	t.equal(findTourFault(["a.ts", "c.ts"], entered), undefined);
	t.match(findTourFault(["a.ts", "d.ts"], entered), /do not run: d\.ts/);
	t.match(findTourFault(["a.ts", "c.ts", "b.ts"], entered), /c\.ts before b\.ts/);
	t.match(findTourFault([], entered), /no file/);
});

t.test("instrumented code does the same, and reports every function that is called", async (t) => {
	const source = `
		class Sum { #by = (n) => n + this.start; constructor(start) { this.start = start; } of(n) { return this.#by(n); } }
		const nest = (a) => (b) => ({ sum: new Sum(a).of(b) });
		async function run() { return [await nest(1)(2), [3].map((x) => x * 2)]; }
		return run();`;
	const { code, functions } = instrument(source, 10);
	const called: number[] = [];
	Reflect.set(globalThis, "__enterFunction", (id: number) => called.push(id));
	t.teardown(() => Reflect.deleteProperty(globalThis, "__enterFunction"));
	t.same(await new Function(code)(), [{ sum: 3 }, [6]]);
	t.same(
		called.map((id) => functions[id - 10]?.name),
		["run", "nest", "in nest", "constructor", "of", "#by", "in run"],
	);
	t.same(functions[0], { name: "#by", line: 1, column: 20 });
});
