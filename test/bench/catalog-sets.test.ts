import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import {
	isHeldByText,
	loadComparisons,
	loadEvents,
	loadNearMisses,
} from "../../bench/labelled/catalog-sets.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";

const GRAPHS = join(PACKAGE_ROOT, "graphs");
const nearMisses = loadNearMisses();
const comparisons = loadComparisons();
const events = loadEvents();

/** Documents by their path; what an index or a log repeats is left out, and so are dates of the files themselves. */
const documents = new Map(
	readdirSync(GRAPHS, { recursive: true, encoding: "utf8" })
		.map((path) => path.replaceAll("\\", "/"))
		.filter(
			(path) => path.includes("/") && path.endsWith(".md") && !/(?:index|log)\.md$/.test(path),
		)
		.map((path) => [path, readFileSync(join(GRAPHS, path), "utf8")] as const)
		.map(([path, text]) => [
			path,
			text.replace(/^(?:generated|verified|version|updated):.*$/gm, ""),
		]),
);

t.test("ids and questions are unique, and each set has its count", async (t) => {
	for (const [set, count] of [
		[nearMisses, 150],
		[comparisons, 20],
		[events, 100],
	] as const) {
		t.equal(set.length, count);
		t.equal(new Set(set.map(({ id }) => id)).size, count);
		t.equal(new Set(set.map(({ question }) => question)).size, count);
	}
});

t.test(
	"near misses are spread evenly over the graphs, and half are held out by their text",
	async (t) => {
		const counts = new Map<string, number>();
		for (const { nearest } of nearMisses) {
			const graph = nearest.slice(0, nearest.indexOf("/"));
			counts.set(graph, (counts.get(graph) ?? 0) + 1);
		}
		t.equal(counts.size, 12);
		t.ok([...counts.values()].every((count) => count === 12 || count === 13));
		t.same(
			nearMisses.filter(({ question, held }) => held !== isHeldByText(question)),
			[],
		);
		const held = nearMisses.filter((one) => one.held).length;
		t.ok(held >= 60 && held <= 90, `${held} are held out`);
	},
);

t.test("no document has the subject of a near miss and what was searched for", async (t) => {
	const found = nearMisses.flatMap(({ id, nearest, subject, searched }) => {
		const isAbout = new RegExp(subject, "i");
		const isAnswer = searched.map((pattern) => new RegExp(pattern, "i"));
		const about = [...documents].filter(([, text]) => isAbout.test(text));
		if (!about.some(([path]) => path === nearest)) return [`${id}: not the subject of ${nearest}`];
		return about
			.filter(([, text]) => isAnswer.some((pattern) => pattern.test(text)))
			.map(([path]) => `${id}: ${path}`);
	});
	t.same(found, []);
});

t.test("quotes of comparisons and events stand where they say", async (t) => {
	const places = [
		...comparisons.flatMap(({ cells }) => cells.flatMap(({ evidence }) => evidence)),
		...events,
	];
	t.same(
		places.filter(({ file, quote }) => !flat(documents.get(file) ?? "").includes(flat(quote))),
		[],
	);
});

t.test("a comparison has two subjects and more, and names each cell once", async (t) => {
	for (const { id, cells } of comparisons) {
		t.ok(new Set(cells.map(({ subject }) => subject)).size >= 2, id);
		const names = cells.map(({ subject, attribute }) => `${subject}, ${attribute}`);
		t.equal(new Set(names).size, names.length, id);
	}
});

const MONTHS =
	"January February March April May June July August September October November December".split(
		" ",
	);

t.test("the date of an event is what its quote tells, no more precise", async (t) => {
	const untold = events.filter(({ date, quote }) => {
		const [year = "", month, day] = date.split("-");
		if (quote.includes(date)) return false;
		const name = month === undefined ? "" : (MONTHS[Number(month) - 1] ?? "");
		const told = [day && String(Number(day)), name, year].filter(Boolean).join(" ");
		return !quote.includes(told);
	});
	t.same(untold, []);
});

const flat = (text: string) => text.replace(/\s+/g, " ").trim();
