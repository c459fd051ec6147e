import t from "tap";
import { PaymentRequired } from "../../payments/challenge.js";
import type { Abandonment } from "../../src/contract/call.js";
import { searchReplySchema } from "../../src/contract/contract.js";
import { STATUS_OF, toErrorReply } from "../../src/http/error-reply.js";
import { ERROR_CODES, type ErrorCode, ServiceError } from "../../src/kernel/errors.js";
import { post, rawRequest } from "./raw-request.js";
import { soldResult, startRest } from "./start-rest.js";

const SEARCH = "/v1/graphs/web-payments/search";

t.test(
	"a paid answer carries the contract's shape, what it cost, and no way to be kept",
	async (t) => {
		const { baseUrl } = await startRest(t);
		const reply = await post(`${baseUrl}${SEARCH}`, { query: "payment" });
		const body = searchReplySchema.parse(await reply.json());
		t.same(Object.keys(body), ["ok", "dataStatus", "meta", "rows"]);
		t.equal(body.meta.query, "payment");
		t.equal(body.meta.request_id, reply.headers.get("x-request-id"));
		t.equal(body.meta.cost.receipt_id, "rcpt_0000000000000000000000000a");
		t.equal(reply.headers.get("content-type"), "application/json; charset=utf-8");
		t.equal(reply.headers.get("x-cost-usd"), "0.50");
		t.equal(reply.headers.get("x-balance-after-usd"), "1.50");
		t.equal(reply.headers.get("x-receipt-id"), "rcpt_0000000000000000000000000a");
		t.equal(reply.headers.get("cache-control"), "private, no-store");
		t.equal(reply.headers.get("server-timing"), "run;dur=1.25, pay;dur=0.50");
		t.equal(reply.headers.get("idempotent-replayed"), null);
		t.equal(reply.headers.get("etag"), null);
		t.equal(reply.headers.get("x-powered-by"), null);
		t.equal(reply.headers.get("x-content-type-options"), "nosniff");
		t.equal(reply.headers.get("access-control-allow-origin"), "*");
		t.equal(reply.headers.get("access-control-allow-credentials"), null);
		const exposed = reply.headers.get("access-control-expose-headers");
		t.match(exposed, /X-Receipt-Id.*Server-Timing/);
		t.notMatch(exposed, /X-RateLimit/, "what nobody sends is not promised");
	},
);

t.test("a replayed call says so; an uncharged call names no receipt", async (t) => {
	const { baseUrl } = await startRest(t, {
		invoke: async (call) => {
			const sold = soldResult(call);
			const free = { receipt_id: null, balance_after_usd: null, charged: false };
			const extra = call.idempotencyKey ? { replayed: true } : free;
			return { ...sold, cost: { ...sold.cost, ...extra } };
		},
	});
	const headers = { "Idempotency-Key": "k" };
	const replayed = await post(`${baseUrl}${SEARCH}`, { query: "x" }, { headers });
	t.equal(replayed.headers.get("idempotent-replayed"), "true");
	const free = await post(`${baseUrl}${SEARCH}`, { query: "x" });
	t.equal(free.headers.get("x-receipt-id"), null);
	t.equal(free.headers.get("x-balance-after-usd"), null);
});

t.test("the rail is notified how an answer ended: handed over, or cut off", async (t) => {
	const told: string[] = [];
	let isEnded = () => undefined as unknown;
	const { baseUrl } = await startRest(t, {
		invoke: async (call) => {
			const sold = soldResult(call);
			const tell = (end: string) => () => {
				told.push(end);
				isEnded();
			};
			const rows = ["more than a connection holds unread".repeat(1_000_000)];
			const isLong = call.idempotencyKey !== undefined;
			const output = isLong ? { ...(sold.output as object), rows } : sold.output;
			return { ...sold, output, onDelivered: tell("left"), onAbandoned: tell("cut off") };
		},
	});
	const ended = () =>
		new Promise<void>((resolve) => {
			isEnded = resolve as () => unknown;
		});
	const left = ended();
	await (await post(`${baseUrl}${SEARCH}`, { query: "x" })).text();
	await left;
	t.same(told, ["left"]);
	const cut = ended();
	const headers = { "Idempotency-Key": "k" };
	const reply = await post(`${baseUrl}${SEARCH}`, { query: "x" }, { headers });
	t.equal(reply.status, 200);
	await reply.body?.cancel();
	await cut;
	t.same(told, ["left", "cut off"], "each ends once");
});

t.test("an answer is lost for certain only where none of it was written", async (t) => {
	const ends: boolean[] = [];
	let onBegun = () => undefined as unknown;
	let onEnded = () => undefined as unknown;
	const { baseUrl } = await startRest(t, {
		invoke: async (call) => {
			const sold = soldResult(call);
			if (call.idempotencyKey !== undefined) {
				// It is captured while its caller leaves.
				await new Promise((resolve) => {
					call.signal.addEventListener("abort", resolve, { once: true });
					onBegun();
				});
			}
			const rows = ["more than a connection holds unread".repeat(1_000_000)];
			const onAbandoned = ({ isLost }: Abandonment) => {
				ends.push(isLost);
				onEnded();
			};
			return { ...sold, output: { ...(sold.output as object), rows }, onAbandoned };
		},
	});
	const ended = () =>
		new Promise<void>((resolve) => {
			onEnded = resolve as () => unknown;
		});
	const cut = ended();
	const reader = (await post(`${baseUrl}${SEARCH}`, { query: "x" })).body?.getReader();
	await reader?.read();
	await reader?.cancel();
	await cut;
	t.same(ends, [false], "part of it was read");

	const unread = ended();
	const leaving = new AbortController();
	const begun = new Promise<void>((resolve) => {
		onBegun = resolve as () => unknown;
	});
	const refused = fetch(`${baseUrl}${SEARCH}`, {
		method: "POST",
		headers: {
			"Content-Type": "application/json",
			Authorization: "Bearer spt_good",
			"Idempotency-Key": "k",
		},
		body: JSON.stringify({ query: "x" }),
		signal: leaving.signal,
	}).catch(() => undefined);
	await begun;
	leaving.abort();
	await Promise.all([refused, unread]);
	t.same(ends, [false, true], "it had left before a byte of it was written");
});

t.test("a browser may ask first and read what it needs", async (t) => {
	const { baseUrl } = await startRest(t);
	const reply = await rawRequest(baseUrl, {
		method: "OPTIONS",
		path: SEARCH,
		headers: [
			"Origin",
			"https://agent.example",
			"Access-Control-Request-Method",
			"POST",
			"Access-Control-Request-Headers",
			"authorization,idempotency-key",
		],
	});
	t.equal(reply.status, 204);
	t.equal(reply.headers["access-control-allow-origin"], "*");
	t.match(reply.headers["access-control-allow-methods"], /POST/);
	t.equal(reply.headers["access-control-allow-headers"], "authorization,idempotency-key");
});

t.test("every error code has the status the contract gives it", (t) => {
	const statuses: Record<number, ErrorCode[]> = {
		400: ["INVALID_ARGUMENT"],
		401: ["UNAUTHENTICATED"],
		402: [
			"PAYMENT_REQUIRED",
			"INSUFFICIENT_BALANCE",
			"SPENDING_LIMIT",
			"PAYMENT_REJECTED",
			"PAYMENT_ALREADY_USED",
		],
		403: ["SCOPE_FORBIDDEN"],
		404: ["NOT_FOUND"],
		409: ["IDEMPOTENCY_IN_FLIGHT", "CONFLICT"],
		412: ["PRECONDITION_FAILED"],
		422: ["IDEMPOTENCY_MISMATCH"],
		429: ["RATE_LIMITED", "QUOTA_EXCEEDED"],
		500: ["INTERNAL", "UPSTREAM"],
		503: ["SETTLEMENT_UNKNOWN", "UNAVAILABLE"],
	};
	for (const [status, codes] of Object.entries(statuses)) {
		for (const code of codes) t.equal(STATUS_OF[code], Number(status), code);
	}
	t.equal(Object.values(statuses).flat().length, ERROR_CODES.length);
	t.end();
});

t.test("a quota that is used up says when to come back and how to go on", (t) => {
	const refusal = new PaymentRequired(
		"QUOTA_EXCEEDED",
		"Used up.",
		{
			quote: undefined,
			offers: [],
			continuations: [{ type: "wait", instructions: "Come back tomorrow." }],
		},
		{ retryAfterSeconds: 7200.4 },
	);
	const { status, headers, body } = toErrorReply(refusal, "req_12345678");
	t.equal(status, 429);
	t.equal(headers["Retry-After"], "7201");
	t.match(body, { error: { code: "QUOTA_EXCEEDED" }, continuations: [{ type: "wait" }] });
	t.notOk("accepts" in body);
	t.end();
});

t.test("a refusal without details has no empty place for them", (t) => {
	const { body, headers } = toErrorReply(new ServiceError("NOT_FOUND", "Gone."), "req_12345678");
	t.same(body, {
		error: { code: "NOT_FOUND", message: "Gone.", request_id: "req_12345678", retryable: false },
	});
	t.notOk("Retry-After" in headers);
	t.end();
});
