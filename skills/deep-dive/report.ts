import { WRITER_LIMITS } from "../../src/contract/contract.js";
import { type CitedSentence, type EvidencePassage, titled } from "../../src/evidence/evidence.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import type { JudgedSearch } from "../../src/search/search.js";
import {
	type ComposedAnswer,
	composeFrom,
	type Denial,
	findContradictions,
	type Prose,
	passagesOf,
	type ScoredPassage,
	type Writer,
	writeFromPassages,
} from "../answers/answers.js";
import {
	areOfOneAccount,
	type DeepDiveState,
	ENDS,
	evidenceOf,
	passagesOfState,
} from "./dive-state.js";
import { DIVE_MODES } from "./plan.js";
import {
	type Composition,
	composeReport,
	type DeepDiveReport,
	type Printed,
} from "./report-wire.js";

interface DiveWriter {
	readonly catalog: GraphCatalog;
	readonly search: JudgedSearch;
	readonly writer: Writer;
}

/** Words of evidence that the answer takes before the findings. */
const ABSTRACT_WORDS = 150;
const ABSTRACT_SENTENCES = 6;
/** Passages, the likeliest, whose sentences are held against each other. */
const DISPUTED_PASSAGES = 80;
const DISPUTED_LEAST = 0.12;
/** Passages that the encoder compares, so that none says again what another does. */
const COMPARED_MOST = 160;

const NO_PROSE: Prose = { sentences: [], writer: "extractive", warnings: [] };

/** Writes the report of all rounds from one choice of passages: nothing in it but cited sentences, counts and the question's own words. */
export async function writeReport(
	{ catalog, search, writer }: DiveWriter,
	state: DeepDiveState,
	signal: AbortSignal,
): Promise<DeepDiveReport> {
	const { query: question, mode } = state.input;
	const evidence = evidenceOf(catalog, state);
	if (state.ended === ENDS.refused) return composeReport(catalog, state, toNothing(state));
	const passages = await withVectors(search, evidence.passages);
	const { tokens } = DIVE_MODES[mode];
	const read = { ...evidence, passages };
	const composed = await composeFrom(search, { question, tokens, signal }, read);
	if (composed.verdict === "not_in_graphs") {
		return composeReport(catalog, state, toNothing(state));
	}
	const likely = passages.filter(({ answers }) => Math.max(...answers) >= DISPUTED_LEAST);
	const sentences = likely.slice(0, DISPUTED_PASSAGES).flatMap(({ passage }) => passage.sentences);
	const denials = await findContradictions(search.judge, sentences, signal);
	const { printed, disputes } = withOpponents(composed, passages, denials);
	// What another passage denies is a finding, which says so.
	const others = new Set(disputes.map(({ other }) => toId(other)));
	const undisputed = printed.filter(
		({ passage }) => !passage.sentences.some((one) => others.has(toId(one))),
	);
	const lead = chooseLead(undisputed, passages);
	const { warnings, ...written } = await writeFromPassages(
		{
			...{ question, signal, purpose: "Answer the question in a short abstract." },
			offered: printed.flatMap(({ passage }) => passage.sentences),
			passages: lead.map(({ passage }) => passage.sentences),
			...{ quotedMax: lead.length, sentencesMax: ABSTRACT_SENTENCES },
			limitMs: WRITER_LIMITS.timeoutMostMs,
		},
		{ writer, judge: search.judge },
	);
	const abstract = { ...written, warnings };
	const inAbstract = passagesIn(abstract, printed);
	const { verdict, table, gaps } = composed;
	const open = gaps.map(({ part }) => part);
	return composeReport(catalog, state, {
		verdict,
		printed,
		table,
		open,
		disputes,
		abstract,
		inAbstract,
	});
}

/** The report of a dive that was ended before it wrote: what was read until then, quoted. */
export function quoteReport(catalog: GraphCatalog, state: DeepDiveState): DeepDiveReport {
	const { answer } = state;
	if (!answer || answer.verdict === "not_in_graphs") {
		return composeReport(catalog, state, toNothing(state));
	}
	const passages = passagesOfState(catalog, state);
	const byId = new Map(passages.map((one) => [one.passage.passageId, one.passage]));
	const printed = answer.chosen.flatMap(({ passageId, part }) => {
		const passage = byId.get(passageId);
		return passage ? [{ passage, part }] : [];
	});
	const lead = chooseLead(printed, passages);
	const abstract = {
		sentences: lead.map(({ passage: { text, sentences } }) => ({ text, evidence: sentences })),
		writer: "extractive",
		warnings: ["The research was ended before all of its passes had run."],
	};
	return composeReport(catalog, state, {
		...{ verdict: answer.verdict, printed, table: undefined, disputes: [], abstract },
		open: state.rounds.at(-1)?.open ?? [],
		inAbstract: passagesIn(abstract, printed),
	});
}

function toNothing({ rounds }: DeepDiveState): Composition {
	const open = rounds.at(-1)?.open ?? [];
	return {
		...{ verdict: "not_in_graphs", printed: [], table: undefined, disputes: [], open },
		...{ abstract: NO_PROSE, inAbstract: new Set() },
	};
}

/** The likeliest passages with their vectors; as they are without an encoder, and where it fails. */
async function withVectors(
	{ embedder }: Pick<JudgedSearch, "embedder">,
	passages: readonly ScoredPassage[],
): Promise<readonly ScoredPassage[]> {
	if (!embedder) return passages;
	const compared = passages.slice(0, COMPARED_MOST);
	const texts = compared.map(({ passage: { concept, heading, text } }) =>
		titled([concept.title, heading ?? ""], [text]),
	);
	try {
		const vectors = await embedder.embed(texts, "passage");
		return passages.map((one, at) => ({ ...one, vector: vectors[at] }));
	} catch (error) {
		if (error instanceof ServiceError) return passages;
		throw error;
	}
}

/** What is printed, with the other side of what is disputed; parts of one account dispute nothing. */
function withOpponents(
	{ blocks, table }: ComposedAnswer,
	passages: readonly ScoredPassage[],
	denials: readonly Denial[],
): Pick<Composition, "printed" | "disputes"> {
	const printed: Printed[] = blocks.map(({ passage, part }) => ({ passage, part }));
	const holderOf = new Map(
		passages.flatMap(({ passage }) => passage.sentences.map((one) => [one.evidenceId, passage])),
	);
	const shown = new Set(passagesOf({ blocks, table }).flatMap((said) => said.map(toId)));
	const disputes = denials
		.filter(({ one, other }) => !areOfOneAccount(one, other))
		// The side that is printed first.
		.map((denial) => (shown.has(toId(denial.one)) ? denial : swap(denial)))
		.filter(({ one }) => shown.has(toId(one)));
	for (const { one, other } of disputes) {
		const passage = holderOf.get(toId(other));
		if (!passage || shown.has(toId(other))) continue;
		const beside = printed.find((own) =>
			own.passage.sentences.some((said) => toId(said) === toId(one)),
		);
		printed.push({ passage, part: beside?.part ?? 0 });
		for (const said of passage.sentences) shown.add(toId(said));
	}
	return { printed, disputes };
}

function swap(denial: Denial): Denial {
	return { ...denial, one: denial.other, other: denial.one };
}

function toId({ evidenceId }: CitedSentence): string {
	return evidenceId;
}

/** The passages that answer the question itself best, as many as the abstract has room for, one at least. */
function chooseLead(
	printed: readonly Printed[],
	passages: readonly ScoredPassage[],
): readonly Printed[] {
	const whole = new Map(passages.map(({ passage, answers: [own = 0] }) => [passage, own]));
	const order = [...printed].sort(
		(a, b) => (whole.get(b.passage) ?? 0) - (whole.get(a.passage) ?? 0),
	);
	const lead: Printed[] = [];
	let words = 0;
	for (const one of order) {
		words += one.passage.text.split(/\s+/).length;
		if (lead.length > 0 && words > ABSTRACT_WORDS) break;
		lead.push(one);
	}
	return lead;
}

/** The passages that prose rests on. */
function passagesIn(
	{ sentences }: Prose,
	printed: readonly Printed[],
): ReadonlySet<EvidencePassage> {
	const ids = new Set(sentences.flatMap(({ evidence }) => evidence.map(toId)));
	const stated = printed.filter(({ passage }) =>
		passage.sentences.some((one) => ids.has(toId(one))),
	);
	return new Set(stated.map(({ passage }) => passage));
}
