/**
 * `npm run bench -- [store routes mcp ledger hostile load mixed import postgres growth balanced migration claims gate writer explorer decision answers near-misses forms pages scale off-topic] [--json]
 * [--sqlite <folder>] [--store-url <url>] [--transactions N] [--imports <folder>] [--judge <folder>] [--products all|<name,…>] [--every N] [--author N …]`: measurements with
 * their baselines in the same run; those that need a database or a browser, and those from `decision` on, only where they are named. `answers --products … --sheet <file>
 * [--with <replies,…>] [--version <name>]` writes replies for blind grading too, `answers --sheet <file> --grades <file,…>` joins grades.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchAnswers } from "./answers-bench.js";
import { benchBalanced } from "./balanced-bench.js";
import { benchClaims, type ClaimsReport } from "./claims-bench.js";
import { toConfusionLines } from "./claims-evaluation.js";
import { benchDecision } from "./decision-bench.js";
import { benchExplorer } from "./explorer-bench.js";
import { benchForms } from "./forms-bench.js";
import { benchGate } from "./gate-bench.js";
import { joinGrades } from "./grading-sheet.js";
import { benchHostile } from "./hostile-bench.js";
import { benchImport } from "./import-bench.js";
import { benchLedger } from "./ledger-bench.js";
import { benchCatalogLoad } from "./load-bench.js";
import { benchMcp } from "./mcp-bench.js";
import { benchMigration } from "./migration-bench.js";
import { benchMixed } from "./mixed-bench.js";
import { benchNearMisses } from "./near-misses-bench.js";
import { benchOffTopic } from "./off-topic-bench.js";
import { benchPages } from "./pages-bench.js";
import { benchGrowth, benchPostgres } from "./postgres-bench.js";
import { benchProducts, type ProductsReport, toProductLines } from "./product-bench.js";
import { benchRoutes } from "./route-bench.js";
import { benchScale } from "./scale-bench.js";
import { type Bar, toBarLine } from "./search/bars.js";
import { benchStore, type StoreReport, toStoreLines } from "./store-bench.js";
import { benchWriter } from "./writer-bench.js";

const PARTS = {
	store: (folder: string) => benchStore({ seconds: 3, folder, sqliteFolder: options.sqlite }),
	postgres: (folder: string) => benchPostgres(folder, options["store-url"]),
	growth: () => benchGrowth(options["store-url"], Number(options.transactions)),
	balanced: (folder: string) => benchBalanced(folder, options["store-url"]),
	migration: (folder: string) => benchMigration(folder, options["store-url"]),
	routes: benchRoutes,
	mcp: benchMcp,
	ledger: benchLedger,
	hostile: benchHostile,
	load: (folder: string) => benchCatalogLoad(folder, { model: options.model }),
	mixed: (folder: string) => benchMixed(folder, Math.max(1, Number(options.seconds) || 1)),
	import: benchImport,
	claims: (folder: string) => benchClaims(folder, options.judge),
	gate: () => benchGate(options.judge),
	writer: () => benchWriter(options.judge),
	explorer: benchExplorer,
	decision: () => benchDecision(options.imports),
	answers: (folder: string) => benchAnswersAsAsked(folder),
	"near-misses": (folder: string) => benchNearMisses(folder, options),
	forms: (folder: string) => benchForms(folder, options),
	pages: benchPages,
	scale: (folder: string) => benchScale(folder),
	"off-topic": (folder: string) => benchOffTopic(folder, Math.max(1, Number(options.every) || 1)),
};
type PartName = keyof typeof PARTS;

const { values: options, positionals } = parseArgs({
	options: {
		json: { type: "boolean", default: false },
		/** Of the part `load`: with an embedding model every concept is embedded first, which takes minutes. */
		model: { type: "string", default: "none" },
		/** Of the part `mixed`. */
		seconds: { type: "string", default: "30" },
		/** Of the part `store`: a folder where better-sqlite3 is installed. */
		sqlite: { type: "string" },
		/** Of the part `growth`: how many the grown books hold. */
		transactions: { type: "string", default: "1000000" },
		/** Of the parts `postgres`, `growth`, `balanced` and `migration`: a database that they may fill. */
		"store-url": { type: "string" },
		/** Of the parts `decision` and `answers`: holds the folders that its questions are about. */
		imports: { type: "string" },
		/** Of the parts `claims`, `gate`, `writer` and `answers`: folder of the judge; models/judge by default. */
		judge: { type: "string" },
		/** Of the parts that ask products: one question in so many. */
		every: { type: "string", default: "1" },
		/** Of the parts `answers`, `near-misses` and `forms`: names of products, with commas between them, or `all`. */
		products: { type: "string" },
		/** Of the part `answers` with products: only these authors' questions. */
		author: { type: "string", multiple: true },
		/** The same: where a sheet for blind grading goes, replies of other runs on it, and what this version is called. */
		sheet: { type: "string" },
		with: { type: "string" },
		version: { type: "string" },
		/** Of the part `answers` with a sheet: files with what readers gave. */
		grades: { type: "string" },
	},
	allowPositionals: true,
});
/** Of the engine behind `answer` alone, of products, or what grades of an earlier sheet say. */
function benchAnswersAsAsked(folder: string): Promise<unknown> | unknown {
	const { grades, sheet, products } = options;
	if (grades !== undefined) return joinGrades({ grades, sheet: sheet ?? "" });
	if (products !== undefined) return benchProducts(folder, options);
	return benchAnswers(join(tmpdir(), "tollgraph-bench-answers"), options);
}
const isPart = (name: string): name is PartName => Object.hasOwn(PARTS, name);
const unknown = positionals.find((name) => !isPart(name));
if (unknown !== undefined) {
	process.stderr.write(
		`No part is called "${unknown}"; name some of ${Object.keys(PARTS).join(", ")}.\n`,
	);
	process.exit(2);
}
/** What needs documents from elsewhere or a browser, and what takes many minutes. */
const UNASKED: readonly string[] = [
	"postgres",
	"growth",
	"balanced",
	"migration",
	"explorer",
	"decision",
	"answers",
	"near-misses",
	"forms",
	"pages",
	"scale",
	"off-topic",
];
const names =
	positionals.length > 0
		? positionals
		: Object.keys(PARTS).filter((name) => !UNASKED.includes(name));
const folder = mkdtempSync(join(tmpdir(), "tollgraph-bench-"));
try {
	const machine = {
		node: process.version,
		cpu: cpus()[0]?.model ?? "unknown",
		cores: cpus().length,
	};
	const report: Record<string, unknown> = { machine };
	for (const name of names.filter(isPart)) report[name] = await PARTS[name](join(folder, name));
	const text = options.json ? JSON.stringify(report) : JSON.stringify(report, undefined, 2);
	process.stdout.write(`${text}\n`);
	const { answers, claims, store } = report as {
		readonly answers?: Partial<ProductsReport>;
		readonly claims?: ClaimsReport;
		readonly store?: StoreReport;
	};
	for (const line of options.json || !store ? [] : toStoreLines(store)) {
		process.stdout.write(`${line}\n`);
	}
	const isOfProducts = !options.json && options.products !== undefined && answers?.bars;
	for (const line of isOfProducts ? toProductLines(answers as ProductsReport) : []) {
		process.stdout.write(`${line}\n`);
	}
	for (const [part, figures] of Object.entries(options.json ? {} : (claims?.parts ?? {}))) {
		process.stdout.write(`${part}\n${toConfusionLines(figures).join("\n")}\n`);
	}
	for (const part of options.json
		? []
		: [
				report["mcp"],
				report["load"],
				report["mixed"],
				report["import"],
				report["hostile"],
				report["decision"],
				report["gate"],
				report["writer"],
				report["explorer"],
				report["answers"],
				report["near-misses"],
				report["forms"],
				report["scale"],
				report["off-topic"],
				claims,
			]) {
		const { bars = [] } = (part ?? {}) as { readonly bars?: readonly Bar[] };
		for (const bar of bars) process.stdout.write(`${toBarLine(bar)}\n`);
	}
} finally {
	rmSync(folder, { recursive: true, force: true });
}
