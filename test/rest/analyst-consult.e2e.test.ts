import t from "tap";
import { startApp } from "../support/start-app.js";

const app = await startApp(t, { settings: { model: "none" } });
const { token } = await app.issueSpt("25.00");
const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
const post = (path: string, body: object) =>
	app.send(path, { method: "POST", headers, body: JSON.stringify(body) });
const balance = async () => (await app.send("/v1/spt/balance", { headers })).body.data.balance_usd;
const CONSULT = "/v1/analysts/consult";
const DEBATE = "/v1/analysts/debate";

interface Cited {
	readonly text: string;
	readonly citation_ids: readonly number[];
}
interface Numbered {
	readonly n: number;
	readonly excerpt: string;
	readonly graph_id: string;
}

t.test("an analyst answers from its own graph, with arguments and odds that add up", async (t) => {
	for (const question of [
		"Should Python have lazy imports?",
		"What is the status of free-threaded Python without the GIL?",
		"Which typing syntax was refused for Python?",
	]) {
		const { status, body } = await post(CONSULT, { analyst: "python-evolution", question });
		t.equal(status, 200);
		const { data, meta } = body;
		t.match(data.analyst, { id: "python-evolution", is_synthetic: true, method: /PEPs/ });
		const excerpts = new Map(data.citations.map(({ n, excerpt }: Numbered) => [n, excerpt]));
		for (const { graph_id: id } of data.citations) t.equal(id, "python-evolution");
		const told: Cited[] = [
			...data.arguments_for,
			...data.arguments_against,
			...data.open_questions,
			...data.scenarios.flatMap(({ drivers }: { drivers: Cited[] }) => drivers),
		];
		for (const { text, citation_ids: ids } of told) {
			t.ok(ids.some((n) => excerpts.get(n) === text));
		}
		for (const { text, citation_ids: ids } of [data.thesis, ...data.evidence] as Cited[]) {
			t.equal(ids.map((n) => excerpts.get(n)).join(" "), text, "a passage, word for word");
		}
		const odds = data.scenarios.map(({ probability }: { probability: number }) => probability);
		t.equal(Math.round(odds.reduce((sum: number, one: number) => sum + one, 0) * 1000), 1000);
		const { votes, is_small } = data.sample;
		t.equal(is_small, votes.base + votes.upside + votes.downside < 10);
		t.match(meta, { decision: "ANSWER", cost: { amount_usd: "0.50" }, model: {} });
	}
});

t.test(
	"a name or an id leads to an analyst; others, and what it does not know, are free",
	async (t) => {
		const before = Number(await balance());
		const question = "Should Python have lazy imports?";
		const named = await post(CONSULT, { analyst: "Python-Evolution-Analyst", question });
		t.equal(named.body.data.analyst.id, "python-evolution");
		t.equal(Number(await balance()), before - 0.5);
		const unknown = await post(CONSULT, { analyst: "nobody", question });
		t.match(unknown, { status: 404, body: { error: { message: /there are .*python-evolution/ } } });
		t.equal((await post(CONSULT, { analyst: "python-evolution", question: "" })).status, 400);
		const bread = await post(CONSULT, {
			analyst: "python-evolution",
			question: "How do I bake sourdough bread?",
		});
		t.match(bread.body, {
			data: { thesis: null, scenarios: [], citations: [], not_covered: /.+/ },
			meta: { decision: "ABSTAIN", cost: { charged: false } },
		});
		t.equal(Number(await balance()), before - 0.5);
	},
);

t.test("sides that the text marks make a debate without a judge, and one is charged", async (t) => {
	const before = Number(await balance());
	const question = "Should a language add pattern matching?";
	const { status, body } = await post(DEBATE, { question });
	t.equal(status, 200);
	t.match(body, {
		data: { message: null, thesis: { text: /.+/ }, judge: { verdict: /^(?:for|against|open)$/ } },
		meta: { cost: { amount_usd: "0.50", charged: true } },
	});
	const { for: pro, against } = body.data;
	t.ok(pro.length > 0 && against.length > 0);
	t.ok(pro.every(({ text }: { text: string }) => text.startsWith("For")));
	t.ok(against.every(({ text }: { text: string }) => text.startsWith("Against")));
	t.equal(Number(await balance()), before - 0.5);
});

t.test("what has no two sides is no debate and costs nothing", async (t) => {
	const before = await balance();
	const question = "Which year did Rust's first edition appear?";
	const { status, body } = await post(DEBATE, { question });
	t.equal(status, 200);
	t.match(body, {
		data: { message: /^No debate/, thesis: null, for: [], against: [], citations: [] },
		meta: { decision: "ABSTAIN", graphs_used: [], cost: { charged: false } },
	});
	const ask = (analysts: string[]) => post(DEBATE, { question, analysts });
	t.equal((await ask(["python-evolution"])).status, 400);
	t.equal((await ask(["python-evolution", "nobody"])).status, 404);
	const twice = await ask(["python-evolution", "Python-Evolution-Analyst"]);
	t.match(twice, {
		status: 400,
		body: { error: { message: /once more; name each analyst once/ } },
	});
	t.equal(await balance(), before);
});
