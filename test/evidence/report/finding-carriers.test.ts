import t from "tap";
import {
	carriersOf,
	clusterSentences,
	withoutDeniers,
} from "../../../skills/answers/report/findings.js";
import { type CitedSentence, toCitedSentences } from "../../../src/evidence/cited-sentences.js";
import { runAtOnce } from "../../../src/knowledge/work-in-turns.js";
import { makeConcept, makeGraph } from "../../service/sample-graphs.js";

const say = (id: string, summary: string): CitedSentence => {
	const dates = { publishedAt: undefined, datePrecision: undefined };
	const evidence = [{ articleId: id, title: id, sourceUrl: `https://${id}.example/`, ...dates }];
	const concept = makeConcept({ id, title: "Notes", summary, body: "", evidence });
	const [sentence] = toCitedSentences(makeGraph({}, [concept]), concept);
	if (!sentence) throw new Error("the sample has a cited sentence");
	return sentence;
};

t.test("what denies a sentence in its own words carries no finding of it", (t) => {
	for (const [said, denied, same] of [
		[
			"Enable TLS session tickets on all public servers by default.",
			"Disable TLS session tickets on all public servers by default.",
			"Operators enable TLS session tickets on all public servers by default.",
		],
		[
			"The widget protocol supports payment retries over plain connections.",
			"The widget protocol does not support payment retries over plain connections.",
			"The widget protocol supports payment retries over all plain connections.",
		],
	] as const) {
		const sentences = [say("one", said), say("two", denied), say("three", same)];
		const clusters = clusterSentences(sentences);
		t.equal(clusters.length, 1, "in words they are alike");
		const apart = runAtOnce(withoutDeniers(clusters, []));
		const carried = apart.map((cluster) => carriersOf(cluster).map(({ text }) => text));
		t.same(new Set(carried.flat()), new Set([said, denied, same]), "nothing is lost");
		t.same(
			carried.find(([lead]) => lead === said),
			[said, same],
		);
		t.same(
			carried.find(([lead]) => lead === denied),
			[denied],
		);
	}
	t.end();
});

t.test("two that are known to contradict each other carry nothing together", (t) => {
	const [one, other] = [
		say("one", "Batches hold up to ten orders each."),
		say("two", "Batches hold up to ten orders each day."),
	] as const;
	const clusters = clusterSentences([one, other]);
	t.equal(runAtOnce(withoutDeniers(clusters, [])).length, 1);
	t.equal(runAtOnce(withoutDeniers(clusters, [{ one: other, other: one }])).length, 2);
	t.end();
});
