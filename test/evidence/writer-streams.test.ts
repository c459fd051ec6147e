import type { ServerResponse } from "node:http";
import t from "tap";
import { createLlmWriter, type LlmWriterDeps } from "../../skills/answers/writer/llm-writer.js";
import type { WriterUsage } from "../../skills/answers/writer/writer-endpoint.js";
import { createWriterMeter } from "../../skills/answers/writer/writer-meter.js";
import { writeFromPassages, writeStepwise } from "../../skills/answers/written-prose.js";
import { WRITER_LIMITS } from "../../src/contract/limits.js";
import { createConfiguredEgress } from "../../src/delivery/configured-egress.js";
import { toCitedSentences } from "../../src/evidence/cited-sentences.js";
import { withinCall } from "../../src/kernel/call-scope.js";
import { systemClock } from "../../src/kernel/clock.js";
import { parseWriterSettings } from "../../src/settings/outbound-settings.js";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";
import { handJudge } from "../support/word-judge.js";
import { startWriterServer } from "../support/writer-server.js";

const concept = makeConcept({
	title: "HTTP 402",
	summary: "Status 402 asks a client for payment before the answer.",
	body: "A server names its price of 0.50 dollars in the challenge. Clients must not pay twice for one answer.",
});
const graph = makeGraph({}, [concept]);
const offered = toCitedSentences(graph, concept);
const passages = offered.map((sentence) => [sentence]);
const texts = offered.map(({ text }) => text);

function writerAt(url: string, more: Partial<LlmWriterDeps> = {}) {
	const { replyBytes: replyBytesMax } = WRITER_LIMITS;
	const egress = createConfiguredEgress({ urls: [url], replyBytesMax, streams: true });
	return createLlmWriter({
		...{ egress, clock: systemClock, url, timeoutMs: 20_000 },
		...{ preset: "openai", output: "json_schema", model: "small" },
		...more,
	});
}

const taskOf = () => ({
	purpose: "Answer the question.",
	question: "What does status 402 ask for?",
	...{ offered, passages, sentencesMax: 5, quotedMax: 3 },
	signal: new AbortController().signal,
});

/** A stream of pieces, as servers of models send them. */
function startEvents(res: ServerResponse) {
	res.setHeader("Content-Type", "text/event-stream");
	return {
		write: (content: string) =>
			void res.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`),
		end(usage?: object) {
			if (usage) res.write(`data: ${JSON.stringify({ choices: [], usage })}\n\n`);
			res.end("data: [DONE]\n\n");
		},
	};
}

const asJson = (ids: readonly string[], text: string | undefined) => JSON.stringify({ ids, text });

t.test("a sentence is shown once it is whole and has passed, and no token before", async (t) => {
	let onAsked: (events: ReturnType<typeof startEvents>) => void = () => undefined;
	const asked = new Promise<ReturnType<typeof startEvents>>((resolve) => {
		onAsked = resolve;
	});
	const server = await startWriterServer(t, (_, res) => {
		const started = startEvents(res);
		started.write(`{"sentences": [${asJson(["p1"], texts[0]).slice(0, 30)}`);
		onAsked(started);
	});
	const services = { writer: writerAt(server.url), judge: handJudge() };
	const steps = writeStepwise(taskOf(), services);
	const first = steps.next();
	const events = await asked;
	events.write(`${asJson(["p1"], texts[0]).slice(30)}, {"ids": ["p2"],`);
	t.match(await first, { done: false, value: { text: texts[0], evidence: [offered[0]] } });
	const second = steps.next();
	events.write(' "text": "The price is 7 dollars."}, ');
	events.write(`${asJson(["p2"], "The price in the challenge is 0.50 dollars.")},`);
	t.match(await second, {
		value: { text: "The price in the challenge is 0.50 dollars.", evidence: [offered[1]] },
	});
	events.write(`${asJson(["p3"], texts[2])}]}`);
	events.end({ prompt_tokens: 900, completion_tokens: 80 });
	t.match(await steps.next(), { value: { text: texts[2] } });
	t.match(await steps.next(), {
		done: true,
		value: { writer: "llm:small", warnings: [/^1 sentences .* left out/] },
	});
});

t.test("where a stream breaks off, what was shown stays and the rest is quoted", async (t) => {
	const server = await startWriterServer(t, (_, res) => {
		const events = startEvents(res);
		events.write(`{"sentences": [${asJson(["p1"], texts[0])}, {"ids": ["p2"`);
		setTimeout(() => res.destroy(), 50);
	});
	const steps = writeStepwise(taskOf(), { writer: writerAt(server.url), judge: handJudge() });
	const shown: string[] = [];
	let step = await steps.next();
	for (; !step.done; step = await steps.next()) shown.push(step.value.text);
	t.same(shown, texts);
	t.match(step.value, {
		writer: "llm:small",
		warnings: [/broke off its draft/, /^2 passages it leaves out are quoted/],
	});
	t.equal(server.asked.length, 1, "what was shown is not written again");
});

t.test("a draft that loses evidence is replaced by the passages", async (t) => {
	const server = await startWriterServer(t, () => [{ text: texts[0], ids: ["p1"] }]);
	const services = { writer: writerAt(server.url), judge: handJudge() };
	const lost = await writeFromPassages(taskOf(), services);
	t.equal(lost.writer, "extractive");
	t.same(
		lost.sentences.map(({ text }) => text),
		texts,
	);
	t.match(lost.warnings, [/left out evidence.*quotes its evidence instead/]);
	// What weighs next to nothing in the engine's choice may be left out.
	const light = { part: 0, weight: 2, likelihood: 0.1 };
	const weights = [
		{ ...light, likelihood: 0.9 },
		{ ...light, likelihood: 0.05 },
		{ ...light, likelihood: 0.05 },
	];
	const kept = await writeFromPassages({ ...taskOf(), weights }, services);
	t.equal(kept.writer, "llm:small");
	t.same(
		kept.rest.map(({ text }) => text),
		texts.slice(1),
	);
});

t.test("each preset asks in its own way, and passages are the only ids", async (t) => {
	const bodies: Record<string, unknown> = {};
	const server = await startWriterServer(t, () => [{ text: texts[0], ids: ["p1"] }]);
	const outputs = [
		"json_schema",
		"json_object",
		"structured_outputs",
		"guided_json",
		"json",
	] as const;
	for (const output of outputs) {
		await writeFromPassages(taskOf(), {
			writer: writerAt(server.url, { output }),
			judge: handJudge(),
		});
		bodies[output] = server.asked.at(-1)?.asked;
	}
	const items = { properties: { ids: { items: { enum: ["p1", "p2", "p3"] } }, text: {} } };
	const schema = { properties: { sentences: { maxItems: 5, items } } };
	t.match(bodies, {
		json_schema: {
			response_format: { type: "json_schema", json_schema: { strict: true, schema } },
		},
		json_object: { response_format: { type: "json_object", schema } },
		structured_outputs: { structured_outputs: { json: schema } },
		guided_json: { guided_json: schema },
		json: { stream: true, response_format: undefined },
	});
	t.same(
		server.asked.at(-1)?.data.evidence.map(({ id, text }) => [id, text]),
		texts.map((text, at) => [`p${at + 1}`, text]),
	);
});

t.test("a server that takes no notice of a schema is asked for lines", async (t) => {
	const server = await startWriterServer(t, ({ system }) =>
		system.includes("READY")
			? "READY"
			: `Here you are:\np1|${texts[0]}\np2,p3|${texts[1]}\n- [p3] | ${texts[2]}`,
	);
	const writer = writerAt(server.url, { output: undefined });
	const services = { writer, judge: handJudge() };
	const { sentences } = await writeFromPassages(taskOf(), services);
	t.same(
		sentences.map(({ text, evidence }) => [text, evidence.map(({ place }) => place)]),
		texts.map((text, place) => [text, [place]]),
	);
	t.match(server.asked[1]?.system, /p1,p3\|Water boils/);
	await writeFromPassages(taskOf(), services);
	t.equal(server.asked.length, 3, "it is tried out once");
});

t.test("a draft that cannot be read is asked for again as lines", async (t) => {
	const server = await startWriterServer(t, ({ system }) =>
		system.includes("lines alone")
			? texts.map((text, at) => `p${at + 1}|${text}`).join("\n")
			: "Sure!",
	);
	const services = { writer: writerAt(server.url), judge: handJudge() };
	t.match(await writeFromPassages(taskOf(), services), { writer: "llm:small", warnings: [] });
	t.equal(server.asked.length, 2);
});

t.test("Ollama is asked by its own interface, for as much context as the model has", async (t) => {
	const server = await startWriterServer(t, ({ path }, res) => {
		if (path.endsWith("/api/show")) {
			return void res.end(JSON.stringify({ model_info: { "qwen2.context_length": 32_768 } }));
		}
		res.setHeader("Content-Type", "application/x-ndjson");
		const content = JSON.stringify({
			sentences: texts.map((text, at) => ({ ids: [`p${at + 1}`], text })),
		});
		for (const part of [content.slice(0, 40), content.slice(40)]) {
			res.write(`${JSON.stringify({ message: { content: part }, done: false })}\n`);
		}
		const counts = { prompt_eval_count: 40, eval_count: 90 };
		return void res.end(`${JSON.stringify({ message: { content: "" }, done: true, ...counts })}\n`);
	});
	const used: WriterUsage[] = [];
	const writer = writerAt(server.url, {
		...{ preset: "ollama", output: undefined },
		onUsage: (usage) => void used.push(usage),
	});
	const prose = await writeFromPassages(taskOf(), { writer, judge: handJudge() });
	t.match(prose, { writer: "llm:small", warnings: [] });
	t.same(
		server.asked.map(({ path }) => path),
		["POST /api/show", "POST /api/chat", "POST /api/chat"],
	);
	t.match(server.asked.at(-1)?.asked, {
		format: { properties: { sentences: {} } },
		options: { temperature: 0, num_ctx: WRITER_LIMITS.contextTokensMost },
	});
	// Forty tokens cannot hold what was sent: the server has cut it.
	t.match(used.at(-1), { tokensIn: 40, tokensOut: 90, isCut: true, isEstimated: false });
});

t.test("what a model costs is logged beside the call, for the operator", async (t) => {
	const server = await startWriterServer(t, (_, res) => {
		const events = startEvents(res);
		events.write(JSON.stringify({ sentences: [{ ids: ["p1"], text: texts[0] }] }));
		events.end({ prompt_tokens: 1_000, completion_tokens: 101 });
	});
	const logged: unknown[] = [];
	const meter = createWriterMeter({
		logger: { info: (message, fields) => void logged.push({ message, ...fields }) },
		price: { inMicros: 150_000n, outMicros: 600_000n },
	});
	const writer = writerAt(server.url, { onUsage: meter.add });
	const scope = { id: "req_1", operationId: "chat.send" };
	await withinCall(scope, () => writeFromPassages(taskOf(), { writer, judge: handJudge() }));
	t.match(logged, [
		{
			call: "req_1",
			operation: "chat.send",
			tokensIn: 1_000,
			tokensOut: 101,
			cost_micro_usd: 211n,
		},
	]);
	const sums = { requests: 1, tokens_in: 1_000, tokens_out: 101, cost_usd: "0.000211" };
	t.same(meter.report(), { ...sums, operations: [{ operation: "chat.send", ...sums }] });
});

t.test("a preset fills in what is not set", (t) => {
	const parse = (set: Record<string, string>) =>
		parseWriterSettings(
			(name) => (name === "writer_timeout_ms" ? "500" : (set[name] ?? "")),
			undefined,
		);
	t.match(parse({ writer_preset: "ollama" }), {
		...{ preset: "ollama", url: "http://127.0.0.1:11434", model: undefined, price: undefined },
	});
	t.match(
		parse({
			writer_preset: "vllm",
			writer_url: "http://127.0.0.1:9000/v1/",
			writer_output: "lines",
		}),
		{
			...{ preset: "vllm", url: "http://127.0.0.1:9000/v1", output: "lines" },
		},
	);
	const priced = { writer_usd_per_million_in: "0.15", writer_context_tokens: "4096" };
	t.match(parse({ writer_url: "https://models.example/v1", writer_model: "m", ...priced }), {
		...{ preset: "openai", contextTokens: 4_096, price: { inMicros: 150_000n, outMicros: 0n } },
	});
	t.throws(() => parse({ writer_preset: "openai" }), /needs writer_model/);
	t.throws(() => parse({ writer_preset: "gpt" }), /use one of ollama, llama\.cpp, vllm, openai/);
	t.throws(() => parse({ writer_preset: "vllm", writer_output: "xml" }), /no writer_output/);
	t.throws(() => parse({ writer_preset: "vllm", writer_context_tokens: "9" }), /from 1024/);
	t.end();
});
