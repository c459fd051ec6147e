import { join } from "node:path";
import t from "tap";
import { KNOWN_QUERY, startApp } from "../support/start-app.js";

const concept = (word: string) => `---\ntype: Concept\ntitle: ${word}\n---\n\nAll about ${word}.\n`;

t.test("a replay has no answer to a question that was not paid for", async (t) => {
	const root = t.testdir({ data: {}, late: { "lamp.md": concept("lamp") } });
	const { app, send } = await startApp(t, {
		folder: join(root, "data"),
		settings: { model: "none" },
	});
	const { operator } = app;
	await operator.importGraph({
		source: join(root, "late"),
		as: "late",
		source_url: "https://example.org/{stem}",
	});
	const { token } = await operator.issueSpt({ usd: "20.00" });
	const queries = ["quuxbarine", KNOWN_QUERY, "florptastic"].map((query) => ({ query, limit: 1 }));
	const ask = async (key: string) => {
		const { body } = await send("/v1/search/batch", {
			method: "POST",
			headers: {
				"Content-Type": "application/json",
				"X-Pay-SPT": token,
				"Idempotency-Key": key,
			},
			body: JSON.stringify({ queries }),
		});
		const { items } = body.data as { items: { is_answered: boolean; rows: unknown[] }[] };
		return { ...body.meta, items, answers: items.map(({ is_answered }) => is_answered) };
	};

	const first = await ask("k1");
	t.same(first.answers, [false, true, false]);
	t.equal(first.cost.amount_usd, "0.50");
	for (const word of ["quuxbarine", "florptastic"]) {
		await operator.putConcept({
			graph_id: "late",
			path: `${word}.md`,
			markdown: concept(word),
		});
	}

	const again = await ask("k1");
	t.match(again.cost, { amount_usd: "0.50", replayed: true });
	t.same(again.answers, [false, true, false]);
	t.same(again.items[0]?.rows, []);
	t.same(again.items[2]?.rows, []);
	t.equal(again.items[1]?.rows.length, 1);
	t.equal(again.answered, 1);

	const paid = await ask("k2");
	t.same(paid.answers, [true, true, true], "paid for, they are all answered");
	t.equal(paid.cost.amount_usd, "1.50");
	t.same((await ask("k2")).answers, [true, true, true]);
});
