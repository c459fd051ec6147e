/** How a caller asks each research product a question; every one is asked in the words of the question. */
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { ANSWER_LIMITS } from "../../src/contract/limits.js";
import type { Bought, Caller } from "./product-server.js";

export interface AskedQuestion {
	readonly id: string;
	readonly question: string;
	/** Graphs that it is about, the nearest first; where none is named, callers let the server choose. */
	readonly graphs?: readonly string[];
}

export interface Product {
	/** Id of the operation that answers. */
	readonly operation: string;
	/** Tokens of printed evidence that its facts are looked for in. */
	readonly tokens: number;
	/** Graphs that one of its calls can read; every graph where absent. */
	readonly reach?: (asked: AskedQuestion) => readonly string[];
	/** Is sold over the sample catalog alone: it needs an expert or an analyst. */
	readonly isCatalogOnly?: true;
	readonly ask: (caller: Caller, asked: AskedQuestion) => Promise<Bought>;
}

const EXPERTS = ["api-design-desk", "transport-security-desk"] as const;
const ANALYSTS = ["python-evolution", "javascript-and-rust-evolution"] as const;
const FALLBACK_GRAPH = "agent-payments";
const POLL_MS = 100;

/** By the name that the command line has for each. */
export const PRODUCTS = {
	answer: {
		operation: "answer.create",
		tokens: ANSWER_LIMITS.tokens,
		ask: (caller, { question }) => caller.buy("/v1/answer", { question }),
	},
	ask: {
		operation: "graphs.ask",
		tokens: ANSWER_LIMITS.tokens,
		reach: ({ graphs = [] }) => graphs.slice(0, 1),
		async ask(caller, asked) {
			const graph = asked.graphs?.[0] ?? (await routeTo(caller, asked));
			return caller.buy(`/v1/graphs/${graph}/ask`, { question: asked.question });
		},
	},
	consult: {
		operation: "human_agents.consult",
		tokens: ANSWER_LIMITS.tokens,
		isCatalogOnly: true,
		reach: (asked) => [pick(EXPERTS, asked)],
		ask: (caller, asked) =>
			caller.buy("/v1/human-agents/consult", {
				agent_id: pick(EXPERTS, asked),
				question: asked.question,
			}),
	},
	panel: {
		operation: "human_agents.panel",
		tokens: 500,
		isCatalogOnly: true,
		reach: () => EXPERTS,
		ask: (caller, { question }) =>
			caller.buy("/v1/human-agents/panel", { agent_ids: EXPERTS, question }),
	},
	dossier: {
		operation: "intelligence.dossier",
		tokens: 1_500,
		ask: (caller, { question: topic }) => caller.buy("/v1/intelligence/dossier", { topic }),
	},
	"dive-fast": {
		operation: "research.deep_dive",
		tokens: 2_000,
		ask: (caller, asked) => awaitDive(caller, asked, "fast"),
	},
	"dive-comprehensive": {
		operation: "research.deep_dive",
		tokens: 4_000,
		ask: (caller, asked) => awaitDive(caller, asked, "comprehensive"),
	},
	chat: {
		operation: "research.chat",
		tokens: ANSWER_LIMITS.tokens,
		ask: (caller, { id: sessionId, question: message }) =>
			caller.buy("/v1/research/chat", { sessionId, message }),
	},
	stream: { operation: "research.stream", tokens: ANSWER_LIMITS.tokens, ask: followStream },
	briefing: { operation: "research.schedules.run", tokens: 1_500, ask: runBriefing },
	analyst: {
		operation: "analysts.consult",
		tokens: 800,
		isCatalogOnly: true,
		reach: (asked) => [pick(ANALYSTS, asked)],
		ask: (caller, asked) =>
			caller.buy("/v1/analysts/consult", {
				analyst: pick(ANALYSTS, asked),
				question: asked.question,
			}),
	},
	debate: {
		operation: "analysts.debate",
		tokens: 1_000,
		isCatalogOnly: true,
		ask: (caller, { question }) => caller.buy("/v1/analysts/debate", { question }),
	},
} satisfies Readonly<Record<string, Product>>;
export type ProductName = keyof typeof PRODUCTS;

const PRODUCT_NAMES = Object.keys(PRODUCTS) as ProductName[];

/** "all", or names with commas between them. Throws for a name that no product has. */
export function parseProducts(text: string): readonly ProductName[] {
	if (text === "all") return PRODUCT_NAMES;
	return text.split(",").map((name) => {
		const known = PRODUCT_NAMES.find((one) => one === name.trim());
		if (known) return known;
		throw new Error(`No product is called "${name}"; name some of ${PRODUCT_NAMES.join(", ")}.`);
	});
}

/** The first that the question is about, else the same for the same question. */
function pick(names: readonly string[], { id, graphs = [] }: AskedQuestion): string {
	const place = Number.parseInt(id.replace(/\D+/g, ""), 10) % names.length;
	return graphs.find((graph) => names.includes(graph)) ?? names[place] ?? "";
}

const routeSchema = z.object({
	data: z.object({ graphs: z.array(z.object({ graph_id: z.string() })) }),
});

export async function routeTo(
	caller: Caller,
	{ question: query }: Pick<AskedQuestion, "question">,
): Promise<string> {
	const routed = await caller.sendFor("/v1/search/route", { query, limit: 1 });
	return routeSchema.parse(routed).data.graphs[0]?.graph_id ?? FALLBACK_GRAPH;
}

const costSchema = z.object({ charged: z.boolean(), held: z.boolean().optional() });
const launchSchema = z.object({
	data: z.object({ job_id: z.string(), links: z.object({ status: z.string() }) }),
});
const jobSchema = z.object({
	data: z.object({ status: z.string(), cost: costSchema, report: z.unknown() }),
});

/** A job's price is held when it begins and taken at its end. */
async function awaitDive(
	caller: Caller,
	{ question: query }: AskedQuestion,
	mode: "fast" | "comprehensive",
): Promise<Bought> {
	const launched = await caller.sendFor("/v1/research/deep-dive", { query, mode });
	const { job_id: id, links } = launchSchema.parse(launched).data;
	for (;;) {
		const { status, cost, report } = jobSchema.parse(await caller.sendFor(links.status)).data;
		if (status === "failed") throw new Error(`${links.status}: the job failed.`);
		if (status !== "queued" && status !== "running" && cost.held === false) {
			const data = report ?? {};
			if (!cost.charged) return { isCharged: false, data };
			const document = await caller.read(`/v1/research/deep-dive/${id}/export?format=md`);
			return { isCharged: true, data, document };
		}
		await wait(POLL_MS);
	}
}

const orderedSchema = z.object({ data: z.object({ schedule_id: z.string() }) });

/** Its order pays for a week that begins with the first briefing; the briefing says whether it is charged. */
async function runBriefing(caller: Caller, { question: topic }: AskedQuestion): Promise<Bought> {
	const order = { topic, frequency: "weekly" };
	const ordered = await caller.sendFor("/v1/research/schedules", order);
	const path = `/v1/research/schedules/${orderedSchema.parse(ordered).data.schedule_id}/run`;
	return caller.buy(path, {});
}

const doneSchema = z.object({ answer: z.object({ text: z.string() }) });
const usageSchema = z.object({ cost: costSchema });

async function followStream(caller: Caller, { question }: AskedQuestion): Promise<Bought> {
	const path = `/v1/research/stream?query=${encodeURIComponent(question)}`;
	const response = await caller.send(path);
	const text = await response.text();
	const dataOf = (event: string): readonly unknown[] => {
		const found = text.matchAll(new RegExp(`^event: ${event}\\n(?:id: .*\\n)?data: (.+)$`, "gm"));
		return [...found].map(([, data = ""]) => JSON.parse(data) as unknown);
	};
	const [usage] = dataOf("research\\.usage");
	if (usage === undefined) throw new Error(`${path}: ${response.status} without a cost`);
	const [done] = z.array(doneSchema).parse(dataOf("research\\.output\\.done"));
	const sentences = dataOf("research\\.output\\.delta");
	const citations = dataOf("research\\.evidence");
	const data = { answer: { text: done?.answer.text ?? "", sentences }, citations };
	return { isCharged: usageSchema.parse(usage).cost.charged, data };
}
