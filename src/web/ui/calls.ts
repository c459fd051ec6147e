/** Calls of this server by the pages. */

export interface CallOrder {
	readonly method: string;
	readonly path: string;
	readonly body?: unknown;
	/** Begins with spt_ or sk_; empty for none. */
	readonly token?: string;
	/** Sent again under the same key a call is charged once. */
	readonly key?: string;
	readonly headers?: Readonly<Record<string, string>>;
}

export interface CallReply {
	readonly status: number;
	readonly ms: number;
	/** Parsed where it is JSON. */
	readonly body: unknown;
	readonly text: string;
	readonly mediaType: string;
	readonly costUsd: string | null;
	readonly balanceUsd: string | null;
	readonly receiptId: string | null;
	readonly headers: Headers;
}

/** Throws where there is no answer at all; what the server refuses is a reply. */
export async function call(order: CallOrder): Promise<CallReply> {
	const { method, path, body, token = "", key } = order;
	const startedMs = performance.now();
	const response = await fetch(path, {
		method,
		headers: {
			...(body !== undefined && { "Content-Type": "application/json" }),
			...(key !== undefined && { "Idempotency-Key": key }),
			...credentialOf(token.trim()),
			...order.headers,
		},
		...(body !== undefined && { body: JSON.stringify(body) }),
		cache: "no-store",
		credentials: "omit",
		redirect: "error",
	});
	const text = await response.text();
	const mediaType = response.headers.get("Content-Type") ?? "";
	return {
		status: response.status,
		ms: Math.round(performance.now() - startedMs),
		body: mediaType.includes("json") ? parse(text) : undefined,
		text,
		mediaType,
		costUsd: response.headers.get("X-Cost-USD"),
		balanceUsd: response.headers.get("X-Balance-After-USD"),
		receiptId: response.headers.get("X-Receipt-Id"),
		headers: response.headers,
	};
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

function credentialOf(token: string): Record<string, string> {
	if (token === "") return {};
	return token.startsWith("sk_") ? { "X-API-Key": token } : { "X-Pay-SPT": token };
}

/** What went wrong, as the server says it; undefined for an answer. */
export function refusalOf(reply: CallReply): { code: string; message: string } | undefined {
	if (reply.status < 400) return undefined;
	const { error } = (reply.body ?? {}) as { error?: { code?: unknown; message?: unknown } };
	return {
		code: String(error?.code ?? reply.status),
		message: String(error?.message ?? "The server answered without a reason."),
	};
}

/** What a refused call cost, in a sentence. */
export function chargeOf(reply: CallReply): string {
	if (isCharged(reply)) return `${reply.costUsd} USD was charged.`;
	const isSettled = ["PAYMENT-RESPONSE", "Payment-Receipt"].some((name) => reply.headers.has(name));
	if (isSettled || refusalOf(reply)?.code === "SETTLEMENT_UNKNOWN")
		return "What became of the payment is not known yet. Send it again: it pays once.";
	return "Nothing was charged.";
}

export const isCharged = ({ costUsd }: CallReply): boolean =>
	costUsd !== null && costUsd !== "0.00";

interface Attempt {
	readonly key: string;
	/** A wallet's, once it has signed. */
	payment?: string;
}

export type Attempts = ReturnType<typeof createAttempts>;

/** What is sent again after no answer came goes under the same key, and with the same payment, so that it pays once. */
export function createAttempts() {
	/** By request: others may have been sent meanwhile. */
	const open = new Map<string, Attempt>();
	return {
		/** The attempt that a request belongs to. */
		of(request: unknown) {
			const text = JSON.stringify(request);
			const known = open.get(text);
			if (known) return known;
			const fresh: Attempt = { key: toHex(crypto.getRandomValues(new Uint8Array(16))) };
			open.set(text, fresh);
			return fresh;
		},
		/** Ends it with a reply that decides; another call of the same request is a new one. */
		end(request: unknown, { status }: CallReply): void {
			if (status < 500 && status !== 409 && status !== 429) open.delete(JSON.stringify(request));
		},
	};
}

export const toHex = (bytes: Uint8Array): string =>
	[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** A token that pays with paper money, where this server has one. */
export async function fetchDemoToken(): Promise<string> {
	const reply = await call({ method: "GET", path: "/docs/demo-token" });
	const { token } = (reply.body ?? {}) as { token?: unknown };
	if (typeof token === "string") return token;
	throw new Error(refusalOf(reply)?.message ?? "There is no demo token here.");
}
