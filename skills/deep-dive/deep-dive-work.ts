import type {
	JobJson,
	JobWork,
	PassContext,
	ReportFormat,
	WorkEnd,
	WorkProgress,
} from "../../src/contract/contract.js";
import { isSpokenOf, toCitedSentences } from "../../src/evidence/evidence.js";
import { toIsoTime } from "../../src/kernel/kernel.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import { toHtml, toMarkdown, type Writer } from "../answers/answers.js";
import {
	conceptOf,
	type DeepDiveInput,
	type DeepDiveMode,
	type DeepDivePass,
	type DeepDiveState,
	makePlan,
	PASSES_OF,
	sidesOf,
	sourcesOf,
	startState,
} from "./plan.js";
import { type DeepDiveReport, quoteReport, toReportDocument, writeReport } from "./report.js";
import {
	challengeFindings,
	type FeedObserver,
	followGraph,
	graphsOf,
	type ResearchServices,
	readFeeds,
	readFound,
	searchAspects,
	verifyFindings,
} from "./research-passes.js";

export interface DeepDiveDeps extends ResearchServices {
	readonly writer: Writer;
	/** Undefined while no feeds are registered. */
	readonly feeds?: FeedObserver | undefined;
}

/** Aspects asked at first; a comprehensive dive asks the others once it has read. */
const FIRST_ASPECTS: Readonly<Record<DeepDiveMode, number>> = { fast: 20, comprehensive: 6 };

/** What one deep dive knows, and its report once that is written. */
type Dive = DeepDiveState & { readonly report?: DeepDiveReport };
type Pass = (deps: DeepDiveDeps, state: Dive, context: PassContext) => Promise<Dive>;

/** Looks into one question over all graphs, pass by pass; every sentence it writes is carried by evidence it read. */
export function createDeepDiveWork(deps: DeepDiveDeps): JobWork {
	return {
		kind: "deep_dive",
		passesOf: (input) => PASSES_OF[readInput(input).mode],
		start: (input) => toJson(startState(readInput(input))),
		async run(pass, json, context) {
			const before = { ...fromJson(json), asOf: toIsoTime(context.askedAt) };
			const after = await PASSES[pass as DeepDivePass](deps, before, context);
			context.progress(progressOf(deps, after));
			return toJson(after);
		},
		finish: (json) => endOf(deps.catalog, fromJson(json)),
		sourcesOf: (report) => toReport(report).evidence_table.map(toJson),
		exportOf: (report, format) => EXPORTS[format](toReport(report)),
	};
}

const PASSES: Readonly<Record<DeepDivePass, Pass>> = {
	async plan({ search, catalog }, state, { signal, emit }) {
		const { query, mode } = state.input;
		const graphs = graphsOf(catalog, state);
		const plan = await makePlan(search, { query, mode, graphs, signal });
		emit({ event: "research.plan", data: toJson(plan) });
		return { ...state, plan };
	},
	async search(deps, state, context) {
		const asked = await searchAspects(deps, state, { ...context, aspects: [0, firstOf(state)] });
		// Of a subject that no graph knows, whatever else was found is about something else.
		const isAbout = isCovered(asked) && speaksOfAdded(deps.catalog, asked);
		return isAbout ? asked : { ...asked, found: [], answered: [] };
	},
	read: (deps, state, { signal }) => readFound(deps, state, signal),
	follow: async (deps, state, { signal }) =>
		readFound(deps, await followGraph(deps, state, signal), signal),
	async deepen(deps, state, context) {
		if (!isCovered(state)) return state;
		const asked = await searchAspects(deps, state, { ...context, aspects: [firstOf(state)] });
		return readFound(deps, asked, context.signal);
	},
	challenge: (deps, state, { signal }) => challengeFindings(deps, state, signal),
	verify: (deps, state, { signal }) => verifyFindings(deps, state, signal),
	feeds: ({ feeds }, state, { signal }) => readFeeds(feeds, state, signal),
	async write(deps, state, { signal, emit }) {
		const report = await writeReport(deps, state, signal);
		for (const [index, sentence] of report.abstract.entries()) {
			// A pass that is begun again reports the same again: its index identifies it.
			emit({ event: "research.output.delta", data: { index, ...sentence } });
		}
		emit({ event: "research.output.done", data: { findings: report.findings.length } });
		return { ...state, report };
	},
};

const EXPORTS: Readonly<Record<ReportFormat, (report: DeepDiveReport) => string>> = {
	json: (report) => `${JSON.stringify(report, null, "\t")}\n`,
	md: (report) => toMarkdown(toReportDocument(report)),
	html: (report) => toHtml(toReportDocument(report)),
};

/** A dive that was cancelled before it wrote hands over what it had read so far, quoted. */
function endOf(catalog: GraphCatalog, state: Dive): WorkEnd {
	const report = state.report ?? quoteReport(catalog, state);
	const isAnswer = report.findings.length > 0;
	const done = isAnswer ? "done" : "no evidence";
	return { report: toJson(report), isAnswer, stopReason: state.report ? done : "stopped early" };
}

function firstOf({ input, plan }: DeepDiveState): number {
	const core = (plan?.aspects ?? []).filter(({ isCore }) => isCore).length;
	return Math.max(FIRST_ASPECTS[input.mode], core);
}

/** Whether the search answers the question, or each side of what it compares: that it names a thing makes it no question about it. */
function isCovered({ input, plan, answered }: DeepDiveState): boolean {
	const placeOf = (asked: string) =>
		plan?.aspects.findIndex(({ question }) => question === asked) ?? -1;
	const sides = sidesOf(input.query);
	const isAnswered = (asked: string) => answered.includes(placeOf(asked));
	return isAnswered(input.query) || (sides.length > 0 && sides.every(isAnswered));
}

/** Whether what was found says something of what a follow-up put beside the question before. */
function speaksOfAdded(catalog: GraphCatalog, { input, found }: DeepDiveState): boolean {
	if (input.added === undefined) return true;
	const sentences = found.flatMap(({ trendId }) => {
		const known = conceptOf(catalog, trendId);
		return known ? toCitedSentences(known.graph, known.concept) : [];
	});
	return isSpokenOf(input.added, sentences);
}

/** Distinct addresses behind everything that was found, and behind what was read of it. */
function progressOf({ catalog }: DeepDiveDeps, state: DeepDiveState): WorkProgress {
	const found = state.found.map(({ trendId }) => trendId);
	const read = sourcesOf(catalog, state.readConcepts).size;
	return { considered: sourcesOf(catalog, found).size, read };
}

const readInput = (input: JobJson): DeepDiveInput => input as unknown as DeepDiveInput;
const fromJson = (json: JobJson): Dive => json as unknown as Dive;
const toReport = (json: JobJson): DeepDiveReport => json as unknown as DeepDiveReport;
const toJson = (value: object): JobJson => value as JobJson;
