/** `npm run bench -- [store routes mcp ledger hostile load claims gate writer decision answers off-topic] [--json] [--sqlite <folder>] [--imports <folder>] [--judge <folder>] [--every N]`: measurements with their baselines in the same run; all parts but `decision`, `answers` and `off-topic` unless some are named. */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchAnswers } from "./answers-bench.js";
import { benchClaims, type ClaimsReport } from "./claims-bench.js";
import { toConfusionLines } from "./claims-evaluation.js";
import { benchDecision } from "./decision-bench.js";
import { benchGate } from "./gate-bench.js";
import { benchHostile } from "./hostile-bench.js";
import { benchLedger } from "./ledger-bench.js";
import { benchCatalogLoad } from "./load-bench.js";
import { benchMcp } from "./mcp-bench.js";
import { benchOffTopic } from "./off-topic-bench.js";
import { benchRoutes } from "./route-bench.js";
import { type Bar, toBarLine } from "./search/bars.js";
import { benchStore, type StoreReport, toStoreLines } from "./store-bench.js";
import { benchWriter } from "./writer-bench.js";

const PARTS = {
	store: (folder: string) => benchStore({ seconds: 3, folder, sqliteFolder: options.sqlite }),
	routes: benchRoutes,
	mcp: benchMcp,
	ledger: benchLedger,
	hostile: benchHostile,
	load: (folder: string) => benchCatalogLoad(folder, { model: options.model }),
	claims: (folder: string) => benchClaims(folder, options.judge),
	gate: () => benchGate(options.judge),
	writer: () => benchWriter(options.judge),
	decision: () => benchDecision(options.imports),
	answers: () => benchAnswers(join(tmpdir(), "tollgraph-bench-answers"), options),
	"off-topic": (folder: string) => benchOffTopic(folder, Math.max(1, Number(options.every) || 1)),
};
type PartName = keyof typeof PARTS;

const { values: options, positionals } = parseArgs({
	options: {
		json: { type: "boolean", default: false },
		/** Of the part `load`: with an embedding model every concept is embedded first, which takes minutes. */
		model: { type: "string", default: "none" },
		/** Of the part `store`: a folder where better-sqlite3 is installed. */
		sqlite: { type: "string" },
		/** Of the parts `decision` and `answers`: holds the folders that its questions are about. */
		imports: { type: "string" },
		/** Of the parts `claims`, `gate`, `writer` and `answers`: folder of the judge; models/judge by default. */
		judge: { type: "string" },
		/** Of the part `off-topic`: asks one question in so many. */
		every: { type: "string", default: "1" },
	},
	allowPositionals: true,
});
const isPart = (name: string): name is PartName => Object.hasOwn(PARTS, name);
const unknown = positionals.find((name) => !isPart(name));
if (unknown !== undefined) {
	process.stderr.write(
		`No part is called "${unknown}"; name some of ${Object.keys(PARTS).join(", ")}.\n`,
	);
	process.exit(2);
}
/** What needs documents from elsewhere, and what takes many minutes. */
const UNASKED: readonly string[] = ["decision", "answers", "off-topic"];
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
	const { claims, store } = report as {
		readonly claims?: ClaimsReport;
		readonly store?: StoreReport;
	};
	for (const line of options.json || !store ? [] : toStoreLines(store)) {
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
				report["hostile"],
				report["decision"],
				report["gate"],
				report["writer"],
				report["answers"],
				report["off-topic"],
				claims,
			]) {
		const { bars = [] } = (part ?? {}) as { readonly bars?: readonly Bar[] };
		for (const bar of bars) process.stdout.write(`${toBarLine(bar)}\n`);
	}
} finally {
	rmSync(folder, { recursive: true, force: true });
}
