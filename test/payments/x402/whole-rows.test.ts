import { createHash } from "node:crypto";
import t from "tap";
import { idempotencyIdOf } from "../../../payments/idempotency.js";
import type { TransferAuthorization } from "../../../payments/onchain/facilitator.js";
import type { HeldAdmission, ReplayedAdmission } from "../../../payments/payment-method.js";
import { LIMITS } from "../../../src/contract/limits.js";
import { receiptRow, START_MS } from "../../store/open-test-store.js";
import { plain, reportIn, reportingEnvelope } from "./reporting-envelope.js";
import {
	createWorld,
	type OnchainProcess,
	type Order,
	PRICE,
	startOnchain,
	toAdmission,
	toRequest,
	type World,
} from "./start-onchain.js";

const HOUR_MS = 3_600_000;
const OWNERS = [
	{ owner: "alice", basisPoints: 3_000 },
	{ owner: "operator", basisPoints: 7_000 },
];

const sha256 = (text: string) => createHash("sha256").update(text);

function idOf({ chain }: World, { from, nonce }: TransferAuthorization): string {
	const text = `${chain.terms.network}\n${from}\n${nonce}`;
	return `pay_${sha256(text).digest("hex").slice(0, 32)}`;
}

/** What the row of a payment says from the beginning. */
function boundRow(process: OnchainProcess, authorization: TransferAuthorization, key?: string) {
	const { chain, wallet } = process;
	const { from, to, value, validAfter, validBefore, nonce, signature } = authorization;
	const signed = [from, to, value, validAfter, validBefore, nonce, signature].join("\n");
	return {
		...{ id: idOf(process, authorization), rail: "x402", network: chain.terms.network },
		...{ asset: chain.terms.asset, payer: wallet.address, nonce, payTo: to, amountMicros: PRICE },
		...{ validAfter, validBefore, owner: wallet.owner, fingerprint: "search one" },
		authorizationHash: sha256(signed).digest("base64url"),
		...{ operationId: "graphs.search", billingType: "per_call", graphIds: ["a"] },
		...(key !== undefined && {
			idempotencyId: idempotencyIdOf(wallet.owner, "graphs.search", key),
		}),
		createdAt: START_MS,
	};
}

function tellingWorld(rail?: "x402" | "mpp"): World {
	const world = createWorld();
	return { ...world, envelopes: [reportingEnvelope(world.chain.terms, rail)] };
}

async function admit(process: OnchainProcess, order: Order = {}) {
	const authorization = process.wallet.sign({ value: order.price ?? PRICE });
	const admission = await process.onchain.admit(toAdmission(process, authorization, order));
	return { authorization, admission: admission as HeldAdmission };
}

/** Everything that was asked of the store before is done. */
const settleDown = async ({ store }: OnchainProcess) => {
	await store.transaction(async () => undefined);
	await new Promise((resolve) => setImmediate(resolve));
};

async function postingsOf({ store }: OnchainProcess) {
	const found = [];
	for await (const { postings } of store.history()) found.push(...postings);
	return found;
}

t.test("a payment is bound by its row, and what it bought is all written with it", async (t) => {
	const process = await startOnchain({ ...tellingWorld(), ownersOf: () => OWNERS });
	const { row, wallet, chain, clock, store } = process;
	const { authorization, admission } = await admit(process, { key: "k" });
	const bound = boundRow(process, authorization, "k");
	t.strictSame(plain(await row(authorization)), {
		...{ ...bound, state: "reserved", signature: authorization.signature, updatedAt: START_MS },
		expiresAt: authorization.validBefore * 1_000 + HOUR_MS,
	});
	const payer = { owner: wallet.owner, rail: "x402" };
	const { kind, id, quote } = admission;
	t.strictSame({ kind, id, payer: admission.payer }, { kind: "held", id: bound.id, payer });
	t.match(quote, { operationId: "graphs.search", amountMicros: PRICE });

	clock.advance(2_000);
	const at = START_MS + 2_000;
	const { receipt, settlement, headers, ...more } = await admission.capture();
	const hash = chain.transactions[0]?.hash ?? "";
	const { network } = chain.terms;
	const wire = { network, transaction: hash, payer: wallet.address, payment_id: bound.id };
	t.strictSame(settlement, wire);
	t.strictSame(reportIn(headers), {
		...{ kind: "settled", settlement: wire, amountMicros: String(PRICE), at },
	});
	t.strictSame(more, {});
	const facts = { network, transactionHash: hash, payer: wallet.address, paymentId: bound.id };
	const { fingerprint, operationId, billingType, graphIds, idempotencyId = "" } = bound;
	t.match(receipt.id, /^rcpt_/);
	t.strictSame(plain(receipt), {
		...{ id: receipt.id, holdId: bound.id, transactionId: receipt.transactionId, ...payer },
		...{ operationId, billingType, amountMicros: PRICE, balanceAfterMicros: 0n, at },
		...{ fingerprint, graphIds, idempotencyId, owners: OWNERS, settlement: facts },
	});
	t.strictSame(await store.read((reader) => reader.get("receipts", receipt.id)), receipt);

	const [settle, capture, ...others] = await postingsOf(process);
	t.same(others, []);
	t.match(settle, { key: `settle:${network}:${hash}:0`, ref: bound.id, at });
	t.match(capture, { id: receipt.transactionId, ref: receipt.id, entries: { length: 4 } });
	t.strictSame(plain(await row(authorization)), {
		...{ ...bound, state: "captured", transactionHash: hash, settlementId: settle?.id },
		...{ receiptId: receipt.id, updatedAt: at, expiresAt: at + LIMITS.paymentTtlMs },
	});
	t.match(await store.read((reader) => reader.get("idempotency", idempotencyId)), {
		...{ state: "done", receiptId: receipt.id, holdId: bound.id, fingerprint },
	});
	admission.delivered?.();
	await settleDown(process);
	t.equal((await row(authorization))?.isDelivered, true);
});

t.test("a payment that settles first is held, and its row names the hold", async (t) => {
	const process = await startOnchain({ ...tellingWorld(), ownersOf: () => OWNERS });
	const { row, chain, store, onchain } = process;
	const { authorization, admission } = await admit(process, { settlesFirst: true });
	const bound = boundRow(process, authorization);
	const [settle] = await postingsOf(process);
	t.match(admission.id, /^hold_/);
	const settled = {
		...{ ...bound, state: "settled", transactionHash: chain.transactions[0]?.hash },
		...{ settlementId: settle?.id, holdId: admission.id, updatedAt: START_MS },
		expiresAt: START_MS + LIMITS.paymentTtlMs,
	};
	t.strictSame(plain(await row(authorization)), settled);
	t.same(onchain.openPayments(), { unknown: 0, refused: 0, settled: 1 });
	const hold = await store.read((reader) => reader.get("holds", admission.id));
	t.match(hold, { paymentId: bound.id, owners: OWNERS, from: `cust:${bound.owner}` });

	process.clock.advance(2_000);
	const { receipt, settlement } = await admission.capture();
	t.match(receipt, { holdId: admission.id, at: START_MS + 2_000, owners: OWNERS });
	t.match(settlement, { payment_id: bound.id });
	t.strictSame(plain(await row(authorization)), {
		...{ ...settled, state: "captured", receiptId: receipt.id, updatedAt: START_MS + 2_000 },
	});
	t.same(onchain.openPayments(), { unknown: 0, refused: 0, settled: 0 });
	t.match(await process.buy(authorization, { settlesFirst: true }), {
		code: "IDEMPOTENCY_IN_FLIGHT",
	});
	admission.delivered?.();
	await settleDown(process);
	t.equal((await row(authorization))?.isDelivered, true);
	t.match(await process.buy(authorization, { settlesFirst: true }), {
		code: "PAYMENT_ALREADY_USED",
	});
});

t.test("the price alone decides what settles first, from two dollars on", async (t) => {
	for (const [price, settles] of [
		[LIMITS.settleFirstMicros - 1n, 0],
		[LIMITS.settleFirstMicros, 1],
	] as const) {
		const process = await startOnchain();
		await admit(process, { price });
		t.equal(process.facilitator.settled(), settles, `${price}`);
	}
});

for (const [rail, reason, hasReceipt] of [
	["x402", "no_answer", true],
	["x402", "failed", true],
	["mpp", "no_answer", true],
	["mpp", "failed", false],
] as const) {
	t.test(`money held for a call that ended with ${reason} is credited, over ${rail}`, async (t) => {
		const process = await startOnchain(tellingWorld(rail));
		const { row, wallet, chain, onchain } = process;
		const { authorization, admission } = await admit(process, { settlesFirst: true });
		process.clock.advance(2_000);
		const { settlement, headers, credit, ...more } = await admission.release(reason);
		const id = idOf(process, authorization);
		const wire = {
			...{ network: chain.terms.network, transaction: chain.transactions[0]?.hash },
			...{ payer: wallet.address, payment_id: id },
		};
		t.strictSame(settlement, wire);
		t.strictSame(more, { balanceMicros: undefined });
		const report = { kind: "settled", settlement: wire, amountMicros: "500000", at: START_MS };
		t.strictSame(reportIn(headers), hasReceipt ? report : undefined);
		t.match(await row(authorization), {
			...{ state: "credited", reason, tokenId: credit?.id, updatedAt: START_MS + 2_000 },
		});
		t.equal(credit?.amountMicros, PRICE);
		t.same(onchain.openPayments(), { unknown: 0, refused: 0, settled: 0 });
		t.match(await process.buy(authorization), { code: "PAYMENT_ALREADY_USED" }, "at once");
	});
}

t.test("a held call that can be credited by no one now is released without a word", async (t) => {
	const process = await startOnchain(tellingWorld());
	const { admission } = await admit(process, { settlesFirst: true });
	await process.store.close();
	const released = await admission.release("failed");
	t.strictSame(Object.keys(released).sort(), ["balanceMicros", "headers", "settlement"]);
});

t.test("what was not sent is released for nothing, and waits for no disk", async (t) => {
	const process = await startOnchain();
	const { store, row } = process;
	const { authorization, admission } = await admit(process);
	process.clock.advance(2_000);
	const before = store.health().sequence;
	t.strictSame(await admission.release("client_gone"), { balanceMicros: undefined });
	t.equal(store.health().sequence, before);
	t.strictSame(plain(await row(authorization)), {
		...{ ...boundRow(process, authorization), state: "released", reason: "client_gone" },
		...{ updatedAt: START_MS + 2_000, expiresAt: authorization.validBefore * 1_000 + HOUR_MS },
	});
	t.match(await process.buy(authorization), { kind: "delivered" }, "and may be sent again");
	const last = await admit(process);
	await store.close();
	t.strictSame(await last.admission.release("failed"), { balanceMicros: undefined });
});

t.test("what was settled is written before its answer may leave", async (t) => {
	const process = await startOnchain();
	const before = process.store.health().sequence;
	const { admission } = await admit(process);
	const reserved = process.store.health().sequence;
	t.ok(reserved > before, "a reservation outlives a crash");
	await admission.capture();
	t.ok(process.store.health().sequence >= reserved + 2, "it was marked before it was sent");
});

t.test("a retry key with a new payment is answered by the receipt of the first", async (t) => {
	const process = await startOnchain(tellingWorld());
	const { row, clock, chain, wallet, onchain } = process;
	const first = await admit(process, { key: "k" });
	const { receipt } = await first.admission.capture();
	first.admission.abandoned?.({ isLost: false });
	clock.advance(1_000);
	const second = await admit(process, { key: "k" });
	const replayed = second.admission as unknown as ReplayedAdmission;
	t.strictSame([replayed.kind, replayed.receipt], ["replayed", receipt]);
	t.same(replayed.payer, { owner: wallet.owner, rail: "x402" });
	const wire = {
		...{ network: chain.terms.network, transaction: chain.transactions[0]?.hash },
		...{ payer: wallet.address, payment_id: idOf(process, first.authorization) },
	};
	t.strictSame(replayed.settlement, wire);
	t.strictSame(reportIn(replayed.headers), {
		...{ kind: "settled", settlement: wire, amountMicros: "500000", at: START_MS },
	});
	t.match(await row(second.authorization), { state: "released", reason: "paid_before" });
	t.equal((await row(first.authorization))?.isDelivered, undefined);
	replayed.delivered?.();
	await settleDown(process);
	t.equal((await row(first.authorization))?.isDelivered, true);
	t.equal((await row(second.authorization))?.isDelivered, undefined);
	const third = await onchain.admit(toAdmission(process, second.authorization, { key: "k" }));
	t.equal(third.kind, "replayed", "as often as it is lost");
	third.abandoned?.({ isLost: true });
	t.match(await process.buy(second.authorization, { key: "k" }), { kind: "delivered" });
});

t.test("a receipt that names no settlement is replayed as it is", async (t) => {
	const process = await startOnchain();
	const { store, wallet } = process;
	const id = idempotencyIdOf(wallet.owner, "graphs.search", "k");
	const attempt = { id, fingerprint: "search one", state: "done", holdId: "hold_9" } as const;
	const times = { createdAt: START_MS, expiresAt: START_MS + 1_000 };
	await store.transaction((tx) => tx.put("receipts", receiptRow("rcpt_9")));
	await store.transaction((tx) =>
		tx.put("idempotency", { ...attempt, ...times, receiptId: "rcpt_9" }),
	);
	const { authorization, admission } = await admit(process, { key: "k" });
	t.equal(admission.kind, "replayed");
	for (const name of ["settlement", "headers"]) t.notOk(Object.hasOwn(admission, name), name);
	admission.delivered?.();
	await settleDown(process);
	t.equal((await process.row(authorization))?.isDelivered, undefined, "it bought nothing");
	t.match(await process.buy(authorization, { key: "k" }), { kind: "delivered", isReplay: true });
	await store.transaction((tx) => tx.delete("receipts", "rcpt_9")).catch(() => undefined);
});

t.test("a receipt that is gone is named, and its payment waits for nothing", async (t) => {
	const process = await startOnchain();
	const { store, wallet } = process;
	const id = idempotencyIdOf(wallet.owner, "graphs.search", "k");
	const attempt = { id, fingerprint: "search one", state: "done", holdId: "hold_9" } as const;
	const row = { ...attempt, createdAt: 0, expiresAt: START_MS + 1_000, receiptId: "rcpt_9" };
	await store.transaction((tx) => tx.put("idempotency", row));
	const authorization = wallet.sign({ value: PRICE });
	for (let call = 0; call < 2; call++) {
		await t.rejects(process.onchain.admit(toAdmission(process, authorization, { key: "k" })), {
			message: "The receipt rcpt_9 of an earlier call could not be read.",
		});
	}
});

t.test(
	"a purchase is given where its money is, and its receipt which posting brought it",
	async (t) => {
		const process = await startOnchain({ ...tellingWorld(), repeatsWork: false });
		const { onchain, wallet, chain, row, store } = process;
		const authorization = wallet.sign({ value: PRICE });
		const id = idOf(process, authorization);
		const funded: unknown[] = [];
		const request = toRequest(process, authorization, { key: "k" });
		const bought = await onchain.purchase(request, async (_tx, funds) => {
			funded.push(funds);
			return { value: "token", tokenId: "tok_1" };
		});
		const settlement = {
			...{ network: chain.terms.network, transaction: chain.transactions[0]?.hash },
			...{ payer: wallet.address, payment_id: id },
		};
		const { owner } = wallet;
		t.strictSame(funded, [
			{ account: `cust:${owner}`, owner, amountMicros: PRICE, paymentId: id, settlement },
		]);
		const [settle] = await postingsOf(process);
		const receipt = await store.read((reader) => reader.get("receipts", bought.receiptId));
		t.match(receipt, { id: /^rcpt_/, holdId: id, transactionId: settle?.id, at: START_MS });
		t.notOk(Object.hasOwn(receipt ?? {}, "owners"), "balance that is bought is no revenue yet");
		t.strictSame(
			{ ...bought, headers: reportIn(bought.headers) },
			{
				...{
					value: "token",
					payer: { owner, rail: "x402" },
					settlement,
					receiptId: bought.receiptId,
				},
				headers: { kind: "settled", settlement, amountMicros: "500000", at: START_MS },
			},
		);
		t.match(await row(authorization), {
			...{ state: "captured", receiptId: bought.receiptId, tokenId: "tok_1", isDelivered: true },
		});
		await t.rejects(
			onchain.purchase(request, async () => t.fail() as never),
			{ code: "PAYMENT_ALREADY_USED" },
			"not that it is still being answered",
		);
	},
);

t.test("who pays is known by the payment alone, and a credential is none", async (t) => {
	const { onchain, wallet, chain } = await startOnchain();
	const { proof, quote } = toAdmission({ chain }, wallet.sign({ value: PRICE }));
	t.strictSame(await onchain.identify(proof), { owner: wallet.owner, rail: "x402" });
	await t.rejects(onchain.identify({ scheme: "spt", token: "spt_test_x" }), {
		message: "A credential pays from its balance, not on a chain.",
	});
	t.strictSame(
		[onchain.rails, onchain.schemes],
		[
			["x402", "mpp"],
			["x402", "mpp"],
		],
	);
	t.match(onchain.offers(quote), [{ continuation: { type: "x402", amount_usd: "0.50" } }]);
});
