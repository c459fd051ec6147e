import { toEvidencePassages } from "../../../src/evidence/evidence.js";
import { type Graph, runInTurns, type Steps } from "../../../src/knowledge/knowledge.js";
import type { ConceptFilter, HybridSearch, SearchOutcome } from "../../../src/search/search.js";
import type { Candidate } from "./passage-scoring.js";
import type { QuestionPart } from "./question-reading.js";

export interface CandidateRequest {
	readonly graphs: readonly Graph[];
	/** The whole question first. */
	readonly parts: readonly QuestionPart[];
	/** Looked at for each part. */
	readonly conceptsMax: number;
	readonly filter?: ConceptFilter | undefined;
	/** `YYYY-MM-DD`: passages that rest on later sources do not count. */
	readonly asOf?: string | undefined;
	readonly signal: AbortSignal;
}

/** Passages of the concepts that a search finds for any part, and what it says to the question as a whole. */
export interface FoundCandidates {
	readonly outcome: SearchOutcome;
	readonly candidates: readonly Candidate[];
}

export async function findCandidates(
	search: HybridSearch,
	{ graphs, parts, conceptsMax: limit, filter, asOf, signal }: CandidateRequest,
): Promise<FoundCandidates> {
	const [outcome, ...others] = await Promise.all(
		parts.map(({ question: query }, at) => {
			// What is decided is decided by the whole question: its rows are read by the judge.
			const effort = at === 0 ? "best" : "fast";
			return search.find({ graphs, query, limit, filter, effort, signal });
		}),
	);
	if (!outcome) throw new RangeError("A question has at least one part");
	const candidates = await runInTurns(collect([outcome, ...others]), signal);
	if (asOf === undefined) return { outcome, candidates };
	return { outcome, candidates: candidates.flatMap((candidate) => knownBy(asOf, candidate)) };
}

function* collect(outcomes: readonly SearchOutcome[]): Steps<readonly Candidate[]> {
	const rows = new Map<string, { row: SearchOutcome["rows"][number]; ranks: number[] }>();
	for (const [part, found] of outcomes.entries()) {
		const best = found.rows[0]?.score ?? 1;
		for (const row of found.rows) {
			const known = rows.get(row.trendId) ?? { row, ranks: outcomes.map(() => 0) };
			known.ranks[part] = best > 0 ? row.score / best : 0;
			rows.set(row.trendId, known);
		}
	}
	const candidates: Candidate[] = [];
	for (const { row, ranks } of rows.values()) {
		for (const passage of toEvidencePassages(row.graph, row.concept)) {
			yield;
			candidates.push({ passage, ranks });
		}
	}
	return candidates;
}

/** A passage with the sources of a day; none where one of its sentences had none by then. */
function knownBy(asOf: string, { passage, ranks }: Candidate): readonly Candidate[] {
	const [first, ...others] = passage.sentences.map((sentence) => ({
		...sentence,
		sources: sentence.sources.filter(({ publishedAt = "" }) => publishedAt <= asOf),
	}));
	if (!first || [first, ...others].some(({ sources }) => sources.length === 0)) return [];
	return [{ passage: { ...passage, sentences: [first, ...others] }, ranks }];
}
