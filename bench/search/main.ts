/** `npm run bench:search`: how good search is and what it costs, beside other engines on the same texts. */
import { rmSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import type { Bar } from "./bars.js";
import { toBarLine } from "./bars.js";
import { BUNDLED, BUNDLED_JUDGE, inTemporaryFolder } from "./our-index.js";
import type { PartOutcome, PartTools } from "./part.js";
import { DEFAULT_PARTS, isPart, PARTS, type PartName } from "./parts.js";
import { createPreparedFolders } from "./prepared-folders.js";

const USAGE = `npm run bench:search -- [--only quality,speed,start,rate,http,events,change,scale,learn,calibrate] [--json]
  quality  ranking and abstention on labelled questions, and on ../shared/data/dev where that is there; bars on the decision are set
           on the fresh questions, which nothing was tuned on, bars on the ranking also on one half of those that were seen, which
           the ranking was not tuned on, and on the development set
  speed    per query, of which every fifth holds a typo, beside MiniSearch and Orama at --sizes (10000,100000); 1000000 takes
           some minutes and 3 GB
  start    from the spawn of a process to its first answer at 30,000 concepts
  rate     hybrid queries a second on one core at 30,000 concepts
  http     unpaid searches a second over HTTP at 30,000 concepts
  events   delay of the event loop while 1,000 concepts are embedded and 50 clients search
  change   from a change of one concept until it is found, at 100,000 concepts
  scale    the dense side at 10,000, 100,000 and 1,000,000 rows; only when asked for, since it takes minutes
  learn    weights of the ranking from one half of the labelled questions; only when asked for
  calibrate  weights and limits of the decision from both halves that were seen, and never from the fresh questions; only when
           asked for; with --write they go into src/search/ranking/decision-weights.ts
Sizes for a short look, whose bars mean nothing: --at 30000, --many 100000 (change), --rows 10000,100000,1000000 (scale).
--model <dir> for every part, --questions <n> of the development set (800). Progress goes to stderr, the report to stdout.
`;

const LEAST_SIZE = 1_000;

const { values: options } = parseArgs({
	options: {
		help: { type: "boolean", default: false },
		json: { type: "boolean", default: false },
		/** Concepts of each speed run. */
		sizes: { type: "string", default: "10000,100000" },
		at: { type: "string", default: "30000" },
		many: { type: "string", default: "100000" },
		rows: { type: "string", default: "10000,100000,1000000" },
		model: { type: "string", default: BUNDLED.folder },
		judge: { type: "string", default: BUNDLED_JUDGE.folder },
		/** Folders whose questions `calibrate` fits to as well (bench/labelled/decision/fit). */
		imports: { type: "string" },
		/** What `calibrate` fits goes into src/search/ranking/decision-weights.ts. */
		write: { type: "boolean", default: false },
		only: { type: "string", default: DEFAULT_PARTS.join(",") },
		/** About so many of the development set: the other engines take long for each. */
		questions: { type: "string", default: "800" },
	},
});
const names = options.only.split(",");
const numbers = (text: string) => text.split(",").map(Number);
const sizes = {
	speed: numbers(options.sizes),
	usual: Number(options.at),
	many: Number(options.many),
	rows: numbers(options.rows),
};
const isUsable = Object.values(sizes)
	.flat()
	.every((size) => size >= LEAST_SIZE);
if (options.help) process.stdout.write(USAGE);
else if (names.every(isPart) && isUsable) await run(names);
else {
	process.stderr.write(USAGE);
	process.exitCode = 2;
}

async function run(parts: readonly PartName[]): Promise<void> {
	const model = { folder: options.model, sums: "if-there" as const };
	const reports: Record<string, unknown> = {};
	const bars: Bar[] = [];
	await inTemporaryFolder(async (folder) => {
		process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
		for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
		const prepared = createPreparedFolders({ folder, model, say });
		const tools = {
			model,
			sizes,
			questions: Number(options.questions),
			judge: { folder: options.judge, sums: "if-there" as const },
			imports: options.imports,
			isWriting: options.write,
			prepared,
			say,
		};
		for (const part of parts) {
			say(part);
			const outcome = await measurePart(part, tools);
			reports[part] = outcome.report;
			bars.push(...outcome.bars);
			for (const bar of outcome.bars) say(`  ${toBarLine(bar)}`);
		}
		reports["builds"] = prepared.figures();
	});
	const machine = {
		node: process.version,
		cpu: cpus()[0]?.model ?? "unknown",
		cores: cpus().length,
	};
	const report = { machine, ...reports, bars };
	process.stdout.write(`${JSON.stringify(report, undefined, options.json ? 0 : 2)}\n`);
}

/** A part that fails says so in the report: what the others measured is worth having. */
async function measurePart(part: PartName, tools: PartTools): Promise<PartOutcome> {
	try {
		return await PARTS[part](tools);
	} catch (error) {
		process.exitCode = 1;
		say(`  FAILED ${error instanceof Error ? error.stack : String(error)}`);
		return { report: { failure: String(error) }, bars: [] };
	}
}

function say(text: string): void {
	process.stderr.write(`${text}\n`);
}
