/**
 * What the sample catalog answers to the example requests, for OpenAPI to show: `examples/replies.json`, by operation id. An operation
 * whose definition holds a reply of its own is not asked for one.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type App, createApp } from "../src/app/app.js";
import type { Operation } from "../src/contract/operation.js";
import { type Clock, stderrLogger, systemClock } from "../src/kernel/kernel.js";
import type { Definition } from "./prices.js";

const NOW = Date.parse("2026-11-22T12:00:00.000Z");
const PATIENCE = 10;
const BALANCE_USD = "100.00";
/** What the example of an erasure gives up. */
const ACCOUNT_USD = "58.50";
const BOUGHT = "graphs.search";
/** Lists are shown by their first members, texts by how they begin. */
const SHOWN = { objects: 1, values: 3, textChars: 400, documentChars: 1200 };
/** Kind and the rest of an id; Markdown escapes the underscore between them. */
const ID = /\b([a-z]{3,4})(\\?_)([0-9a-hjkmnp-tv-z]{26,})\b/g;
/** Their examples ask for what the sample catalog does not hold, so that their replies say so. */
const UNANSWERED: ReadonlySet<string> = new Set(["analysts.debate", "search.report"]);
const EXAMPLE_ID = "01kg9yz3v0f6x2m8q4t7w1ab2c";
const ENDINGS = "cdefghjkm";
/** Every call has its own: what they name is no record that later examples read. */
const OF_CALLS: ReadonlySet<string> = new Set(["req", "rcpt", "txn"]);
const SECRET = /\b(spt_test|sk_test|ct)_\w{30,}/g;
const WEBHOOK_SECRET = /whsec_[\w+/]+=*/g;

/** One buyer for the operations of one folder, so that those of others change neither its balance nor its time. */
interface Buyer {
	readonly header: string;
	readonly token: string;
	/** What its records are called, by the kind of their id, in the order in which they were seen. */
	readonly ids: Map<string, string[]>;
	/** How the n-th id of a kind reads in examples. */
	readonly nameId: (kind: string, n: number) => string;
	asked: number;
}

export async function renderReplies(definitions: readonly Definition[]): Promise<string> {
	const folder = mkdtempSync(join(tmpdir(), "tollgraph-examples-"));
	try {
		return await withServer(folder, async (baseUrl, app, setTime) => {
			const buyers = new Map<string, Buyer>();
			const replies: Record<string, unknown> = {};
			const nameId = exampleIds(definitions);
			const bought = definitions.find(({ operation }) => operation.id === BOUGHT)?.operation;
			for (const { file, operation } of inOrder(definitions.filter(isAsked))) {
				const ofAccount = "scheme" in operation && operation.scheme === "account";
				const name = `${dirname(file)} ${ofAccount}`;
				let buyer = buyers.get(name);
				if (!buyer) {
					setTime(NOW);
					buyer = { ...(await newCredential(app, ofAccount)), nameId, ids: new Map(), asked: 1 };
					buyers.set(name, buyer);
					// Its usage is read afterwards.
					if (ofAccount && bought) await ask(baseUrl, bought, buyer);
				}
				setTime(NOW + 1000 * buyer.asked++);
				const text = await ask(baseUrl, operation, buyer);
				learnIds(buyer, text);
				replies[operation.id] = toExample(nameIds(withoutChance(text), buyer));
			}
			const inTableOrder = definitions.filter(({ operation: { id } }) => id in replies);
			const listed = inTableOrder.map(({ operation: { id } }) => [id, replies[id]]);
			return `${JSON.stringify(Object.fromEntries(listed), undefined, "\t")}\n`;
		});
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function withServer<T>(
	folder: string,
	use: (baseUrl: string, app: App, setTime: (ms: number) => void) => Promise<T>,
): Promise<T> {
	let now = NOW;
	const clock: Clock = {
		...systemClock,
		now: () => now,
		monotonicMs: () => 0,
		// A busy machine gives the same answers: it is waited for longer than a caller would.
		after: (delayMs, task, waits) => systemClock.after(PATIENCE * delayMs, task, waits),
	};
	const app = await createApp({
		settings: {
			profile: "demo",
			host: "127.0.0.1",
			port: 0,
			data: folder,
			catalog: "sample",
			model: "bundled",
			judge: "bundled",
			publicUrl: "https://api.example.org",
			contact: undefined,
			onchain: { facilitator: "off" },
			prices: {},
		},
		clock,
		logger: { ...stderrLogger, info: () => undefined },
	});
	const server = await app.listen({ host: "127.0.0.1", port: 0 });
	try {
		await app.ready();
		return await use(`http://127.0.0.1:${server.port}`, app, (ms) => {
			now = ms;
		});
	} finally {
		await server.drain();
		await app.close();
	}
}

function isAsked({ operation: { kind, example } }: Definition): boolean {
	return kind !== "document" && !("data" in example || "reply" in example);
}

/** What makes a record is asked before it is read, and what ends it afterwards, the whole account last. */
function inOrder(definitions: readonly Definition[]): readonly Definition[] {
	const rankOf = ({ operation: { id, method, path } }: Definition) => {
		if (method === "DELETE") return 1000 - path.length;
		return /\.(?:create|give)$/.test(id) ? 0 : 1;
	};
	return definitions.toSorted((a, b) => rankOf(a) - rankOf(b));
}

async function newCredential({ operator }: App, ofAccount: boolean) {
	if (!ofAccount)
		return { header: "X-Pay-SPT", ...(await operator.issueSpt({ usd: BALANCE_USD })) };
	const { key: token } = await operator.createKey({ usd: ACCOUNT_USD });
	return { header: "X-API-Key", token };
}

/** The reply's text; that of a job, once its work is done. Throws where the example of an operation is not answered. */
async function ask(baseUrl: string, operation: Operation, buyer: Buyer): Promise<string> {
	const request = requestOf(operation, buyer);
	const reply = await fetch(`${baseUrl}${request.path}`, request);
	const text = await reply.text();
	const costsNothing = /"receipt_id":null,"charged":false(?:,"held":false)?}/.test(text);
	if (!reply.ok || (costsNothing && !UNANSWERED.has(operation.id)))
		throw new Error(`The example of ${operation.id} has no answer: ${text}`);
	if (reply.status === 202) {
		const { job_id } = JSON.parse(text).data;
		const events = `${baseUrl}/v1/research/deep-dive/${job_id}/events`;
		await (await fetch(events, { headers: request.headers })).text();
	}
	return text;
}

/** Records are named by the ids they have here in place of those in the example. */
function requestOf(operation: Operation, { header, token, ids, nameId }: Buyer) {
	const { params = {}, query = {}, body = {} } = operation.example;
	const withOwnIds = (text: string) =>
		text.replace(ID, (id: string, kind: string) => {
			const known = ids.get(kind) ?? [];
			return known.find((_, n) => nameId(kind, n) === id) ?? known[0] ?? id;
		});
	const path = operation.path.replace(/\{(\w+)\}/g, (_, name) =>
		encodeURIComponent(params[name] ?? ""),
	);
	const sendsBody = "body" in operation && operation.body !== undefined;
	return {
		method: operation.method,
		path: withOwnIds(`${path}?${new URLSearchParams(query)}`),
		headers: {
			[header]: token,
			...(sendsBody && { "Content-Type": "application/json" }),
		} as Record<string, string>,
		...(sendsBody && { body: withOwnIds(JSON.stringify(body)) }),
	};
}

function learnIds({ ids }: Buyer, text: string): void {
	for (const [id, kind = ""] of text.matchAll(ID)) {
		const known = ids.get(kind) ?? [];
		if (!known.includes(id)) ids.set(kind, [...known, id]);
	}
}

/** How the n-th id of a kind reads: the first as in the example requests. */
function exampleIds(definitions: readonly Definition[]): Buyer["nameId"] {
	const named = new Map<string, string>();
	for (const { operation } of definitions) {
		const { params, query, body } = operation.example;
		for (const [id, kind = ""] of JSON.stringify([params, query, body]).matchAll(ID))
			named.set(kind, id);
	}
	return (kind, n) => {
		const first = named.get(kind) ?? `${kind}_${EXAMPLE_ID}`;
		const others = ENDINGS.replace(first.slice(-1), "");
		return n === 0 ? first : `${first.slice(0, -1)}${others[n - 1] ?? "z"}`;
	};
}

function nameIds(text: string, { ids, nameId }: Buyer): string {
	const here = new Map<string, string[]>();
	return text.replace(ID, (_, kind: string, underscore: string, rest: string) => {
		const id = `${kind}_${rest}`;
		const known = OF_CALLS.has(kind) ? (here.get(kind) ?? []) : (ids.get(kind) ?? []);
		here.set(kind, known.includes(id) ? known : [...known, id]);
		return nameId(kind, Math.max(0, known.indexOf(id))).replace("_", underscore);
	});
}

/** Secrets, how far the journal has come, and when it was last checked are others at every run. */
function withoutChance(text: string): string {
	return text
		.replace(SECRET, "$1_0123456789abcdefghijklmnopqrstuvwxyz")
		.replace(/"sequence":\d+/g, '"sequence":100')
		.replace(/("checked_at":")[^"]+/g, `$1${new Date(NOW).toISOString()}`)
		.replace(WEBHOOK_SECRET, "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=");
}

function toExample(text: string): unknown {
	return text.startsWith("{") ? shorten(JSON.parse(text)) : beginning(text);
}

/** The first events of a stream, the first paragraphs of a document. */
function beginning(text: string): string {
	const parts = text.split(/(?<=\n\n)/);
	let shown = parts.shift() ?? "";
	for (const part of parts) {
		if (shown.length + part.length > SHOWN.documentChars) break;
		shown += part;
	}
	return shown;
}

function shorten(value: unknown): unknown {
	if (typeof value === "string" && value.length > SHOWN.textChars)
		return `${value.slice(0, SHOWN.textChars)}…`;
	if (Array.isArray(value)) {
		const isOfObjects = value.some((member) => typeof member === "object");
		return value.slice(0, isOfObjects ? SHOWN.objects : SHOWN.values).map(shorten);
	}
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shorten(member)]));
}

/** Scores of a model are rounded sums, whose last digit may be another on another processor. */
export function isAlike(a: unknown, b: unknown): boolean {
	if (typeof a === "number" && typeof b === "number")
		return Math.abs(a - b) < 0.001 * Math.max(1, Math.abs(a));
	if (typeof a !== "object" || typeof b !== "object" || !a || !b) return a === b;
	const [left, right] = [Object.entries(a), Object.entries(b)];
	return (
		left.length === right.length &&
		left.every(([key, value], at) => key === right[at]?.[0] && isAlike(value, right[at]?.[1]))
	);
}
