import { isTopicAnswered } from "../../src/contract/contract.js";
import { contentTerms, contentWords, coverageOf } from "../../src/evidence/evidence.js";
import type { HybridSearch, JudgedSearch } from "../../src/search/search.js";
import {
	type AnswerTask,
	type ComposedAnswer,
	composeAnswer,
	passagesOf,
} from "./engine/answer-engine.js";

/**
 * What the graphs say on a topic: a question, or a subject alone. A subject of a word or two is as wide as it is meant to be: no one is asked
 * back. One that the graphs know in part only is another one: of "Rust game engines" nothing is said by what Rust is.
 */
export async function composeTopic(
	search: HybridSearch & JudgedSearch,
	task: AnswerTask,
): Promise<ComposedAnswer> {
	const { question } = task;
	const { judge, embedder } = search;
	const isWide = isTopicAnswered("CLARIFY", question);
	const find: HybridSearch["find"] = async (request) => {
		const found = await search.find(request);
		return isWide && found.decision === "CLARIFY" ? { ...found, decision: "ANSWER" } : found;
	};
	const composed = await composeAnswer({ find, judge, embedder }, task);
	const lacking = composed.verdict === "not_in_graphs" ? [] : lackingOf(question, composed);
	if (lacking.length === 0) return composed;
	return {
		...composed,
		...{ verdict: "not_in_graphs", blocks: [], table: undefined, disputes: [], tokens: 0 },
		gaps: [{ part: 0, question, nearest: [] }],
		missing: lacking,
	};
}

/** Words of a topic that names a subject and asks nothing. */
const SUBJECT_WORDS = 4;

/** Words of a subject that nothing covers; as a name that begins it is written as any first word is, it has to stand in what is quoted. */
function lackingOf(topic: string, composed: ComposedAnswer): readonly string[] {
	const words = topic.trim().split(/\s+/);
	const isSubject = composed.reading.kind === "explanation" && !topic.trim().endsWith("?");
	if (!isSubject || words.length > SUBJECT_WORDS) return [];
	const { missing } = composed.outcome;
	const [first = ""] = words;
	if (missing.length > 0 || !/^\p{Lu}\p{Ll}+$/u.test(first)) return missing;
	const texts = passagesOf(composed).flatMap((said) =>
		said.flatMap(({ graph, concept: { title, aliases, tags, body } }) => {
			return [graph.record.title, title, ...aliases, ...tags, body];
		}),
	);
	const terms = contentTerms([...new Set(texts)].join("\n"));
	return coverageOf(contentWords(first), terms) > 0 ? [] : [first];
}
