/** Who pays for what no graph answers: questions foreign to the sample catalog, each asked of every research skill as agents ask it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { type App, createApp } from "../src/app/create-app.js";
import { PACKAGE_ROOT } from "../src/kernel/package-info.js";
import { readSettings } from "../src/settings/read-settings.js";
import { round } from "./figures.js";
import { atMost, type Bar } from "./search/bars.js";

const CHARGED_MOST = 0.02;
/** Questions asked at once. */
const AT_ONCE = 2;
/** For one question each: more than all skills together cost. */
const BALANCE_USD = "500.00";
const POLL_MS = 100;
/** Longer topics are no names. */
const NAME_WORDS = 4;
const PROGRESS_EVERY = 10;

const FORMS = ["question", "topic", "brief"] as const;
const DISTANCES = ["far", "field", "close"] as const;
const questionSchema = z.strictObject({
	id: z.string(),
	question: z.string(),
	/** How it is put: as a question, a topic in a few words, or an order. */
	form: z.enum(FORMS),
	/** Another subject; a field that the catalog has; a thing that is there, asked for what is not said of it. */
	distance: z.enum(DISTANCES),
});
type OffTopicQuestion = z.infer<typeof questionSchema>;

interface SkillFigures {
	readonly asked: number;
	/** Shares of what was asked. */
	readonly charged: number;
	readonly by_distance: Readonly<Record<string, number>>;
	readonly by_form: Readonly<Record<string, number>>;
}

export interface OffTopicReport {
	readonly questions: number;
	/** Share of the searches whose rows a judge read: it is not waited for where the machine is too slow. */
	readonly read_by_judge: number;
	readonly skills: Readonly<Record<SkillName, SkillFigures>>;
	readonly bars: readonly Bar[];
}

/** Asks every `every`-th question; which of them are charged is not reported, because nothing may be tuned by them. */
export async function benchOffTopic(folder: string, every: number): Promise<OffTopicReport> {
	const questions = readQuestions().filter((_, at) => at % every === 0);
	const flags = { data: folder, port: "0", model: "bundled", judge: "bundled", facilitator: "off" };
	const silent = { info: () => undefined, error: () => undefined };
	const settings = readSettings({ flags, environment: {}, folder });
	const app = await createApp({ settings, logger: silent });
	const server = await app.listen({ host: "127.0.0.1", port: 0 });
	try {
		await app.ready();
		const asked = await askAll(app, `http://127.0.0.1:${server.port}`, questions);
		return toReport(asked, questions.length);
	} finally {
		await server.drain();
		await app.close();
	}
}

function readQuestions(): readonly OffTopicQuestion[] {
	const file = join(PACKAGE_ROOT, "bench", "labelled", "off-topic.jsonl");
	const lines = readFileSync(file, "utf8").trimEnd().split("\n");
	return lines.map((line) => questionSchema.parse(JSON.parse(line)));
}

interface Asked {
	readonly question: OffTopicQuestion;
	readonly skill: SkillName;
	readonly reply: PaidReply;
}

async function askAll(
	app: App,
	baseUrl: string,
	questions: readonly OffTopicQuestion[],
): Promise<readonly Asked[]> {
	const waiting = [...questions];
	const asked: Asked[] = [];
	let done = 0;
	const askNext = async (): Promise<void> => {
		const question = waiting.shift();
		if (!question) return;
		const { token } = await app.operator.issueSpt({ usd: BALANCE_USD });
		const caller = createCaller(baseUrl, token);
		for (const [skill, ask] of Object.entries(SKILLS) as [SkillName, Ask][]) {
			const reply = await ask(caller, question);
			if (reply) asked.push({ question, skill, reply });
		}
		done += 1;
		if (done % PROGRESS_EVERY === 0) process.stderr.write(`  ${done} of ${questions.length}\n`);
		await askNext();
	};
	await Promise.all(Array.from({ length: AT_ONCE }, askNext));
	return asked;
}

const costSchema = z.object({ charged: z.boolean(), held: z.boolean().optional() });
const paidReplySchema = z.object({
	meta: z.object({ cost: costSchema, effort: z.string().optional() }),
});
const routeSchema = z.object({
	data: z.object({ graphs: z.array(z.object({ graph_id: z.string() })) }),
});
const launchSchema = z.object({ data: z.object({ links: z.object({ status: z.string() }) }) });
const jobSchema = z.object({ data: z.object({ status: z.string(), cost: costSchema }) });
const streamedSchema = z.object({ cost: costSchema });

/** What the contract says of the charge. */
interface PaidReply {
	readonly isCharged: boolean;
	/** Of searches: "best" where the judge has read. */
	readonly effort?: string | undefined;
}

type Caller = ReturnType<typeof createCaller>;

/** Throws on every refusal: only an answered call says something about the charge. */
function createCaller(baseUrl: string, token: string) {
	const send = async (path: string, body?: object): Promise<Response> => {
		const headers = { "X-Pay-SPT": token, "Content-Type": "application/json" };
		const post = body && { method: "POST", body: JSON.stringify(body) };
		return fetch(`${baseUrl}${path}`, { headers, ...post });
	};
	const sendFor = async (path: string, body?: object): Promise<unknown> => {
		const response = await send(path, body);
		if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
		return response.json();
	};
	return {
		send,
		sendFor,
		async buy(path: string, body: object): Promise<PaidReply> {
			const { meta } = paidReplySchema.parse(await sendFor(path, body));
			return { isCharged: meta.cost.charged, effort: meta.effort };
		},
	};
}

type Ask = (caller: Caller, question: OffTopicQuestion) => Promise<PaidReply | undefined>;

const AGENTS = ["api-design-desk", "transport-security-desk"];
const ANALYSTS = ["python-evolution", "javascript-and-rust-evolution"];
const FALLBACK_GRAPH = "agent-payments";

/** Each is asked as the question is written; undefined where it is not for such a question. */
const SKILLS = {
	"search.all": (caller, { question: query }) => caller.buy("/v1/search", { query, limit: 10 }),
	"graphs.context": async (caller, { question: query }) => {
		const routed = await caller.sendFor("/v1/search/route", { query, limit: 1 });
		const [best] = routeSchema.parse(routed).data.graphs;
		const graph = best?.graph_id ?? FALLBACK_GRAPH;
		return caller.buy(`/v1/graphs/${graph}/context`, { query, max_tokens: 1_000 });
	},
	"human_agents.consult": (caller, { id, question }) =>
		caller.buy("/v1/human-agents/consult", { agent_id: pick(AGENTS, id), question }),
	"human_agents.panel": (caller, { question }) =>
		caller.buy("/v1/human-agents/panel", { agent_ids: AGENTS, question }),
	"analysts.consult": (caller, { id, question }) =>
		caller.buy("/v1/analysts/consult", { analyst: pick(ANALYSTS, id), question }),
	"analysts.debate": (caller, { question }) => caller.buy("/v1/analysts/debate", { question }),
	"intelligence.dossier": (caller, { question: topic }) =>
		caller.buy("/v1/intelligence/dossier", { topic }),
	"research.chat": (caller, { id: sessionId, question: message }) =>
		caller.buy("/v1/research/chat", { sessionId, message }),
	"research.stream": followStream,
	"research.deep_dive": awaitJob,
	"supplemental.context": (caller, { question: topic }) =>
		caller.buy("/v1/supplemental/context", { topic }),
	"verify.text": (caller, { question: text }) => caller.buy("/v1/verify/text", { text }),
	brand_intelligence: askForBrand,
} satisfies Readonly<Record<string, Ask>>;
type SkillName = keyof typeof SKILLS;

/** The same of a few for the same question. */
function pick(names: readonly string[], id: string): string | undefined {
	return names[Number.parseInt(id.replace(/\D+/g, ""), 10) % names.length];
}

async function followStream(caller: Caller, { question }: OffTopicQuestion): Promise<PaidReply> {
	const path = `/v1/research/stream?query=${encodeURIComponent(question)}`;
	const response = await caller.send(path);
	const text = await response.text();
	const usage = /^event: research\.usage\n(?:id: .*\n)?data: (.+)$/m.exec(text)?.[1];
	if (usage === undefined) throw new Error(`${path}: ${response.status} without a cost`);
	return { isCharged: streamedSchema.parse(JSON.parse(usage)).cost.charged };
}

/** A job's price is held when it begins and taken at its end. */
async function awaitJob(caller: Caller, { question: query }: OffTopicQuestion): Promise<PaidReply> {
	const launched = await caller.sendFor("/v1/research/deep-dive", { query, mode: "fast" });
	const { links } = launchSchema.parse(launched).data;
	for (;;) {
		const { status, cost } = jobSchema.parse(await caller.sendFor(links.status)).data;
		if (status === "failed") throw new Error(`${links.status}: the job failed.`);
		if (status !== "queued" && status !== "running" && cost.held === false) {
			return { isCharged: cost.charged };
		}
		await wait(POLL_MS);
	}
}

/** A brand that no one knows is not found, before any payment. */
async function askForBrand(caller: Caller, { question: name, form }: OffTopicQuestion) {
	if (form !== "topic" || name.split(" ").length > NAME_WORDS) return undefined;
	const path = `/v1/brand-intelligence/${encodeURIComponent(name)}`;
	const response = await caller.send(path, {});
	if (response.status === 404) return { isCharged: false };
	if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
	return { isCharged: paidReplySchema.parse(await response.json()).meta.cost.charged };
}

function toReport(asked: readonly Asked[], questions: number): OffTopicReport {
	const names = Object.keys(SKILLS) as SkillName[];
	const skills = Object.fromEntries(
		names.map((name) => [name, toFigures(asked.filter(({ skill }) => skill === name))]),
	) as Record<SkillName, SkillFigures>;
	const searches = asked.filter(({ skill }) => skill === "search.all");
	const bars = names.map((name) =>
		atMost(`${name}, off-topic charged`, skills[name].charged, CHARGED_MOST),
	);
	const readByJudge = shareOf(searches, ({ reply }) => reply.effort === "best");
	return { questions, read_by_judge: readByJudge, skills, bars };
}

function toFigures(asked: readonly Asked[]): SkillFigures {
	const charged = (part: readonly Asked[]) => shareOf(part, ({ reply }) => reply.isCharged);
	const by = (key: "distance" | "form", values: readonly string[]) =>
		Object.fromEntries(
			values.map((value) => [
				value,
				charged(asked.filter(({ question }) => question[key] === value)),
			]),
		);
	return {
		asked: asked.length,
		charged: charged(asked),
		by_distance: by("distance", DISTANCES),
		by_form: by("form", FORMS),
	};
}

function shareOf(asked: readonly Asked[], isCounted: (one: Asked) => boolean): number {
	return asked.length === 0 ? 0 : round(asked.filter(isCounted).length / asked.length);
}
