import t from "tap";
import { startApp } from "../support/start-app.js";

const app = await startApp(t, { settings: { model: "none" } });
const { token } = await app.issueSpt("25.00");
const { token: other } = await app.issueSpt("25.00");
const headersOf = (credential?: string) => ({
	"Content-Type": "application/json",
	...(credential && { Authorization: `Bearer ${credential}` }),
});
const post = (path: string, body: object, credential: string | undefined = token) =>
	app.send(path, { method: "POST", headers: headersOf(credential), body: JSON.stringify(body) });
const get = (path: string, credential: string | undefined = token) =>
	app.send(path, { headers: headersOf(credential) });
const balance = async () => (await get("/v1/spt/balance")).body.data.balance_usd;

const CONSULT = "/v1/human-agents/consult";
const QUESTION = "How should a server roll out HSTS?";
const hsts = { agent_id: "transport-security-desk", question: QUESTION };

t.test(
	"a twin answers from its own notes, every sentence cited, and says what it is",
	async (t) => {
		const { status, body } = await post(CONSULT, hsts);
		t.equal(status, 200);
		const { data, meta } = body;
		t.match(data, {
			consultation_id: /^cns_/,
			expert: {
				id: "transport-security-desk",
				is_ai_twin: true,
				consent: { basis: "synthetic", until: null },
				disclosure: /synthetic desk/,
			},
			answer: { stance: "recommends", confidence: Number, limits: Array },
			not_covered: [],
			kept_until: /^20/,
		});
		t.match(meta, {
			decision: "ANSWER",
			graphs_used: ["transport-security-desk"],
			model: { embedder: null, writer: "extractive" },
			cost: { amount_usd: "0.50" },
		});
		const numbers = new Set(data.citations.map(({ n }: { n: number }) => n));
		for (const { citation_ids: ids } of [...data.answer.sentences, ...data.answer.key_points]) {
			t.ok(ids.length > 0 && ids.every((n: number) => numbers.has(n)));
		}
		for (const { graph_id: id } of data.citations) t.equal(id, "transport-security-desk");
		const sentences = data.answer.sentences.map(({ text }: { text: string }) => text);
		t.equal(data.answer.text, sentences.join(" "));
	},
);

t.test("what a twin does not know is free, and it says who may", async (t) => {
	const before = await balance();
	const { status, body } = await post(CONSULT, {
		...hsts,
		question: "How does HTTP 402 let an agent pay with USDC?",
	});
	t.equal(status, 200);
	t.match(body.data, { consultation_id: null, answer: null, citations: [], kept_until: null });
	t.ok(body.data.not_covered.includes("USDC") || body.data.not_covered.includes("usdc"));
	t.ok(
		body.data.elsewhere.some(({ graph_id: id }: { graph_id: string }) => id === "agent-payments"),
	);
	t.match(body.meta, { decision: "ABSTAIN", cost: { charged: false } });
	t.equal(await balance(), before);
});

t.test("unknown experts and questions that are none cost nothing", async (t) => {
	const before = await balance();
	for (const [status, body] of [
		[404, { ...hsts, agent_id: "transport-securty-desk" }],
		[404, { ...hsts, agent_id: "../../etc/passwd" }],
		[400, { ...hsts, question: " " }],
		[400, { ...hsts, question: "x".repeat(2_001) }],
		[400, { ...hsts, agent_id: "" }],
		[400, { ...hsts, also: 1 }],
	] as const) {
		t.equal((await post(CONSULT, body)).status, status);
	}
	const near = await post(CONSULT, { ...hsts, agent_id: "transport-desk" });
	t.match(near.body.error.message, /near it transport-security-desk/);
	t.equal((await post(CONSULT, { ...hsts, agent_id: "nobody" }, "")).status, 404);
	t.equal(await balance(), before);
});

t.test("a consultation is read again and gone on from by its owner alone", async (t) => {
	const { data } = (await post(CONSULT, hsts)).body;
	const path = `/v1/human-agents/consultations/${data.consultation_id}`;
	t.same((await get(path)).body.data, data);
	const list = await get("/v1/human-agents/consultations?limit=1");
	t.match(list.body.data.items, [
		{ consultation_id: data.consultation_id, question: QUESTION, agent_id: hsts.agent_id },
	]);
	t.ok(list.body.meta.next_cursor);

	const next = await post(`${path}/follow-up`, { question: "And how long does it last?" });
	t.match(next.body.data, {
		follows: data.consultation_id,
		subject: "Rolling out HSTS in stages",
		answer: { sentences: [{}] },
	});
	t.ok(next.body.data.citations.some(({ trend_id: id }: { trend_id: string }) => /hsts/.test(id)));
	const alone = await post(`${path}/follow-up`, {
		question: "Should a server deploy HTTP public key pinning today?",
	});
	t.match(alone.body.data, { subject: null, answer: { stance: "advises against" } });

	for (const question of ["Who won the chess match?", "What about chocolate cake?"]) {
		const foreign = await post(`${path}/follow-up`, { question });
		t.match(foreign.body, {
			data: { answer: null, citations: [] },
			meta: { decision: "ABSTAIN", cost: { charged: false } },
		});
	}

	const before = (await get("/v1/spt/balance", other)).body.data.balance_usd;
	const unknown = `/v1/human-agents/consultations/cns_${"0".repeat(26)}`;
	const gone = (id: string) => `No consultation of yours is called "${id}"`;
	for (const [where, id] of [
		[path, data.consultation_id],
		[unknown, `cns_${"0".repeat(26)}`],
	]) {
		for (const reply of [
			await get(String(where), other),
			await get(String(where), ""),
			await post(`${where}/follow-up`, { question: "And then?" }, other),
		]) {
			t.equal(reply.status, 404);
			t.ok(reply.body.error.message.startsWith(gone(String(id))));
		}
	}
	t.same((await get("/v1/human-agents/consultations", other)).body.data.items, []);
	t.equal((await get("/v1/human-agents/consultations", "")).status, 401);
	t.equal((await get("/v1/spt/balance", other)).body.data.balance_usd, before);
});

t.test("sent again under its key, a consultation is the same and is paid once", async (t) => {
	const send = () =>
		app.send(CONSULT, {
			method: "POST",
			headers: { ...headersOf(token), "Idempotency-Key": "consult-again-1" },
			body: JSON.stringify(hsts),
		});
	const [first, second] = [await send(), await send()];
	t.equal(second.body.meta.cost.replayed, true);
	t.equal(second.body.data.consultation_id, first.body.data.consultation_id);
	t.notMatch(first.body.data.consultation_id, first.body.meta.cost.receipt_id.slice(5));
	t.notMatch(first.body.data.consultation_id.slice(14), first.body.meta.cost.receipt_id.slice(15));
});

t.test("a panel is paid by the expert who answers, and maps what they say", async (t) => {
	const before = Number(await balance());
	const ask = (agent_ids: string[], question: string) =>
		post("/v1/human-agents/panel", { agent_ids, question });
	const both = ["transport-security-desk", "api-design-desk"];
	const { status, body } = await ask(both, "Should a server send HSTS over HTTPS?");
	t.equal(status, 200);
	const answered = body.data.answers.filter(({ answer }: { answer: unknown }) => answer);
	t.equal(body.meta.answered, answered.length);
	t.equal(Number(await balance()), before - 0.5 * answered.length);
	const numbers = new Set(body.data.citations.map(({ n }: { n: number }) => n));
	const { shared, contradictions, single } = body.data.agreement;
	const points = [
		...shared.flatMap((one: { points: unknown[] }) => one.points),
		...contradictions.flatMap((pair: { one: unknown; other: unknown }) => [pair.one, pair.other]),
		...single,
	];
	t.ok(points.length > 0);
	for (const { citation_ids: ids } of points) {
		t.ok(ids.length > 0 && ids.every((n: number) => numbers.has(n)));
	}
	for (const [wanted, ids] of [
		[400, ["transport-security-desk"]],
		[400, ["transport-security-desk", "transport-security-desk"]],
		[404, ["transport-security-desk", "nobody"]],
	] as const) {
		t.equal((await ask([...ids], QUESTION)).status, wanted);
	}
	const none = await ask(both, "How do I bake sourdough bread?");
	t.match(none.body, { data: { agreement: { single: [] } }, meta: { cost: { charged: false } } });
});

t.test("what an expert can be asked and what it knows is free, in numbers", async (t) => {
	const questions = await get(`/v1/experts/${hsts.agent_id}/questions`, "");
	t.ok(questions.body.data.items.length > 5);
	const hosts: string[] = [];
	for (let cursor = ""; ; ) {
		const page = await get(`/v1/experts/api-design-desk/sources?limit=1${cursor}`, "");
		hosts.push(...page.body.data.items.map(({ host }: { host: string }) => host));
		if (page.body.meta.next_cursor === null) break;
		cursor = `&cursor=${page.body.meta.next_cursor}`;
	}
	t.ok(hosts.includes("rfc-editor.org"));
	t.same(hosts, [...new Set(hosts)].sort());
	t.equal((await get("/v1/experts/nobody/questions", "")).status, 404);
	t.equal((await get("/v1/experts/nobody/sources", "")).status, 404);
	t.match((await get(`/v1/experts/${hsts.agent_id}`, "")).body.data, {
		consent: { basis: "synthetic", until: null },
	});
});
