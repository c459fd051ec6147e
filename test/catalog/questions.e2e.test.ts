import t from "tap";
import { startApp } from "../support/start-app.js";
import { listGraphs, readQuestionsOf } from "./check-catalog.js";

/** Ten questions a graph, as its page shows them: what is sold for them must hold what a right answer says. */

/** An expected concept may stand behind two that share its subject. */
const ROWS_LOOKED_AT = 3;

const plain = (text: string) => text.replace(/\s+/g, " ").toLowerCase();

const shop = await startApp(t, { settings: { model: "bundled", judge: "bundled" } });
await shop.app.ready();
const { token } = await shop.issueSpt("1000");

async function buy(path: string, body: object) {
	const { status, body: reply } = await shop.send(path, {
		method: "POST",
		headers: { "Content-Type": "application/json", "X-Pay-SPT": token },
		body: JSON.stringify(body),
	});
	return { status, reply };
}

const missed: string[] = [];
let asked = 0;

for (const graph of await listGraphs()) {
	t.test(`the questions of ${graph} are answered`, async (t) => {
		for (const { question, concepts, answer } of await readQuestionsOf(graph)) {
			asked += 1;
			const wanted = concepts.map(
				(path) => `${graph}:${path.replace(/^\//, "").replace(/\.md$/, "").replaceAll("/", ".")}`,
			);
			const found = await buy(`/v1/graphs/${graph}/search`, { query: question, limit: 5 });
			const said = await buy(`/v1/graphs/${graph}/ask`, { question });
			t.equal(found.status, 200, question);
			t.equal(said.status, 200, question);
			const first = found.reply.rows.slice(0, ROWS_LOOKED_AT);
			if (!first.some((row: { trend_id: string }) => wanted.includes(row.trend_id))) {
				missed.push(`${graph}: search finds ${first[0]?.trend_id} for "${question}"`);
			}
			const text = plain(JSON.stringify(said.reply.data));
			const lacking = answer.filter((piece) => !text.includes(plain(piece)));
			if (lacking.length > 0)
				missed.push(`${graph}: ask lacks ${lacking.join(" | ")} for "${question}"`);
		}
	});
}

t.test("nearly all are found, and most are answered in full", async (t) => {
	for (const one of missed) t.comment(one);
	const count = (kind: string) => missed.filter((one) => one.includes(kind)).length;
	t.ok(count(": search finds") <= 0.05 * asked, `${count(": search finds")} of ${asked} not found`);
	t.ok(count(": ask lacks") <= 0.2 * asked, `${count(": ask lacks")} of ${asked} not answered`);
});
