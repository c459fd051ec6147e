import type { Decision } from "../../src/contract/wire.js";
import { systemClock } from "../../src/kernel/clock.js";
import type { Concept, Graph } from "../../src/knowledge/model/graph.js";
import { createLocalDenseSide } from "../../src/search/dense/dense-side.js";
import {
	createIndexState,
	type GraphIndex,
	type IndexState,
	type SearchScope,
	toScopes,
} from "../../src/search/index/index-state.js";
import type { PairJudge } from "../../src/search/judge/pair-judge.js";
import { readCommonWords } from "../../src/search/lexical/common-words.js";
import type { Embedder } from "../../src/search/model/embedder.js";
import type { ModelLocation } from "../../src/search/model/model-folder.js";
import { readSigns } from "../../src/search/ranking/answer-signs.js";
import type { AnswerSigns } from "../../src/search/ranking/decision.js";
import {
	orderByReadings,
	type RankedQuery,
	rankQuery,
} from "../../src/search/ranking/find-concepts.js";
import { FOREIGN_QUESTIONS } from "../../src/search/ranking/foreign-questions.js";
import type { Found } from "../../src/search/ranking/found-concepts.js";
import { buildLinkGraph } from "../../src/search/ranking/link-graph.js";
import { createQuestionBackgrounds } from "../../src/search/ranking/question-background.js";
import { type DenseFindings, POOL } from "../../src/search/ranking/ranking.js";
import { createRowReader } from "../../src/search/ranking/row-reader.js";
import { type LabelledQuery, referenceTo } from "../labelled/labelled-queries.js";
import { multiplyRows } from "./multiplied-rows.js";
import { buildState, embedQueries, type IndexParts, indexGraph } from "./our-index.js";

const COPIED_ROWS = 2;
const GRADE_OF_AN_ANSWER = 3;

/** A query and where it is asked. */
export interface Examinable {
	readonly query: string;
	readonly relevant: LabelledQuery["relevant"];
	readonly graphs: readonly Graph[];
	/** What an honest librarian would say. */
	readonly decision: Decision;
	/** References of concepts that are left out. */
	readonly without: ReadonlySet<string>;
	/** How many copies there are of each row that answers, or, where none does, of the first ones. */
	readonly copies?: number;
	/** True when the judge is to read its first rows. */
	readonly isRead: boolean;
}

export interface Examined {
	/** `read` is there for cases that the judge was asked about. */
	readonly signs: {
		readonly read: AnswerSigns | undefined;
		readonly hybrid: AnswerSigns;
		readonly keyword: AnswerSigns;
	};
	/** Grade of the first row, 0 to 3, in hybrid mode. */
	readonly firstGrade: number;
}

type Examine = (asked: Examinable) => Promise<Examined>;

/** Reads the signs of one query after another over an index of these graphs. */
export async function createExaminer(
	graphs: readonly Graph[],
	model: ModelLocation,
	{ embedder, judge }: { readonly embedder: Embedder; readonly judge: PairJudge | undefined },
): Promise<Examine> {
	const vectors = new Map<string, Float32Array | undefined>(
		await embedQueries(FOREIGN_QUESTIONS, embedder),
	);
	const denseSide = createLocalDenseSide(async (query) => vectors.get(query));
	const state = await buildState({ graphs }, { embedder, denseSide });
	const links = await buildLinkGraph([...state.graphs.values()].flatMap(({ parts }) => parts));
	const commonWords = await readCommonWords(model.folder);
	const backgrounds = createQuestionBackgrounds(denseSide);
	const readRows = createRowReader({ judge, clock: systemClock });
	const look = async (query: string, scopes: readonly SearchScope[]) => {
		const toSearch = scopes.flatMap(({ vectors: region, base, mask }) =>
			region ? [{ vectors: region, base, mask }] : [],
		);
		const hits = await denseSide.search({ query, scopes: toSearch, count: POOL });
		const find = (dense: DenseFindings | undefined) =>
			rankQuery({ scopes, query, dense, links, commonWords });
		return { find, hybrid: find(hits && { hits, cosineOf: denseSide.cosineOf }) };
	};
	return async (asked) => {
		const { query, relevant, copies } = asked;
		if (!vectors.has(query)) vectors.set(query, (await embedder.embed([query], "query"))[0]);
		let searched = state;
		let seen = await look(query, scopesOf(searched, asked));
		if (copies) {
			const copied = conceptsToCopy(asked, seen.hybrid.found);
			searched = await withCopies(state, copied, { embedder, denseSide }, copies);
			seen = await look(query, scopesOf(searched, asked));
		}
		const { hybrid, find } = seen;
		const [first] = hybrid.found;
		const best = first?.slot.scope.graph;
		const background = best && (await backgrounds.of(() => toScopes(searched, [best])));
		const name = first && referenceTo(first.slot.scope.segment.graphId, first.concept.id);
		const readings = asked.isRead ? await readRows(query, hybrid) : undefined;
		const read = readings && orderByReadings(hybrid, readings);
		const signsOf = ({ weighed, found, scopes }: RankedQuery) =>
			readSigns(weighed, found, { scopes, commonWords, background });
		const keyword = find(undefined);
		return {
			signs: {
				read: read && signsOf(read),
				hybrid: signsOf(hybrid),
				keyword: readSigns(keyword.weighed, keyword.found, { scopes: keyword.scopes, commonWords }),
			},
			firstGrade: (name && relevant[name]) || 0,
		};
	};
}

/** By graph: what answers the query or, where nothing does, what comes first. */
function conceptsToCopy(
	{ graphs, relevant, decision }: Examinable,
	found: readonly Found[],
): ReadonlyMap<Graph, readonly Concept[]> {
	const first = new Set(found.slice(0, COPIED_ROWS).map(({ concept }) => concept));
	return new Map(
		graphs.map((graph) => [
			graph,
			graph.concepts.filter((concept) =>
				decision === "ABSTAIN"
					? first.has(concept)
					: relevant[referenceTo(graph.record.id, concept.id)] === GRADE_OF_AN_ANSWER,
			),
		]),
	);
}

/** The same index with more concepts in some of its graphs, as changes of a graph are indexed: in a segment of their own. */
async function withCopies(
	{ graphs }: IndexState,
	copied: ReadonlyMap<Graph, readonly Concept[]>,
	parts: IndexParts,
	times: number,
): Promise<IndexState> {
	const indexed: GraphIndex[] = [];
	for (const [graph, concepts] of copied) {
		const known = graphs.get(graph.record.id)?.parts ?? [];
		const copies = multiplyRows(concepts, times);
		const more = copies.length > 0 ? await indexGraph({ ...graph, concepts: copies }, parts) : [];
		indexed.push({ graph, parts: [...known, ...more] });
	}
	return createIndexState(indexed);
}

function scopesOf(state: IndexState, { graphs, without }: Examinable): readonly SearchScope[] {
	const scopes = toScopes(state, graphs);
	if (without.size === 0) return scopes;
	return scopes.flatMap((scope) => {
		const { graphId } = scope.segment;
		const mask = Uint8Array.from(scope.concepts, (concept) =>
			concept && !without.has(referenceTo(graphId, concept.id)) ? 1 : 0,
		);
		return mask.includes(1) ? [{ ...scope, mask }] : [];
	});
}
