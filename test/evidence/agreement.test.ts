import t from "tap";
import { findAgreement, type Point } from "../../skills/experts/agreement.js";
import { toCitedSentences } from "../../src/evidence/cited-sentences.js";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";
import { handJudge, reading } from "../support/word-judge.js";

const { signal } = new AbortController();

/** What one desk says, a sentence each. */
function pointsOf(by: string, sentences: readonly string[]): readonly Point[] {
	const concept = makeConcept({ title: "Session tickets", summary: "", body: sentences.join(" ") });
	const graph = makeGraph({ id: by }, [concept]);
	return toCitedSentences(graph, concept).map((sentence) => ({ by, sentence }));
}
const textOf = ({ by, sentence }: Point) => `${by}: ${sentence.text}`;

t.test(
	"a panel's map shows what is shared, what is contradicted, and what one alone says",
	async (t) => {
		const points = [
			...pointsOf("one", [
				"Session tickets expire after 7 days.",
				"Servers rotate ticket keys weekly.",
				"Names in logs are public.",
			]),
			...pointsOf("two", [
				"Session tickets expire after 30 days.",
				"Ticket keys are rotated weekly by servers.",
				"Early data can be replayed.",
			]),
		];
		const judge = handJudge();
		const { shared, contradictions, single } = await findAgreement(points, { judge, signal });
		t.same(
			shared.map(({ points }) => points.map(textOf)),
			[
				[
					"one: Servers rotate ticket keys weekly.",
					"two: Ticket keys are rotated weekly by servers.",
				],
			],
		);
		t.same(
			contradictions.map(({ one, other }) => [textOf(one), textOf(other)]),
			[["one: Session tickets expire after 7 days.", "two: Session tickets expire after 30 days."]],
		);
		t.ok(contradictions[0]?.reasons.length);
		t.same(single.map(textOf), [
			"one: Names in logs are public.",
			"two: Early data can be replayed.",
		]);
	},
);

t.test("no one contradicts or agrees with themselves, and nothing comes of nothing", async (t) => {
	const alone = pointsOf("one", ["Tickets last 7 days.", "Tickets last 30 days."]);
	const services = { judge: handJudge(), signal };
	const none = { shared: [], contradictions: [] };
	t.match(await findAgreement(alone, services), { ...none, single: [{}, {}] });
	t.same(await findAgreement([], services), { ...none, single: [] });
});

t.test(
	"who agrees is read by the judge, both ways; the same words alone are no agreement",
	async (t) => {
		const points = [
			...pointsOf("one", ["Servers rotate ticket keys weekly."]),
			...pointsOf("two", ["Ticket keys are rotated weekly by servers."]),
		];
		const oneWay = handJudge(({ text }) =>
			reading(text.startsWith("Servers") ? "supports" : "open"),
		);
		for (const judge of [undefined, oneWay]) {
			t.match(await findAgreement(points, { judge, signal }), { shared: [], single: [{}, {}] });
		}
		const judge = handJudge(() => reading("supports"));
		t.match(await findAgreement(points, { judge, signal }), { shared: [{}], single: [] });
	},
);

t.test(
	"without a judge nothing is contradicted, and figures still keep sentences apart",
	async (t) => {
		const points = [
			...pointsOf("one", ["Session tickets on this server expire after 7 days."]),
			...pointsOf("two", ["Session tickets on this server expire after 30 days."]),
		];
		const found = await findAgreement(points, { judge: undefined, signal });
		t.match(found, { shared: [], contradictions: [], single: [{}, {}] });
	},
);
