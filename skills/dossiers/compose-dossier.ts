import { ANSWER_LIMITS, type Decision, type SkillServices } from "../../src/contract/contract.js";
import { daysOf } from "../../src/evidence/evidence.js";
import { type Graph, toTrendId } from "../../src/knowledge/knowledge.js";
import {
	type CitationList,
	type ComposedAnswer,
	composeTopic,
	confidenceOfFinding,
	createCitationList,
	type Denial,
	decisionOf,
	extractiveWriter,
	type Prose,
	profileSources,
	type Writer,
	writeFromPassages,
} from "../answers/answers.js";
import type { Feeds } from "../feeds/feeds.js";
import { bestTier } from "../verify/verify.js";
import { toAuthority, toEntities, toEvidenceTable } from "./dossier-evidence.js";
import { listGaps, toEmptyBody } from "./dossier-gaps.js";
import {
	type ArrangedPassages,
	arrangePassages,
	type DossierPassage,
	independentOf,
	passagesOf,
} from "./dossier-passages.js";
import { toEvents } from "./dossier-timeline.js";
import { DOSSIER_LIMITS, type DossierBody, type DossierWire } from "./dossier-wire.js";

interface DossierParts extends Pick<SkillServices, "search"> {
	readonly writer: Writer;
	/** Where feeds that bear on a topic are found; none where absent. */
	readonly feeds?: Pick<Feeds, "choose"> | undefined;
}

interface DossierTask {
	readonly topic: string;
	/** Graphs to read, or to choose from where `isRouted`. */
	readonly graphs: readonly Graph[];
	readonly isRouted: boolean;
	/** `YYYY-MM-DD`: sources published later do not count. */
	readonly asOf: string;
	readonly signal: AbortSignal;
}

/** A dossier, which says nothing where the graphs do not, and how it came about. */
export interface CompiledDossier extends Pick<Prose, "writer" | "warnings"> {
	readonly isAnswer: boolean;
	readonly body: DossierBody;
	readonly decision: Decision;
	readonly mode: "hybrid" | "keyword";
}

const METHOD =
	"The topic was read for what it asks, and passages were found by search, read beside each part of it by a model, and chosen for what they add. Each passage stands once, word for word; dates are those that passages tell. Confidence counts independent sources, review and age, and is a judgment of evidence, not a probability.";
const PURPOSE = "Answer the topic from what the evidence says.";

/** Compiles what graphs say to a topic. Every passage in it is cited and stands once; where they do not answer, it is empty. */
export async function compileDossier(
	deps: DossierParts,
	task: DossierTask,
): Promise<CompiledDossier> {
	const { search, writer } = deps;
	const { topic, signal } = task;
	const { graphs, composed, ...unrouted } = await answerTopic(search, task);
	if (!composed || composed.verdict === "not_in_graphs") {
		const vague = composed?.outcome.decision === "CLARIFY";
		return {
			isAnswer: false,
			body: toEmptyBody(task, graphs, composed),
			decision: vague ? "CLARIFY" : "ABSTAIN",
			mode: composed?.outcome.mode ?? unrouted.mode,
			...{ writer: writer.name, warnings: [] },
		};
	}
	const arranged = arrangePassages(composed);
	const passages = passagesOf(arranged);
	const prose = await writeFromPassages(
		{
			...{ purpose: PURPOSE, question: topic, signal },
			offered: passages.flatMap(({ sentences }) => sentences),
			passages: arranged.summary.map(({ sentences }) => sentences),
			sentencesMax: DOSSIER_LIMITS.summarySentences,
			quotedMax: arranged.summary.length,
		},
		{ writer, judge: search.judge },
	);
	const body = await toBody(deps, task, { graphs, composed, arranged, prose });
	const { outcome } = composed;
	const { writer: by, warnings } = prose;
	const how = { decision: decisionOf(composed), mode: outcome.mode };
	return { isAnswer: true, body, ...how, writer: by, warnings };
}

/** The topic's answer from the graphs that are named, or from those that would answer it; none where no graph would. */
async function answerTopic(
	search: DossierParts["search"],
	{ topic, graphs, isRouted, asOf, signal }: DossierTask,
) {
	const { graphsRouted: limit, tokens } = DOSSIER_LIMITS;
	const routed = isRouted ? await search.route({ graphs, query: topic, limit, signal }) : undefined;
	const chosen = routed ? routed.graphs.map(({ graph }) => graph) : graphs;
	const mode = routed?.mode ?? ("keyword" as const);
	if (chosen.length === 0) return { graphs, composed: undefined, mode };
	const composed = await composeTopic(search, {
		question: topic,
		graphs: chosen,
		conceptsMax: ANSWER_LIMITS.partConcepts,
		...{ tokens, asOf, signal },
		withDisputes: true,
	});
	return { graphs: chosen, composed, mode };
}

interface Material {
	readonly graphs: readonly Graph[];
	readonly composed: ComposedAnswer;
	readonly arranged: ArrangedPassages;
	readonly prose: Prose;
}

async function toBody(
	deps: DossierParts,
	task: DossierTask,
	{ graphs, composed, arranged, prose }: Material,
): Promise<DossierBody> {
	const { topic, asOf, signal } = task;
	const passages = passagesOf(arranged);
	const used = passages.flatMap(({ sentences }) => sentences);
	const citations = createCitationList();
	const facts = { asOf, disputes: composed.disputes, citations };
	const isQuoted = prose.writer === extractiveWriter.name;
	const summary = isQuoted
		? arranged.summary.map((passage) => toQuoted(passage, facts))
		: prose.sentences.map(citations.cite);
	const { table } = arranged;
	const tableWire = table
		? {
				columns: [...table.columns],
				rows: table.rows.map(({ attribute, cells }) => ({
					attribute,
					cells: cells.map((cell) => (cell ? toQuoted(cell, facts) : null)),
				})),
			}
		: null;
	// What a language model wrote quotes nothing: its passages stand among the findings.
	const found = isQuoted ? arranged.findings : [...arranged.summary, ...arranged.findings];
	const findings = found.map((passage) => toFinding(passage, facts));
	const profile = profileSources(used);
	const opposed = composed.disputes.slice(0, DOSSIER_LIMITS.contradictionsMax);
	return {
		topic,
		graphs: [...new Set(used.map(({ graph }) => graph.record.id))].sort(),
		verdict: composed.verdict,
		form: composed.reading.kind,
		parts: toParts(composed),
		summary,
		table: tableWire,
		findings,
		timeline: toEvents(passages).map(({ date, excerpt, sentence, passage }) => ({
			...{ date, basis: "told" as const, finding_id: passage.id },
			...citations.cite({ text: excerpt, evidence: [sentence] }),
		})),
		entities: toEntities(used),
		source_profile: {
			...profile,
			publishers: [...profile.publishers],
			authority: toAuthority(used),
		},
		contradictions: opposed.map((pair) => toContradiction(pair, passages, citations)),
		gaps: [...listGaps({ asOf, graphs, composed, passages, profile, citations })],
		evidence_table: toEvidenceTable(citations, passages),
		supplemental: await feedsOf(deps, topic, signal),
		method: METHOD,
		as_of: asOf,
		citations: [...citations.toWire()],
		tokens: composed.tokens,
	};
}

function toParts({ reading, gaps }: ComposedAnswer): DossierWire["parts"] {
	const open = new Set(gaps.map(({ part }) => part));
	return reading.parts.map(({ question }, part) => ({ question, answered: !open.has(part) }));
}

interface QuotingFacts {
	readonly asOf: string;
	readonly disputes: readonly Denial[];
	readonly citations: CitationList;
}

const textOf = ({ sentences }: DossierPassage) => sentences.map(({ text }) => text).join(" ");

function toQuoted(passage: DossierPassage, facts: QuotingFacts) {
	const { sentences, id } = passage;
	const [{ graph, concept }] = sentences;
	const isContradicted = disputesOf(passage, facts.disputes).length > 0;
	// A passage is carried no better than the least of its sentences.
	const confidences = sentences.map((sentence) =>
		confidenceOfFinding({ sentences: [sentence] }, { today: facts.asOf, isContradicted }),
	);
	return {
		...facts.citations.cite({ text: textOf(passage), evidence: sentences }),
		finding_id: id,
		about: { trend_id: toTrendId(graph.record.id, concept.id), name: concept.title },
		confidence: Math.min(...confidences),
	};
}

function toFinding(passage: DossierPassage, facts: QuotingFacts): DossierWire["findings"][number] {
	const { text, ...quoted } = toQuoted(passage, facts);
	const { sentences, part } = passage;
	const sources = sentences.flatMap((sentence) => sentence.sources);
	return {
		...quoted,
		statement: text,
		part,
		sources_independent: independentOf(passage),
		tier: bestTier(sources),
		newest: daysOf(sources.map(({ publishedAt }) => publishedAt)).newest,
		contradicted_by: disputesOf(passage, facts.disputes).map(({ opponent, reasons, score }) => {
			const ids = [facts.citations.numberOf(opponent)];
			return { statement: opponent.text, reason: reasons.join("; "), score, citation_ids: ids };
		}),
	};
}

function disputesOf({ sentences }: DossierPassage, disputes: readonly Denial[]) {
	const own = new Set(sentences.map(({ evidenceId }) => evidenceId));
	return disputes.flatMap(({ one, other, reasons, score }) => {
		if (own.has(one.evidenceId)) return [{ opponent: other, reasons, score }];
		return own.has(other.evidenceId) ? [{ opponent: one, reasons, score }] : [];
	});
}

function toContradiction(
	{ one, other, reasons, score }: Denial,
	passages: readonly DossierPassage[],
	citations: CitationList,
) {
	const pair = [one, other];
	const statements = pair.map((sentence) =>
		citations.cite({ text: sentence.text, evidence: [sentence] }),
	);
	const ids = pair.flatMap(
		({ evidenceId }) =>
			passages.find(({ sentences }) => sentences.some((said) => said.evidenceId === evidenceId))
				?.id ?? [],
	);
	return { statements, finding_ids: ids, reason: reasons.join("; "), score };
}

async function feedsOf({ feeds, search }: DossierParts, topic: string, signal: AbortSignal) {
	const chosen = (await feeds?.choose(topic, search, signal))?.feeds ?? [];
	return chosen.slice(0, DOSSIER_LIMITS.feedsMax).map(({ id, title, provider }) => {
		return { feed_id: id, title, provider, reason: "measures what the topic asks for" };
	});
}
