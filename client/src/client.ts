/** Calls what a tollgraph server sells, within the limits of the one who pays. */
import {
	type CallOperationId,
	type JobOperationId,
	type OperationId,
	type Operations,
	type PaidOperationId,
	type StreamOperationId,
	toAddress,
} from "./address.js";
import { createBudget, type Ledger, memoryLedger } from "./budget.js";
import { ClientError, invalidArgument } from "./errors.js";
import { type Job, launchJob, openJob } from "./job.js";
import { formatUsd, parseUsd } from "./money.js";
import {
	assertShape,
	type CallOptions,
	order,
	type Quote,
	quoteOf,
	type Shop,
	toOutgoing,
} from "./order.js";
import type { Payer } from "./payers.js";
import { createReceipts, type ReceiptKey, type Receipts } from "./receipts.js";
import type { Reply } from "./reply.js";
import { createTransport, newTrace, type RetryOptions } from "./send.js";
import { type EventStream, openStream } from "./stream.js";

export type Input<Id extends OperationId> = Operations[Id]["input"];
export type Output<Id extends OperationId> = Operations[Id]["output"];

export interface ClientOptions {
	/** Pays for what is not free; `spt`, `apiKey`, `x402` and `mpp` make one. */
	readonly pay?: Payer | undefined;
	/** USD that one call may cost. */
	readonly maxPrice?: string | undefined;
	/** USD that all calls of this client, and those of a day in UTC, may cost. */
	readonly budget?: { readonly session?: string | undefined; readonly day?: string | undefined };
	/** Remembers what was spent in a day; in memory by default. */
	readonly ledger?: Ledger | undefined;
	/** What `issuer` and keys receipts must have; the server's own by default. */
	readonly receipts?: { readonly issuer?: string; readonly keys?: readonly ReceiptKey[] };
	readonly retry?: Partial<RetryOptions> | undefined;
	/** Of one attempt. */
	readonly timeoutMs?: number | undefined;
	/** A stream on which nothing comes for so long is resumed; the server sends a comment every 15 seconds. */
	readonly idleMs?: number | undefined;
	readonly maxReplyBytes?: number | undefined;
	/** Lets credentials go to another machine without TLS. */
	readonly allowInsecureHttp?: boolean | undefined;
	readonly fetch?: typeof fetch | undefined;
	/** Epoch milliseconds; says which day it is. */
	readonly now?: (() => number) | undefined;
}

export interface Client {
	readonly baseUrl: string;
	/** Any operation that is answered at once. With `dryRun` it is not made, and the answer is its quote. */
	call<Id extends CallOperationId & PaidOperationId>(
		id: Id,
		input: Input<Id>,
		options: CallOptions & { readonly dryRun: true },
	): Promise<Quote>;
	call<Id extends CallOperationId>(
		id: Id,
		input: Input<Id>,
		options?: CallOptions & { readonly dryRun?: false },
	): Promise<Output<Id>>;
	/** What a call would cost; the price stands for ten minutes. */
	quote<Id extends PaidOperationId>(
		id: Id,
		input: Input<Id>,
		options?: Pick<CallOptions, "signal">,
	): Promise<Quote>;
	/** One graph searched. */
	search(
		graphId: string,
		input: Omit<Input<"graphs.search">, "graph_id">,
		options?: CallOptions,
	): Promise<Output<"graphs.search">>;
	/** Paid for when it is read, once. */
	stream<Id extends StreamOperationId>(
		id: Id,
		input: Input<Id>,
		options?: CallOptions,
	): EventStream;
	launch<Id extends JobOperationId>(id: Id, input: Input<Id>, options?: CallOptions): Promise<Job>;
	deepDive(input: Input<"research.deep_dive">, options?: CallOptions): Promise<Job>;
	/** A job that was launched before, e.g. by another process. */
	job(id: string): Job;
	readonly receipts: Receipts;
	/** USD that were charged, or are reserved for calls under way, since this client was made. */
	spentUsd(): string;
}

const DEFAULTS = {
	retry: { attempts: 4, pauseMs: 250, pauseMostMs: 20_000 },
	timeoutMs: 120_000,
	idleMs: 45_000,
	maxReplyBytes: 16 * 1024 * 1024,
} as const;

/** Throws INVALID_ARGUMENT for what cannot be an address or an amount. */
export function createClient(baseUrl: string, options: ClientOptions = {}): Client {
	const { pay, budget = {}, now = Date.now, receipts = {} } = options;
	const { idleMs = DEFAULTS.idleMs } = options;
	const base = toBase(baseUrl, options);
	const shop: Shop = {
		transport: createTransport({
			baseUrl: base,
			fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
			timeoutMs: options.timeoutMs ?? DEFAULTS.timeoutMs,
			retry: { ...DEFAULTS.retry, ...options.retry },
			bytesMax: options.maxReplyBytes ?? DEFAULTS.maxReplyBytes,
		}),
		payer: pay,
		maxPrice: readLimit(options.maxPrice, "maxPrice"),
		budget: createBudget({
			session: readLimit(budget.session, "budget.session"),
			day: readLimit(budget.day, "budget.day"),
			ledger: options.ledger ?? memoryLedger(),
			now,
		}),
	};
	const quote: Client["quote"] = async (id, input, { signal } = {}) =>
		(await quoteOf(shop.transport, id, { input, signal })).quote;
	const call = async (
		id: CallOperationId,
		input: object,
		callOptions: CallOptions & { readonly dryRun?: boolean } = {},
	) => {
		if (callOptions.dryRun) return quote(id as PaidOperationId, input as never, callOptions);
		return (await answerOf(shop, id, { input, options: callOptions })).body;
	};
	return {
		baseUrl: base,
		call: call as Client["call"],
		quote,
		search: (graph_id, input, callOptions) =>
			(call as Client["call"])("graphs.search", { ...input, graph_id }, callOptions),
		stream: (id, input, callOptions = {}) =>
			openStream(shop, id, { input, options: callOptions, idleMs }),
		launch: (id, input, callOptions = {}) =>
			launchJob(shop, id, { input, options: callOptions, idleMs }),
		deepDive: (input, callOptions = {}) =>
			launchJob(shop, "research.deep_dive", { input, options: callOptions, idleMs }),
		job: (id) => openJob(shop, id, { idleMs }),
		receipts: createReceipts(shop, { issuer: receipts.issuer ?? base, keys: receipts.keys }),
		spentUsd: () => formatUsd(shop.budget.counted()),
	};
}

async function answerOf(
	shop: Shop,
	id: CallOperationId,
	{ input, options }: { readonly input: object; readonly options: CallOptions },
): Promise<Reply> {
	const address = toAddress(id, input);
	switch (address.kind) {
		case "stream":
		case "job":
			throw invalidArgument(
				`${id} is answered as a ${address.kind}; use client.${address.kind === "job" ? "launch" : "stream"}.`,
			);
		case "paid":
		case "purchase": {
			const { answer } = await order(shop, {
				address,
				input,
				options,
				exchange: shop.transport.send,
			});
			return answer as Reply;
		}
		default: {
			const reply = await sendFree(shop, toOutgoing(shop, address, options));
			assertShape(address, reply);
			return reply;
		}
	}
}

/** Nothing is charged for it, whatever becomes of it. */
function sendFree(
	{ transport }: Shop,
	outgoing: Parameters<typeof transport.send>[0],
): Promise<Reply> {
	return transport.send(outgoing, newTrace()).catch((error: unknown) => {
		if (error instanceof ClientError) error.chargedUsd = "0.00";
		throw error;
	});
}

function readLimit(text: string | undefined, name: string): bigint | undefined {
	return text === undefined ? undefined : parseUsd(text, name);
}

const ON_THIS_MACHINE = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Without a slash at its end. */
function toBase(baseUrl: string, { pay, allowInsecureHttp = false }: ClientOptions): string {
	if (!URL.canParse(baseUrl)) throw invalidArgument(`"${baseUrl.slice(0, 200)}" is no address.`);
	const { protocol, hostname, origin, pathname, search, hash, username } = new URL(baseUrl);
	if (!/^https?:$/.test(protocol) || search || hash || username) {
		throw invalidArgument("The address of a server is http or https, without query and user.");
	}
	const isSafe = protocol === "https:" || ON_THIS_MACHINE.test(hostname) || allowInsecureHttp;
	if (pay && !isSafe) {
		throw invalidArgument(
			`${origin} has no TLS, so anyone on the way could read the credential; use https, or allowInsecureHttp.`,
		);
	}
	return `${origin}${pathname.replace(/\/+$/, "")}`;
}
