import t from "tap";
import {
	type LabelledQuery,
	loadLabelledSet,
	QUERY_KINDS,
	type QueryKind,
	referenceTo,
	SEEN_SPLITS,
	SPLITS,
	type Split,
	TRAPS,
} from "../../bench/labelled/labelled-queries.js";
import { tokenize } from "../../src/search/lexical/tokenizer.js";

const MIN_COUNTS: Readonly<Record<QueryKind, number>> = {
	"single-hop": 60,
	"multi-hop": 40,
	identifier: 35,
	paraphrase: 45,
	keywords: 14,
	misspelt: 14,
	unanswerable: 60,
};
const MIN_HALF_SHARE = 0.45;
const MIN_FRESH = 160;
const MIN_FRESH_UNANSWERABLE = 70;
/** Of the distinct words of two queries, how many they may share. */
const MAX_COMMON_SHARE = 0.7;

const { graphs, queries } = await loadLabelledSet();
const titles = new Map(
	graphs.flatMap(({ record, concepts }) =>
		concepts.map(({ id, title }) => [referenceTo(record.id, id), title] as const),
	),
);

t.test("every relevant concept is one that the sample catalog sells", async (t) => {
	for (const { id, relevant } of queries) {
		for (const reference of Object.keys(relevant))
			t.ok(titles.has(reference), `${id} ${reference}`);
	}
});

t.test("every kind has enough queries", async (t) => {
	for (const kind of QUERY_KINDS) {
		const count = ofKind(kind).length;
		t.ok(count >= MIN_COUNTS[kind], `${kind}: ${count}`);
	}
});

t.test("the two halves are balanced within every kind", async (t) => {
	for (const kind of QUERY_KINDS) {
		const all = ofKind(kind).filter(({ split }) => SEEN_SPLITS.includes(split));
		for (const split of all.length > 0 ? SEEN_SPLITS : []) {
			const share = all.filter((query) => query.split === split).length / all.length;
			t.ok(share >= MIN_HALF_SHARE, `${kind} ${split}: ${share.toFixed(2)}`);
		}
	}
});

t.test("single questions with an answer in common are in the same half", async (t) => {
	const splitOf = new Map<string, Split>();
	const halves = queries.filter(({ split }) => SEEN_SPLITS.includes(split));
	for (const query of halves.filter(({ kind }) => kind !== "multi-hop")) {
		for (const reference of answersOf(query)) {
			t.equal(query.split, splitOf.get(reference) ?? query.split, `${query.id} ${reference}`);
			splitOf.set(reference, query.split);
		}
	}
});

t.test("no two queries are the same once case, order and punctuation are gone", async (t) => {
	const normalized = queries.map(({ query }) => wordsOf(query).sort().join(" "));
	t.same(
		normalized.filter((text, index) => normalized.indexOf(text) !== index),
		[],
	);
});

t.test("a fresh query is no copy of one that was seen", async (t) => {
	const seen = queries.filter(({ split }) => SEEN_SPLITS.includes(split));
	for (const query of ofSplit("fresh")) {
		for (const other of seen) {
			const share = commonShare(query.query, other.query);
			t.ok(share <= MAX_COMMON_SHARE, `${query.id} ${other.id}: ${share.toFixed(2)}`);
		}
	}
});

t.test("the fresh queries are enough, and the unanswerable ones of every sort", async (t) => {
	const unanswerable = ofSplit("fresh").filter(({ kind }) => kind === "unanswerable");
	t.ok(ofSplit("fresh").length >= MIN_FRESH);
	t.ok(unanswerable.length >= MIN_FRESH_UNANSWERABLE);
	for (const trap of TRAPS) {
		const count = unanswerable.filter((query) => query.trap === trap).length;
		t.ok(count >= 5, `${trap}: ${count}`);
	}
	t.ok(unanswerable.every(({ trap }) => trap !== undefined));
});

t.test("no unanswerable query has a concept that answers it", async (t) => {
	for (const query of ofKind("unanswerable")) t.same(answersOf(query), [], query.id);
});

t.test("a query is to be answered exactly when some concept answers it", async (t) => {
	for (const query of queries) {
		t.equal(query.decision === "ANSWER", answersOf(query).length > 0, query.id);
		const judged = Object.keys(query.relevant).length;
		t.equal(query.decision === "ABSTAIN", judged === 0, query.id);
	}
});

t.test("a multi-hop query needs at least two concepts", async (t) => {
	for (const query of ofKind("multi-hop")) {
		const needed = Object.values(query.relevant).filter((grade) => grade > 1);
		t.ok(needed.length > 1 || query.decision === "PARTIAL", query.id);
	}
});

t.test("a paraphrase uses no word from the title of what it asks for", async (t) => {
	for (const query of ofKind("paraphrase")) {
		const asked = new Set(termsOf(query.query));
		for (const reference of answersOf(query)) {
			const shared = termsOf(titles.get(reference) ?? "").filter((term) => asked.has(term));
			t.same(shared, [], `${query.id} ${reference}`);
		}
	}
});

t.test("every graph is asked about in every part", async (t) => {
	for (const { record } of graphs) {
		for (const split of SPLITS) {
			const asked = queries.filter(
				(query) =>
					query.split === split && answersOf(query).some((ref) => ref.startsWith(`${record.id}:`)),
			);
			t.ok(asked.length >= 5, `${record.id} ${split}: ${asked.length}`);
		}
	}
});

function ofSplit(split: Split): LabelledQuery[] {
	return queries.filter((query) => query.split === split);
}

function commonShare(one: string, other: string): number {
	const left = new Set(wordsOf(one));
	const right = new Set(wordsOf(other));
	const common = [...left].filter((word) => right.has(word)).length;
	return common / (left.size + right.size - common);
}

function ofKind(kind: QueryKind): LabelledQuery[] {
	return queries.filter((query) => query.kind === kind);
}

function answersOf({ relevant }: LabelledQuery): string[] {
	return Object.keys(relevant).filter((reference) => relevant[reference] === 3);
}

function wordsOf(text: string): string[] {
	return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Stems of the words that carry a subject. */
function termsOf(text: string): string[] {
	return tokenize(text)
		.filter(({ isStopWord }) => !isStopWord)
		.map(({ whole }) => whole);
}
