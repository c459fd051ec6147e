import type {
	JobJson,
	JobWork,
	PassContext,
	ReportFormat,
	WorkEnd,
	WorkProgress,
} from "../../src/contract/contract.js";
import { toIsoTime } from "../../src/kernel/kernel.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import { type RenderReport, toMarkdown, type Writer } from "../answers/answers.js";
import {
	type DeepDiveInput,
	type DeepDiveState,
	graphsOf,
	STATE_FORM,
	sourcesOf,
	startState,
	trendIdOf,
} from "./dive-state.js";
import { chooseGraphs, DIVE_MODES, makePlan, PASSES_OF } from "./plan.js";
import { quoteReport, writeReport } from "./report.js";
import { toReportDocument } from "./report-pages.js";
import type { DeepDiveReport } from "./report-wire.js";
import { type ResearchServices, runRound } from "./research-rounds.js";
import { type FeedObserver, readFeeds } from "./supplemental.js";

export interface DeepDiveDeps extends ResearchServices {
	readonly writer: Writer;
	/** Undefined while no feeds are registered. */
	readonly feeds?: FeedObserver | undefined;
	readonly renderReport: RenderReport;
}

/** What one deep dive knows, and its report once that is written. */
type Dive = DeepDiveState & { readonly report?: DeepDiveReport };

/** Looks into one question, round by round; every sentence it writes is carried by evidence it read. */
export function createDeepDiveWork(deps: DeepDiveDeps): JobWork {
	const toText = exportsOf(deps);
	return {
		kind: "deep_dive",
		passesOf: (input) => PASSES_OF[readInput(input).mode],
		start: (input) => toJson(startState(readInput(input))),
		async run(pass, json, context) {
			const before = { ...fromJson(json), asOf: toIsoTime(context.askedAt) };
			const after = await runPass(deps, before, { ...context, pass });
			context.progress(progressOf(deps, after));
			return toJson(after);
		},
		finish: (json) => endOf(deps.catalog, json),
		sourcesOf: (report) => toReport(report).evidence_table.map(toJson),
		exportOf: (report, format) => toText[format](toReport(report)),
	};
}

/** One pass. Those that older versions named and that are no more do nothing: what they did is done before the report is written. */
async function runPass(
	deps: DeepDiveDeps,
	state: Dive,
	{ pass, ...context }: PassContext & { readonly pass: string },
): Promise<Dive> {
	if (pass === "plan") return planDive(deps, state, context);
	if (pass.startsWith("round_")) return runRound(deps, state, context);
	if (pass === "feeds") return readFeeds(deps, state, context.signal);
	return pass === "write" ? writeDive(deps, state, context) : state;
}

async function planDive(
	{ search, catalog }: DeepDiveDeps,
	state: Dive,
	{ signal, emit }: PassContext,
): Promise<Dive> {
	const { query, mode } = state.input;
	const graphs = graphsOf(catalog, state);
	const plan = await makePlan(search, { query, mode, graphs, signal });
	emit({ event: "research.plan", data: toJson(plan) });
	const chosen = chooseGraphs(graphs, { mode, graphIds: plan.graphIds });
	const isChosen = chosen.length < graphs.length;
	return { ...state, graphIds: isChosen ? chosen.map(({ record }) => record.id) : [] };
}

async function writeDive(deps: DeepDiveDeps, state: Dive, context: PassContext): Promise<Dive> {
	const { signal, emit } = context;
	const read = await finishRounds(deps, state, context);
	const report = await writeReport(deps, read, signal);
	for (const [index, sentence] of report.abstract.entries()) {
		// A pass that is begun again reports the same again: its index identifies it.
		emit({ event: "research.output.delta", data: { index, ...sentence } });
	}
	emit({ event: "research.output.done", data: { findings: report.findings.length } });
	return { ...read, report };
}

/** A dive that an older version began has passes of other names, and comes to its end without its rounds: they are run now. */
async function finishRounds(
	deps: DeepDiveDeps,
	state: DeepDiveState,
	context: PassContext,
): Promise<DeepDiveState> {
	let read = state;
	while (read.ended === undefined && read.rounds.length < DIVE_MODES[read.input.mode].rounds) {
		read = await runRound(deps, read, context);
	}
	return read;
}

const exportsOf = ({
	renderReport,
}: Pick<DeepDiveDeps, "renderReport">): Readonly<
	Record<ReportFormat, (report: DeepDiveReport) => string>
> => ({
	json: (report) => `${JSON.stringify(report, null, "\t")}\n`,
	md: (report) => toMarkdown(toReportDocument(report)),
	html: (report) => renderReport(toReportDocument(report)),
});

/** A dive that was cancelled before it wrote hands over what it had read so far, quoted. */
function endOf(catalog: GraphCatalog, json: JobJson): WorkEnd {
	// Whichever version wrote it: a report is handed over as it is.
	const written = (json as { readonly report?: DeepDiveReport }).report;
	const report = written ?? quoteReport(catalog, fromJson(json));
	const isAnswer =
		report.abstract.length + report.findings.length > 0 || (report.table ?? null) !== null;
	const done = isAnswer ? "done" : "no evidence";
	return { report: toJson(report), isAnswer, stopReason: written ? done : "stopped early" };
}

/** Distinct addresses behind everything that was found, and behind what was read of it. */
function progressOf({ catalog }: DeepDiveDeps, state: DeepDiveState): WorkProgress {
	const read = new Set(state.passages.map(({ passageId }) => trendIdOf(passageId)));
	return {
		considered: sourcesOf(catalog, state.found).size,
		read: sourcesOf(catalog, read).size,
	};
}

const readInput = (input: JobJson): DeepDiveInput => input as unknown as DeepDiveInput;

/** The state as it was kept; of another form, the start of the same dive. */
function fromJson(json: JobJson): Dive {
	const state = json as unknown as Dive;
	return state.form === STATE_FORM ? state : startState(state.input);
}

const toReport = (json: JobJson): DeepDiveReport => json as unknown as DeepDiveReport;
const toJson = (value: object): JobJson => value as JobJson;
