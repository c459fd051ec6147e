import t from "tap";
import { startApp } from "../support/start-app.js";
import { listGraphs, readQuestionsOf } from "./check-catalog.js";

/** Ten questions a graph, as its page shows them: what is sold for them must hold what a right answer says. */

/** An expected concept may stand behind two that share its subject. */
const ROWS_LOOKED_AT = 3;
/** Answers take seconds of the judge: one question of each graph is asked, all with CATALOG_QUESTIONS=all. */
const ARE_ALL_ASKED = process.env["CATALOG_QUESTIONS"] === "all";

const plain = (text: string) => text.replace(/\s+/g, " ").toLowerCase();

const shop = await startApp(t, { settings: { model: "bundled", judge: "bundled" } });
const { token } = await shop.issueSpt("1000");

async function buy(path: string, body: object) {
	const { status, body: reply } = await shop.send(path, {
		method: "POST",
		headers: { "Content-Type": "application/json", "X-Pay-SPT": token },
		body: JSON.stringify(body),
	});
	return { status, reply };
}

const questions = (
	await Promise.all(
		(
			await listGraphs()
		).map(async (graph) => (await readQuestionsOf(graph)).map((one) => ({ graph, ...one }))),
	)
).flat();

t.test("search finds what answers", async (t) => {
	const missed: string[] = [];
	for (const { graph, question, concepts } of questions) {
		const wanted = concepts.map(
			(path) => `${graph}:${path.replace(/^\//, "").replace(/\.md$/, "").replaceAll("/", ".")}`,
		);
		const query = { query: question, limit: ROWS_LOOKED_AT, effort: "fast" };
		const { status, reply } = await buy(`/v1/graphs/${graph}/search`, query);
		t.equal(status, 200, question);
		const found: readonly { readonly trend_id: string }[] = reply.rows ?? [];
		if (!found.some(({ trend_id }) => wanted.includes(trend_id))) {
			missed.push(`${graph}: ${question}`);
		}
	}
	for (const one of missed) t.comment(one);
	t.equal(questions.length, 260);
	t.ok(missed.length <= 0.05 * questions.length, `${missed.length} of ${questions.length} missed`);
});

t.test(
	"answers that are charged say what is expected, and what is not answered is free",
	async (t) => {
		let [answered, complete] = [0, 0];
		// Another place of the ten in each graph.
		const asked = questions.filter(
			(_, at) => ARE_ALL_ASKED || (at + Math.floor(at / 10)) % 10 === 0,
		);
		for (const { graph, question, answer } of asked) {
			const { status, reply } = await buy(`/v1/graphs/${graph}/ask`, { question });
			t.equal(status, 200, question);
			const isAnswered = reply.data.verdict !== "not_in_graphs";
			t.equal(reply.meta.cost.charged, isAnswered, question);
			if (!isAnswered) continue;
			answered += 1;
			const text = plain(JSON.stringify(reply.data));
			const lacking = answer.filter((piece) => !text.includes(plain(piece)));
			if (lacking.length === 0) complete += 1;
			else t.comment(`${graph} lacks ${lacking.join(" | ")}: ${question}`);
		}
		t.comment(`${asked.length} asked, ${answered} answered, ${complete} in full`);
		t.ok(answered >= 0.6 * asked.length, `${answered} of ${asked.length} answered`);
		t.ok(complete >= 0.6 * answered, `${complete} of ${answered} in full`);
	},
);
