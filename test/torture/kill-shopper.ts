import { fingerprintOf } from "../../payments/idempotency.js";
import { graphSearch } from "../../skills/search/searches.operations.js";
import { type Book, isDecided, type Order, type Purse, type Reply } from "./book.js";
import type { Dice } from "./dice.js";
import type { PayingAccount } from "./kill-wallets.js";
import type { Signed } from "./wallet.js";

export interface KillShopperDeps {
	readonly dice: Dice;
	readonly book: Book;
	readonly purse: Purse;
	readonly wallet: PayingAccount | undefined;
	/** Base address of the server that runs now; undefined while none does. */
	readonly baseUrl: () => string | undefined;
	readonly nextNumber: () => number;
	readonly isOver: () => boolean;
	/** Times that a caller asks for one thing. */
	readonly patience?: (() => number) | undefined;
}

const GRAPH = "agent-payments";
const PATH = `/v1/graphs/${GRAPH}/search`;
const PRICE_MICROS = 500_000n;
const PATIENCE = 40;

/** Buys over HTTP until it is over; what a dead server did not answer is asked again of the next one. */
export async function shopOverHttp(deps: KillShopperDeps): Promise<void> {
	const { book, isOver, dice, purse, wallet, nextNumber } = deps;
	while (!isOver()) {
		const number = nextNumber();
		// Every wallet names a key: a payment alone is bound by its nonce.
		const hasKey = wallet !== undefined || dice.chance(0.75);
		const query = `Which HTTP status code asks for payment? ${number}`;
		// As the server fills it up.
		const asked = graphSearch.input.parse({ graph_id: GRAPH, query, limit: 1 });
		const order: Order = {
			query,
			fingerprint: fingerprintOf("graphs.search", asked),
			operationId: "graphs.search",
			priceMicros: PRICE_MICROS,
			purse,
			idempotencyKey: hasKey ? `key-${number}` : undefined,
			attempts: [],
		};
		book.orders.push(order);
		await insist(deps, order);
	}
}

async function insist(deps: KillShopperDeps, order: Order): Promise<void> {
	const { book, baseUrl, wallet, isOver, patience = () => PATIENCE } = deps;
	const attempts = patience();
	let signed: Signed | undefined;
	for (let attempt = 0; attempt < attempts && !(isOver() && attempt > 0); ) {
		const base = baseUrl();
		if (base === undefined) {
			await pause(20);
			if (isOver()) return;
			continue;
		}
		attempt += 1;
		signed ??= await wallet?.sign({ value: order.priceMicros, url: `${base}${PATH}` });
		if (signed) book.signatures.set(signed.authorization.nonce, signed);
		const reply = await ask(base, order, signed);
		book.record(order, { reply, signed });
		if (isDecided(reply)) return;
		await pause(20);
	}
}

async function ask(base: string, order: Order, signed: Signed | undefined): Promise<Reply> {
	try {
		const response = await fetch(`${base}${PATH}`, {
			method: "POST",
			headers: headersOf(order, signed),
			body: JSON.stringify({ query: order.query, limit: 1 }),
		});
		return toReply(response.status, await response.json());
	} catch {
		return { kind: "unknown", why: "crash" };
	}
}

function headersOf({ purse, idempotencyKey }: Order, signed: Signed | undefined) {
	const { credential } = purse;
	const payload = signed?.payment.scheme === "x402" ? signed.payment.payload : undefined;
	const encoded = Buffer.from(JSON.stringify(payload ?? {})).toString("base64");
	return {
		"Content-Type": "application/json",
		...(credential?.scheme === "spt" && { "X-Pay-SPT": credential.token }),
		...(payload !== undefined && { "PAYMENT-SIGNATURE": encoded }),
		...(idempotencyKey !== undefined && { "Idempotency-Key": idempotencyKey }),
	};
}

interface Body {
	readonly meta?: {
		readonly cost?: { receipt_id: string | null; charged: boolean; replayed?: boolean };
	};
	readonly error?: { readonly code: string };
}

function toReply(status: number, body: unknown): Reply {
	const { meta, error } = body as Body;
	const cost = meta?.cost;
	if (status === 200 && cost) {
		const { receipt_id: receiptId, charged, replayed = false } = cost;
		if (receiptId === null && !charged) return { kind: "not charged" };
		return { kind: "delivered", receiptId, isReplay: replayed };
	}
	const code = error?.code ?? `HTTP_${status}`;
	// A store that stops and a server that drains leave the outcome open.
	return code === "UNAVAILABLE" ? { kind: "unknown", why: "stopped" } : { kind: "refused", code };
}

function pause(ms: number): Promise<void> {
	return new Promise((resolve) => {
		setTimeout(resolve, ms);
	});
}
