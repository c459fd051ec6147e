import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { readBundleFolder } from "../../src/knowledge/bundle/bundle-folder.js";
import type { BundleReading } from "../../src/knowledge/bundle/bundle-reader.js";
import { lintGraph } from "../knowledge/lint-graph.js";
import {
	type CatalogQuestion,
	type Fault,
	faultsOfQuestions,
	findFaults,
	findRepeats,
	findSharedTitles,
	type GraphFigures,
	measure,
	readQuestions,
} from "./catalog-rules.js";

const GRAPHS = "graphs";
const QUESTIONS = join("test", "catalog");
/** The day the catalog was last checked; nothing in it may be newer. */
const CHECKED_ON = "2026-11-30";

/** Findings of the reader and of the whole graph that no graph on sale may have. */
const REFUSED = new Set([
	"broken-link",
	"uncited",
	"duplicate-title",
	"duplicate-alias",
	"no-record",
	"bad-address",
]);

export async function listGraphs(): Promise<readonly string[]> {
	const entries = await readdir(GRAPHS, { withFileTypes: true });
	return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

export async function readCatalog(names: readonly string[]): Promise<readonly BundleReading[]> {
	return Promise.all(names.map((name) => readBundleFolder(join(GRAPHS, name))));
}

export async function readQuestionsOf(name: string): Promise<readonly CatalogQuestion[]> {
	return readQuestions(await readFile(join(QUESTIONS, `${name}.tsv`), "utf8"));
}

interface CatalogCheck {
	readonly faults: readonly string[];
	readonly table: string;
	/** A concept has on average. */
	readonly typedEdges: number;
	/** Supersessions and contradictions that say from when. */
	readonly dated: number;
}

/** Checks the graphs named, or all; what is compared across graphs is compared among these. */
export async function checkCatalog(named: readonly string[]): Promise<CatalogCheck> {
	const names = named.length > 0 ? named : await listGraphs();
	const readings = await readCatalog(names);
	const graphs = readings.map(({ graph }) => graph);
	const faults: Fault[] = [...findRepeats(graphs), ...findSharedTitles(graphs)];
	for (const reading of readings) {
		const { graph } = reading;
		faults.push(
			...faultsOfReading(reading),
			...graph.concepts.flatMap((concept) => findFaults(graph, concept)),
			...(await questionFaults(reading)),
		);
	}
	const figures = graphs.map((graph) => ({ id: graph.record.id, ...measure(graph) }));
	const concepts = figures.reduce((sum, row) => sum + row.concepts, 0);
	const edges = figures.reduce((sum, row) => sum + row.typedEdges * row.concepts, 0);
	return {
		faults: faults.map(({ file, fault }) => `${file}: ${fault}`),
		table: toTable(figures),
		typedEdges: edges / Math.max(concepts, 1),
		dated: figures.reduce((sum, row) => sum + row.dated, 0),
	};
}

function faultsOfReading(reading: BundleReading): readonly Fault[] {
	return lintGraph(reading, { today: CHECKED_ON })
		.filter(({ severity, rule }) => severity === "error" || REFUSED.has(rule))
		.map(({ file, message }) => ({ file: `${reading.graph.record.id}/${file}`, fault: message }));
}

async function questionFaults({ graph }: BundleReading): Promise<readonly Fault[]> {
	try {
		return faultsOfQuestions(graph, await readQuestionsOf(graph.record.id));
	} catch (error) {
		return [{ file: `questions of ${graph.record.id}`, fault: String(error) }];
	}
}

function toTable(figures: readonly (GraphFigures & { readonly id: string })[]): string {
	const rows = figures.map(({ id, words, ...row }) => [
		id,
		String(row.concepts),
		row.typedEdges.toFixed(2),
		words.join("/"),
		`${(100 * row.tables).toFixed(0)} %`,
		String(row.dated),
		row.grade.toFixed(1),
		String(row.sentences),
		String(row.sources),
	]);
	const head = "graph concepts edges words tables dated grade sentences sources".split(" ");
	return [head, ...rows]
		.map(([id = "", ...cells]) => id.padEnd(32) + cells.map((one) => one.padStart(13)).join(""))
		.join("\n");
}
