import { isTopicAnswered, type SkillServices } from "../../src/contract/contract.js";
import {
	daysOf,
	type GatheredEvidence,
	gatherEvidence,
	type RankedSentence,
} from "../../src/evidence/evidence.js";
import { type Graph, toTrendId } from "../../src/knowledge/knowledge.js";
import type { RankedConcept } from "../../src/search/search.js";
import {
	type CitationList,
	carriersOf,
	chooseSentences,
	clusterSentences,
	confidenceOfFinding,
	createCitationList,
	type Denial,
	findContradictions,
	findGaps,
	groupSources,
	type Prose,
	profileSources,
	toTimeline,
	type Writer,
	withoutDeniers,
	writeProse,
} from "../answers/answers.js";
import type { Feeds } from "../feeds/feeds.js";
import { bestTier, findPublisher } from "../verify/verify.js";
import { DOSSIER_LIMITS, type DossierWire } from "./dossier-wire.js";

interface DossierParts extends Pick<SkillServices, "search"> {
	readonly writer: Writer;
	/** Where feeds that bear on a topic are found; none where absent. */
	readonly feeds?: Pick<Feeds, "suggest"> | undefined;
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

/** What a dossier says, for every caller alike. */
export type DossierBody = Omit<
	DossierWire,
	"dossier_id" | "version" | "previous_id" | "graphs_asked" | "kept_until"
>;

/** A dossier, or nothing where there is no evidence, and how it came about. */
export interface CompiledDossier
	extends Pick<GatheredEvidence, "decision" | "mode">,
		Pick<Prose, "writer" | "warnings"> {
	readonly body: DossierBody | undefined;
}

const METHOD =
	"Concepts were found by search, their cited sentences ranked for the topic, grouped where they say the same, and compared in pairs, where they are alike, by a model that reads them together. Findings quote their evidence word for word; confidence counts independent sources, review and age, and is a judgment of evidence, not a probability.";
const PURPOSE = "Summarize what the evidence says of the topic.";

/** Compiles what graphs say to a topic. Every sentence in it is cited; without evidence there is none. */
export async function compileDossier(
	deps: DossierParts,
	task: DossierTask,
): Promise<CompiledDossier> {
	const { topic, asOf, signal } = task;
	const found = await gather(deps, task);
	const { decision, mode, missing, sentences } = found;
	const none = { body: undefined, decision, mode, writer: deps.writer.name, warnings: [] };
	if (!isTopicAnswered(decision, topic) || sentences.length === 0) {
		return { ...none, decision: decision === "CLARIFY" ? decision : "ABSTAIN" };
	}
	const { summaryMax: sentencesMax, contradictionsMax } = DOSSIER_LIMITS;
	const writing = { purpose: PURPOSE, question: topic, offered: sentences, sentencesMax, signal };
	const { judge } = deps.search;
	const prose = await writeProse(writing, { writer: deps.writer, judge });
	const pairs = await findContradictions(judge, sentences, signal);
	const citations = createCitationList();
	const summary = prose.sentences.map(citations.cite);
	const findings = toFindings(task, sentences, { pairs, citations });
	const contradictions = pairs
		.slice(0, contradictionsMax)
		.map((pair) => toContradiction(pair, citations));
	const used = sentences.filter((sentence) => citations.has(sentence));
	const profile = profileSources(used);
	const timeline = toTimeline(used, { until: asOf, limit: DOSSIER_LIMITS.timelineMax });
	const groups = findings.map(({ sources_independent: count }) => count);
	const gaps = findGaps({ missing, sentences, groups, profile, asOf });
	const body: DossierBody = {
		topic,
		graphs: [...new Set(used.map(({ graph }) => graph.record.id))].sort(),
		summary,
		findings,
		timeline: timeline.map(({ date, basis, sentence }) => ({
			...citations.cite({ text: sentence.text, evidence: [sentence] }),
			date,
			basis,
		})),
		entities: toEntities(found.concepts, used),
		source_profile: {
			...profile,
			publishers: [...profile.publishers],
			authority: toAuthority(used),
		},
		contradictions,
		gaps: gaps.map(({ kind, message, sentence }) => ({
			kind,
			message,
			citation_ids: sentence ? [citations.numberOf(sentence)] : [],
		})),
		evidence_table: toEvidenceTable(citations, findings, sentences),
		supplemental: await feedsOf(deps, topic),
		method: METHOD,
		as_of: asOf,
		citations: [...citations.toWire()],
	};
	return { body, decision, mode, writer: prose.writer, warnings: prose.warnings };
}

/** Evidence as it was on the day: sources that appeared later are taken off, and sentences that nothing else carries. */
async function gather({ search }: DossierParts, task: DossierTask) {
	const { topic, graphs, isRouted, asOf, signal } = task;
	const limit = DOSSIER_LIMITS.graphsRouted;
	const routed = isRouted ? await search.route({ graphs, query: topic, limit, signal }) : undefined;
	const chosen = routed ? routed.graphs.map(({ graph }) => graph) : graphs;
	const none = { concepts: [], sentences: [], decision: "ABSTAIN" as const };
	if (chosen.length === 0) {
		return { ...none, missing: routed?.missing ?? [], mode: routed?.mode ?? ("keyword" as const) };
	}
	const found = await gatherEvidence(search, {
		graphs: chosen,
		question: topic,
		conceptsMax: DOSSIER_LIMITS.conceptsRead,
		sentencesMax: DOSSIER_LIMITS.sentencesRead,
		signal,
	});
	const sentences = found.sentences.flatMap((sentence) => {
		const sources = sentence.sources.filter(({ publishedAt = "" }) => publishedAt <= asOf);
		return sources.length > 0 ? [{ ...sentence, sources }] : [];
	});
	// Without what bears on the topic, the rest is about something else.
	const least = DOSSIER_LIMITS.relevanceFloor * (found.sentences[0]?.score ?? 0);
	const isLeft = sentences.some(({ score }) => score >= least);
	return { ...found, sentences: isLeft ? sentences : [] };
}

/** Those that bear most on the topic and say least of the same, each carried by the sentences that hold its words and numbers and deny nothing of it. */
function toFindings(
	{ topic, asOf }: DossierTask,
	sentences: readonly RankedSentence[],
	{ pairs, citations }: { pairs: readonly Denial[]; citations: CitationList },
): DossierWire["findings"] {
	const best = sentences[0]?.score ?? 0;
	const near = sentences.filter(({ score }) => score >= best * DOSSIER_LIMITS.relevanceFloor);
	const clusters = withoutDeniers(clusterSentences(near), pairs);
	const byLead = new Map(clusters.map((cluster) => [cluster.sentences[0], cluster]));
	const { findingsMax: sentencesMax, citationsPerFinding } = DOSSIER_LIMITS;
	const leads = chooseSentences({ question: topic, offered: [...byLead.keys()], sentencesMax });
	return leads.map((lead, place) => {
		const carriers = carriersOf(byLead.get(lead) ?? { sentences: [lead] });
		const sources = carriers.flatMap((sentence) => sentence.sources);
		const against = pairs.filter(({ one, other }) =>
			[one, other].some(({ evidenceId }) => evidenceId === lead.evidenceId),
		);
		const isContradicted = against.length > 0;
		return {
			finding_id: `f${place + 1}`,
			statement: lead.text,
			about: {
				trend_id: toTrendId(lead.graph.record.id, lead.concept.id),
				name: lead.concept.title,
			},
			confidence: confidenceOfFinding({ sentences: carriers }, { today: asOf, isContradicted }),
			sources_independent: groupSources(sources).length,
			tier: bestTier(sources),
			newest: daysOf(sources.map(({ publishedAt }) => publishedAt)).newest,
			citation_ids: carriers.slice(0, citationsPerFinding).map(citations.numberOf),
			contradicted_by: against.map(({ one, other, reasons, score }) => {
				const opponent = one.evidenceId === lead.evidenceId ? other : one;
				const ids = [citations.numberOf(opponent)];
				return { statement: opponent.text, reason: reasons.join("; "), score, citation_ids: ids };
			}),
		};
	});
}

function toContradiction({ one, other, reasons, score }: Denial, citations: CitationList) {
	const statements = [one, other].map((sentence) =>
		citations.cite({ text: sentence.text, evidence: [sentence] }),
	);
	return { statements, reason: reasons.join("; "), score };
}

/** Nodes of the evidence that is cited, those with most of it first. */
function toEntities(concepts: readonly RankedConcept[], used: readonly RankedSentence[]) {
	const counts = new Map<unknown, number>();
	for (const { concept } of used) counts.set(concept, (counts.get(concept) ?? 0) + 1);
	return concepts
		.map(({ graph, concept }) => ({
			trend_id: toTrendId(graph.record.id, concept.id),
			name: concept.title,
			type: concept.type,
			graph_id: graph.record.id,
			mentions: counts.get(concept) ?? 0,
		}))
		.filter(({ mentions }) => mentions > 0)
		.sort((a, b) => b.mentions - a.mentions)
		.slice(0, DOSSIER_LIMITS.entitiesMax);
}

async function feedsOf({ feeds }: DossierParts, topic: string) {
	const found = (await feeds?.suggest(topic, DOSSIER_LIMITS.feedsMax)) ?? [];
	return found.map(({ feed: { id, title, provider }, reason }) => {
		return { feed_id: id, title, provider, reason };
	});
}

function toAuthority(used: readonly RankedSentence[]) {
	const sources = used.flatMap((sentence) => sentence.sources);
	const distinct = new Map(sources.map((source) => [source.sourceUrl, findPublisher(source).tier]));
	return [1, 2, 3, 4].map((tier) => ({
		tier,
		sources: [...distinct.values()].filter((one) => one === tier).length,
	}));
}

function toEvidenceTable(
	citations: CitationList,
	findings: DossierWire["findings"],
	sentences: readonly RankedSentence[],
): DossierWire["evidence_table"] {
	const byId = new Map(sentences.map((sentence) => [sentence.evidenceId, sentence]));
	return citations.toWire().map((citation) => {
		const { n, evidence_id, title, publisher, source_url, published_at, trust_tier } = citation;
		const tier = bestTier(byId.get(evidence_id)?.sources ?? []);
		const carried = findings.filter(({ citation_ids: ids }) => ids.includes(n));
		return {
			...{ n, evidence_id, title, publisher, source_url, published_at, tier, trust_tier },
			findings: carried.map(({ finding_id: id }) => id),
		};
	});
}
