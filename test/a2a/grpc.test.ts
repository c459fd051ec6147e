import { type Message, TaskState } from "@a2a-js/sdk";
import { status } from "@grpc/grpc-js";
import t from "tap";
import { createGate } from "../support/gate.js";
import { toV2Payload } from "../support/sim-wallet.js";
import { dial, messageOf, taskOf } from "./grpc-client.js";
import { askGraph, rpc } from "./raw-rpc.js";
import { NOTHING, startA2a } from "./start-a2a.js";
import { startPaidA2a } from "./start-paid-a2a.js";
import { bodyOf, dataMessage, searchMessage } from "./stock-client.js";

const UNKNOWN_TOKEN = "spt_test_000000000000000000000000000000000000";
/** What the strictest of the usual clients take in the metadata after an answer. */
const TRAILER_BYTES = 8_192;

t.test(
	"an unpaid message fails its precondition, with every way to pay in the details",
	async (t) => {
		const shop = await startPaidA2a(t);
		const call = dial(t, shop.grpcUrl);
		const { body } = await rpc(shop.baseUrl, { params: askGraph("a") });
		for (const method of ["sendMessage", "sendStreamingMessage"] as const) {
			const sent = await call(method, messageOf(searchMessage("a")));
			t.equal(sent.code, status.FAILED_PRECONDITION);
			t.match(sent.message, /costs 0\.50 USD/);
			t.equal(sent.reason, "PAYMENT_REQUIRED");
			const { error, ...ways } = sent.envelope;
			const { error: overHttp, ...waysOverHttp } = body.error.data;
			t.same(Object.keys(ways).sort(), Object.keys(waysOverHttp).sort(), "all that HTTP says");
			t.same(ways.price, waysOverHttp.price);
			t.match(ways.accepts[0], { payTo: shop.chain.terms.payTo });
			t.match(ways.accepts[0].resource, /SendM|SendS/);
			t.equal(error.code, overHttp.code);
			t.equal(error.request_id, sent.trailer["x-request-id"]);
			t.match(sent.trailer["www-authenticate"], /Bearer/);
			t.ok(sent.trailerBytes < TRAILER_BYTES, `${sent.trailerBytes} bytes of metadata`);
			t.same(sent.values, []);
		}
		t.same(shop.searched, []);
	},
);

t.test("a token pays once, and the answer's metadata say what it cost", async (t) => {
	const shop = await startA2a(t);
	const { token, id } = await shop.issueSpt("5");
	const call = dial(t, shop.grpcUrl);
	for (const headers of [{ "x-pay-spt": token }, { authorization: `Bearer ${token}` }]) {
		const before = await shop.balance(id);
		const request = messageOf(searchMessage("who asks for payment"));
		const sent = await call("sendMessage", request, { headers });
		t.equal(sent.code, status.OK);
		t.equal(taskOf(sent).status?.state, TaskState.TASK_STATE_COMPLETED);
		t.equal(await shop.balance(id), before - 500_000n);
		t.match(sent.header, {
			"x-cost-usd": "0.50",
			"x-receipt-id": bodyOf(taskOf(sent)).meta.cost.receipt_id,
			"x-request-id": /^req_/,
			"ratelimit-policy": /"address";q=/,
		});
		const again = await call("sendMessage", request, { headers });
		t.equal(taskOf(again).id, taskOf(sent).id, "the same message is the same task");
		t.equal(again.header["idempotent-replayed"], "true");
		const other = { ...request, message: searchMessage("another question") };
		other.message.messageId = request.message?.messageId ?? "";
		t.equal((await call("sendMessage", other, { headers })).code, status.ALREADY_EXISTS);
		t.equal(await shop.balance(id), before - 500_000n, "and one charge");
	}
	t.equal(shop.searched.length, 2);
});

t.test(
	"a stream tells its cost before its first event, and is refused with a status",
	async (t) => {
		const shop = await startA2a(t);
		const { token, id } = await shop.issueSpt("0.60");
		const headers = { "x-pay-spt": token };
		const call = dial(t, shop.grpcUrl);
		const sent = await call("sendStreamingMessage", messageOf(searchMessage("a")), { headers });
		t.equal(sent.code, status.OK);
		t.same(
			sent.values.map(({ payload }) => payload.$case),
			["task", "statusUpdate", "artifactUpdate", "statusUpdate"],
		);
		t.equal(sent.header["x-balance-after-usd"], "0.10");
		const poor = await call("sendStreamingMessage", messageOf(searchMessage("b")), { headers });
		t.match(poor, { code: status.FAILED_PRECONDITION, reason: "INSUFFICIENT_BALANCE", values: [] });
		t.equal(await shop.balance(id), 100_000n);
	},
);

t.test("credentials are judged as over HTTP", async (t) => {
	const shop = await startA2a(t);
	const { token, id } = await shop.issueSpt("5");
	const call = dial(t, shop.grpcUrl);
	const send = (headers: Readonly<Record<string, string>>) =>
		call("sendMessage", messageOf(searchMessage("a")), { headers });
	const wrong = await send({ authorization: `Bearer ${UNKNOWN_TOKEN}` });
	t.match(wrong, { code: status.UNAUTHENTICATED, reason: "UNAUTHENTICATED" });
	t.match(wrong.trailer["www-authenticate"], /Bearer/);
	const scheme = await send({ authorization: "Basic eDp5" });
	t.equal(scheme.code, status.UNAUTHENTICATED);
	const both = await send({ "x-pay-spt": token, "x-api-key": "sk_live_other" });
	t.equal(both.code, status.INVALID_ARGUMENT);
	const unreadable = await send({ "payment-signature": "no payload" });
	t.equal(unreadable.code, status.INVALID_ARGUMENT);
	const forwarded = await send({ "x-pay-spt": token, "x-forwarded-for": "203.0.113.7" });
	t.equal(forwarded.code, status.INVALID_ARGUMENT, "paper money stays on this machine");
	t.same([shop.searched, await shop.balance(id)], [[], 5_000_000n]);
});

t.test("an answer without rows costs nothing", async (t) => {
	const shop = await startA2a(t);
	const { token, id } = await shop.issueSpt("5");
	const headers = { "x-pay-spt": token };
	const sent = await dial(t, shop.grpcUrl)("sendMessage", messageOf(searchMessage(NOTHING)), {
		headers,
	});
	t.equal(sent.code, status.OK);
	t.same(bodyOf(taskOf(sent)).rows, []);
	t.equal(sent.header["x-cost-usd"], "0.00");
	t.equal(await shop.balance(id), 5_000_000n);
});

t.test("what is malformed is refused as such, and costs nothing", async (t) => {
	const shop = await startA2a(t);
	const { token, id } = await shop.issueSpt("5");
	const headers = { "x-pay-spt": token };
	const call = dial(t, shop.grpcUrl);
	const send = (message: Message | undefined) =>
		call("sendMessage", messageOf(message), { headers });
	const cases: readonly (readonly [Message | undefined, string])[] = [
		[dataMessage({ skill: "unknown_skill", input: {} }), "message.parts.0.data.skill"],
		[dataMessage({ skill: "graph_search", input: { graph_id: "web-payments" } }), "query"],
		[{ ...searchMessage("a"), messageId: "" }, "message.messageId"],
		[{ ...searchMessage("a"), parts: [] }, "message.parts"],
		[undefined, "message"],
	];
	for (const [message, path] of cases) {
		const sent = await send(message);
		t.match(sent, { code: status.INVALID_ARGUMENT, reason: "INVALID_ARGUMENT" }, path);
		t.equal(sent.envelope.error.details[0].path, path);
	}
	const cut = dataMessage({ skill: "graph_search", [`${"a".repeat(79)}😀`]: 1 });
	t.match(
		await send(cut),
		{ code: status.INVALID_ARGUMENT },
		"an error that ends in half a character",
	);
	let deep: unknown = 1;
	for (let level = 0; level < 40; level++) deep = [deep];
	t.match(await send(dataMessage({ skill: "graph_search", input: { deep } })), {
		code: status.INVALID_ARGUMENT,
		message: /nested deeper than 20 levels/,
	});
	const broken = { headers, bytes: Buffer.from([0x12, 0x7f, 0x01]) };
	t.match(await call("sendMessage", messageOf(undefined), broken), {
		code: status.INVALID_ARGUMENT,
		reason: "INVALID_ARGUMENT",
	});
	const nested = { headers, bytes: nestedValue(12_000) };
	t.equal((await call("sendMessage", messageOf(undefined), nested)).code, status.INVALID_ARGUMENT);
	const absent = dataMessage({ skill: "graph_search", input: { graph_id: "none", query: "a" } });
	t.match(await send(absent), { code: status.NOT_FOUND, reason: "NOT_FOUND" });
	t.equal((await send(searchMessage("x".repeat(70_000)))).code, status.RESOURCE_EXHAUSTED);
	const file = searchMessage("a");
	file.parts = [
		{
			content: { $case: "url", value: "https://example.org/a.pdf" },
			metadata: undefined,
			filename: "",
			mediaType: "",
		},
	];
	t.match(await send(file), {
		code: status.INVALID_ARGUMENT,
		reason: "CONTENT_TYPE_NOT_SUPPORTED",
	});
	t.match(await call("getTask", { tenant: "", id: "task_none" }, { headers }), {
		code: status.NOT_FOUND,
		reason: "TASK_NOT_FOUND",
	});
	t.equal((await call("getTask", { tenant: "", id: "x" })).code, status.UNAUTHENTICATED);
	const version = { ...headers, "a2a-version": "9.0" };
	t.match(await call("sendMessage", messageOf(searchMessage("a")), { headers: version }), {
		reason: "VERSION_NOT_SUPPORTED",
	});
	t.same([shop.searched, shop.logged, await shop.balance(id)], [[], [], 5_000_000n]);
});

/** A message whose metadata hold a list in a list, so many levels deep. */
function nestedValue(levels: number): Buffer {
	let value = Buffer.from([0x20, 0x01]);
	const wrap = (tag: number, inner: Buffer) =>
		Buffer.concat([Buffer.from([tag]), varint(inner.length), inner]);
	for (let level = 0; level < levels && value.length < 60_000; level++) {
		value = wrap(0x32, wrap(0x0a, value));
	}
	const entry = Buffer.concat([Buffer.from([0x0a, 1, 0x61]), wrap(0x12, value)]);
	// SendMessageRequest.metadata, the fourth field.
	return wrap(0x22, wrap(0x0a, entry));
}

function varint(value: number): Buffer {
	const bytes: number[] = [];
	let rest = value;
	for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
	return Buffer.from([...bytes, rest]);
}

t.test("the text of an exception never reaches a caller", async (t) => {
	const secret = "secret detail of our house";
	const shop = await startA2a(t, {
		lookUp: () => {
			throw new Error(secret);
		},
	});
	const headers = { "x-pay-spt": UNKNOWN_TOKEN };
	const sent = await dial(t, shop.grpcUrl)("sendMessage", messageOf(searchMessage("a")), {
		headers,
	});
	t.match(sent, { code: status.INTERNAL, reason: "INTERNAL" });
	t.notMatch(JSON.stringify(sent), new RegExp(secret));
	t.match(JSON.stringify(shop.logged), new RegExp(secret));
});

t.test("a payment in the metadata is taken as one in the headers is", async (t) => {
	const shop = await startPaidA2a(t);
	const call = dial(t, shop.grpcUrl);
	const payload = toV2Payload(shop.chain, shop.wallet.sign({ value: 500_000n }));
	const signature = Buffer.from(JSON.stringify(payload)).toString("base64");
	const request = messageOf(searchMessage("a"));
	const headers = { "payment-signature": signature };
	const sent = await call("sendMessage", request, { headers });
	t.equal(sent.code, status.OK);
	t.equal(bodyOf(taskOf(sent)).meta.cost.rail, "x402");
	const receipt = String(sent.header["payment-response"]);
	t.match(JSON.parse(Buffer.from(receipt, "base64").toString()), { success: true });
	t.equal(await shop.funds(), 9_500_000n);
	const other = messageOf(searchMessage("another question"));
	t.match(await call("sendMessage", other, { headers }), {
		code: status.FAILED_PRECONDITION,
		reason: "PAYMENT_ALREADY_USED",
	});
	t.equal(await shop.funds(), 9_500_000n);
});

t.test(
	"a caller who leaves, or whose deadline passes, before the answer is not charged",
	async (t) => {
		const gate = createGate();
		const shop = await startA2a(t, { beforeSearch: gate.pass });
		const { token, id } = await shop.issueSpt("5");
		const headers = { "x-pay-spt": token };
		const call = dial(t, shop.grpcUrl);
		const leaving = call("sendMessage", messageOf(searchMessage("a")), {
			headers,
			onCall: (each) => void gate.arrived.then(() => each.cancel()),
		});
		t.equal((await leaving).code, status.CANCELLED);
		const late = call("sendMessage", messageOf(searchMessage("b")), { headers, timeoutMs: 300 });
		t.equal((await late).code, status.DEADLINE_EXCEEDED);
		gate.open();
		// The next answer comes after what was begun before it has ended.
		const sent = await call("sendMessage", messageOf(searchMessage("c")), { headers });
		t.equal(sent.header["x-balance-after-usd"], "4.50");
		t.equal(await shop.balance(id), 4_500_000n);
		t.same(await shop.store.read((reader) => reader.list("holds")), [], "no hold is left");
	},
);

t.test("calls are counted by address, and the one too many says when to come again", async (t) => {
	const shop = await startA2a(t, { requestsPerMinute: 3 });
	const call = dial(t, shop.grpcUrl);
	const send = () => call("sendMessage", messageOf(searchMessage("a")));
	for (let count = 0; count < 3; count++) {
		t.equal((await send()).code, status.FAILED_PRECONDITION);
	}
	const refused = await send();
	t.match(refused, { code: status.RESOURCE_EXHAUSTED, reason: "RATE_LIMITED" });
	t.ok(Number(refused.trailer["retry-after"]) >= 1);
	t.match(refused.trailer["ratelimit"], /"address";r=0/);
});
