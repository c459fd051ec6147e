import t from "tap";
import { createInvariantGuard } from "../../payments/audit/invariants.js";
import type { Treasury } from "../../payments/onchain/facilitator.js";
import { createRefundPayouts } from "../../payments/refunds/refund-payouts.js";
import { LIMITS } from "../../src/contract/limits.js";
import { createSimChain, createSimTreasury, SIM_TERMS } from "../support/sim-chain.js";
import { times } from "../support/times.js";
import { openBooks, WALLET } from "./open-books.js";

const ADDRESS = "0x1111111111111111111111111111111111111111";
const HASH = `0x${"c".repeat(64)}`;

/** Books with one pending refund to a wallet, a chain, and a wallet of ours on it. */
async function openPayouts(wrap: (treasury: Treasury) => Treasury = (treasury) => treasury) {
	const books = await openBooks();
	const { store, clock, ids } = books;
	const chain = createSimChain({ now: clock.now });
	chain.mint(SIM_TERMS.payTo, 5_000_000n);
	const onchain = { terms: SIM_TERMS, chain, treasury: wrap(createSimTreasury(chain)) };
	const payouts = createRefundPayouts({ store, clock, ids, manualSource: "cash:manual", onchain });
	await books.settle("pay_1", 500_000n, `0x${"1".repeat(64)}`);
	const receipt = await books.sell({ owner: WALLET, amountMicros: 500_000n, rail: "x402" });
	const { id } = await books.refunds.refundReceipt({ receiptId: receipt.id, reason: "r" });
	const row = () => store.read((reader) => reader.get("refunds", id));
	const soundness = async () => (await createInvariantGuard(books).check({ full: true })).failures;
	return { ...books, chain, payouts, id, row, soundness };
}

t.test("a refund is paid from our wallet and booked with its transaction", async (t) => {
	const { payouts, id, chain, balance, soundness } = await openPayouts();
	const paid = await payouts.pay({ id });
	t.match(paid, { state: "paid", transactionHash: chain.transactions[0]?.hash });
	t.equal(await chain.balanceOf(SIM_TERMS, ADDRESS), 500_000n);
	t.equal(await balance("refunds"), 0n);
	t.equal(await balance("cash:x402:eip155:84532"), 0n);
	await t.rejects(payouts.pay({ id }), { message: /paid already/ });
	t.same(await soundness(), []);
});

t.test("twenty payments of one refund at once send one transfer", async (t) => {
	const { payouts, id, chain } = await openPayouts();
	const tries = await Promise.allSettled(times(20, () => payouts.pay({ id })));
	t.equal(chain.transactions.length, 1);
	const underWay = `A transfer for ${id} is under way. "tollgraph ledger reconcile" asks the chain what became of it.`;
	const refused = tries.flatMap((one) => (one.status === "rejected" ? [one.reason.message] : []));
	t.same(refused, Array(19).fill(underWay));
});

t.test("one that failed before is sent once, however many pay it in that moment", async (t) => {
	let isRefused = true;
	const { payouts, id, chain } = await openPayouts((treasury) => ({
		...treasury,
		async transfer(...given) {
			if (isRefused) throw new Error("no gas");
			return treasury.transfer(...given);
		},
	}));
	await t.rejects(payouts.pay({ id }), { message: "no gas" });
	isRefused = false;
	const tries = await Promise.allSettled(times(20, () => payouts.pay({ id })));
	t.equal(tries.filter(({ status }) => status === "fulfilled").length, 1);
	t.equal(chain.transactions.length, 1);
});

t.test("what is recorded by hand in that moment is not sent as well", async (t) => {
	const { payouts, id, chain, row } = await openPayouts();
	const [recorded, sent] = await Promise.allSettled([
		payouts.pay({ id, transactionHash: HASH }),
		payouts.pay({ id }),
	]);
	t.equal(recorded.status, "fulfilled");
	t.match(sent, { status: "rejected", reason: { message: `The refund ${id} is paid already.` } });
	t.match(await row(), { state: "paid", transactionHash: HASH });
	t.equal(chain.transactions.length, 0);
});

t.test(
	"an attempt that was given up or paid writes no hash later, and so sends nothing",
	async (t) => {
		const late: ((hash: string) => Promise<void>)[] = [];
		const hashes = [`0x${"a".repeat(64)}`, `0x${"b".repeat(64)}`];
		const { payouts, clock, id, row } = await openPayouts((treasury) => ({
			...treasury,
			async transfer(_terms, _to, _value, { onBroadcast }) {
				late.push(onBroadcast as (hash: string) => Promise<void>);
				await onBroadcast(hashes[late.length - 1] as typeof HASH & `0x${string}`);
				throw new Error("connection lost");
			},
		}));
		await payouts.pay({ id });
		clock.set(clock.now() + LIMITS.refundTransferTtlMs);
		const again = await payouts.pay({ id, again: true });
		t.match(again, { state: "paying", transactionHash: hashes[1] });
		await t.rejects(late[0]?.(HASH) ?? Promise.resolve(), { code: "UNAVAILABLE" });
		t.same(await row(), again, "it belongs to the attempt before");
		const paid = await payouts.pay({ id, transactionHash: hashes[1] });
		await t.rejects(late[1]?.(HASH) ?? Promise.resolve(), { code: "UNAVAILABLE" });
		t.same(await row(), paid, "it is at an end");
	},
);

t.test("a transfer whose outcome is unknown is not sent again and found by its hash", async (t) => {
	const { payouts, id, row, chain, soundness } = await openPayouts((treasury) => ({
		...treasury,
		async transfer(...given) {
			const sent = await treasury.transfer(...given);
			if (sent.kind !== "settled") return sent;
			return { kind: "unknown", message: "no answer", transactionHash: sent.transactionHash };
		},
	}));
	t.match(await payouts.pay({ id }), { state: "paying", transactionHash: /^0x/ });
	await t.rejects(payouts.pay({ id }), { message: /under way/ });
	await t.rejects(payouts.pay({ id, again: true }), { message: /may still be carried out/ });
	t.same(await soundness(), [], "an open payout is no breach");
	t.equal(await payouts.reconcile(), 1);
	t.match(await row(), { state: "paid", transactionHash: chain.transactions[0]?.hash });
	t.equal(chain.transactions.length, 1);
	t.same(await soundness(), []);
});

t.test("a crash between sending and writing the hash down is found by what was sent", async (t) => {
	const { payouts, store, clock, id, row, chain } = await openPayouts();
	await store.transaction(async (tx) => {
		const found = await tx.get("refunds", id);
		if (found) await tx.put("refunds", { ...found, state: "paying", payingSince: clock.now() });
	});
	t.equal(await payouts.reconcile(), 0);
	chain.transfer(SIM_TERMS.payTo, ADDRESS, 499_999n);
	t.equal(await payouts.reconcile(), 0, "another amount is another transfer");
	chain.transfer(SIM_TERMS.payTo, `0x${"2".repeat(40)}`, 500_000n);
	t.equal(await payouts.reconcile(), 0, "it went to another address");
	const { hash } = chain.transfer(SIM_TERMS.payTo, ADDRESS, 500_000n);
	t.equal(await payouts.reconcile(), 1);
	t.match(await row(), { state: "paid", transactionHash: hash });
});

t.test("a transfer that paid one refund is not taken for that of another", async (t) => {
	const { payouts, store, clock, sell, settle, refunds, id, chain } = await openPayouts();
	await payouts.pay({ id });
	await settle("pay_2", 500_000n, `0x${"2".repeat(64)}`);
	const receipt = await sell({ owner: WALLET, amountMicros: 500_000n, rail: "x402" });
	const other = await refunds.refundReceipt({ receiptId: receipt.id, reason: "r" });
	const paying = { ...other, state: "paying", payingSince: clock.now() } as const;
	await store.transaction((tx) => tx.put("refunds", paying));
	t.equal(await payouts.reconcile(), 0);
	const { hash } = chain.transfer(SIM_TERMS.payTo, ADDRESS, 500_000n);
	t.equal(await payouts.reconcile(), 1);
	t.match(await store.read((reader) => reader.get("refunds", other.id)), {
		...{ state: "paid", transactionHash: hash },
	});
});

t.test("a transfer the chain never shows may be sent again after an hour", async (t) => {
	let isLost = true;
	const { payouts, clock, id, chain } = await openPayouts((treasury) => ({
		...treasury,
		async transfer(terms, to, value, options) {
			if (!isLost) return treasury.transfer(terms, to, value, options);
			await options.onBroadcast(HASH);
			throw new Error("connection lost");
		},
	}));
	t.match(await payouts.pay({ id }), { state: "paying", transactionHash: HASH });
	isLost = false;
	clock.set(clock.now() + LIMITS.refundTransferTtlMs);
	t.match(await payouts.pay({ id, again: true }), { state: "paid" });
	t.equal(chain.transactions.length, 1);
});

t.test("a lost transfer that is sent again twenty times at once is sent once", async (t) => {
	let isLost = true;
	const { payouts, clock, id, chain } = await openPayouts((treasury) => ({
		...treasury,
		async transfer(terms, to, value, options) {
			await new Promise((done) => setTimeout(done, 5));
			if (!isLost) return treasury.transfer(terms, to, value, options);
			await options.onBroadcast(HASH);
			throw new Error("connection lost");
		},
	}));
	await payouts.pay({ id });
	isLost = false;
	clock.set(clock.now() + LIMITS.refundTransferTtlMs);
	const tries = await Promise.allSettled(times(20, () => payouts.pay({ id, again: true })));
	t.equal(tries.filter(({ status }) => status === "fulfilled").length, 1);
	t.equal(chain.transactions.length, 1);
});

t.test("what is sent again takes the place of what was sent before", async (t) => {
	const asked: unknown[] = [];
	let fate: "lost" | "unsigned" = "lost";
	const hashes = [`0x${"a".repeat(64)}`, `0x${"b".repeat(64)}`];
	const { payouts, clock, id, row } = await openPayouts((treasury) => ({
		...treasury,
		async transfer(_terms, _to, _value, { onBroadcast, earlier }) {
			asked.push(earlier);
			if (fate === "unsigned") throw new Error("no gas");
			await onBroadcast(hashes[asked.length - 1] ?? HASH, 7);
			throw new Error("connection lost");
		},
	}));
	const later = () => clock.set(clock.now() + LIMITS.refundTransferTtlMs);
	t.match(await payouts.pay({ id }), { state: "paying", nonce: 7 });
	later();
	t.match(await payouts.pay({ id, again: true }), { transactionHash: hashes[1] });
	later();
	fate = "unsigned";
	await t.rejects(payouts.pay({ id, again: true }), { message: "no gas" });
	t.match(await row(), { state: "paying", nonce: 7, transactionHash: hashes[1] });
	fate = "lost";
	t.match(await payouts.pay({ id, again: true }), { transactionHash: HASH });
	t.match(asked, [
		undefined,
		{ hashes: hashes.slice(0, 1), nonce: 7 },
		{ hashes, nonce: 7 },
		{ hashes, nonce: 7 },
	]);
});

t.test("a refund that was not sent stays pending and says why", async (t) => {
	let failure = "refused";
	const { payouts, id, row } = await openPayouts((treasury) => ({
		...treasury,
		async transfer() {
			if (failure === "thrown") throw new Error("no key");
			return { kind: "refused", reason: "insufficient_funds", message: "The wallet is empty." };
		},
	}));
	await t.rejects(payouts.pay({ id }), { code: "UPSTREAM", message: /The wallet is empty/ });
	t.match(await row(), { state: "pending" });
	failure = "thrown";
	await t.rejects(payouts.pay({ id }), { message: "no key" });
	t.match(await row(), { state: "pending" });
});

t.test("what was paid by hand is recorded once, with its transaction", async (t) => {
	const { payouts, refunds, id, sell, issue, store, soundness } = await openPayouts();
	await t.rejects(payouts.pay({ id, transactionHash: "0x12" }), { message: /is no hash/ });
	await t.rejects(payouts.pay({ id: "rfd_none" }), {
		code: "NOT_FOUND",
		message: 'No refund is called "rfd_none".',
	});
	t.match(await payouts.pay({ id, transactionHash: HASH }), { state: "paid" });

	await issue("tok_a", 500_000n);
	const { id: receiptId } = await sell({ owner: "tok_a", amountMicros: 500_000n });
	await store.transaction(async (tx) => tx.delete("tokens", "tok_a"));
	const other = await refunds.refundReceipt({ receiptId, reason: "r" });
	t.equal(other.destination, undefined, "nobody knows a wallet of this payer");
	await t.rejects(payouts.pay({ id: other.id, transactionHash: HASH }), {
		message: /paid the refund/,
	});
	t.match(await payouts.pay({ id: other.id }), { state: "paid", transactionHash: undefined });
	t.same(await soundness(), []);
});

t.test("what is recorded by hand is a whole hash, in small letters, of our network", async (t) => {
	const { payouts, id, store, clock } = await openPayouts();
	for (const transactionHash of [`x${HASH}`, `${HASH}0`, "0x12"])
		await t.rejects(payouts.pay({ id, transactionHash }), {
			code: "INVALID_ARGUMENT",
			message: `"${transactionHash.slice(0, 80)}" is no hash of a transaction: 0x and 64 hexadecimal digits.`,
		});
	const paid = await payouts.pay({ id, transactionHash: HASH.replace(/c/g, "C") });
	t.match(paid, { state: "paid", transactionHash: HASH, paidAt: clock.now() });
	t.same(await payouts.pay({ id, transactionHash: HASH }), paid, "named again, it is as it was");
	await t.rejects(payouts.pay({ id, transactionHash: `0x${"d".repeat(64)}` }), {
		message: `The refund ${id} is paid already.`,
	});
	let last: unknown;
	for await (const { postings } of store.history()) last = postings.at(-1);
	t.match(last, {
		...{ kind: "payout", key: `payout:eip155:84532:${HASH}`, ref: id },
		entries: [
			{ account: "refunds", amountMicros: -500_000n },
			{ account: "cash:x402:eip155:84532", amountMicros: 500_000n },
		],
	});
});

t.test("an account elsewhere, or none that can be read, is paid by hand", async (t) => {
	const { payouts, id, store, row, chain } = await openPayouts();
	for (const destination of [`${WALLET}0`, WALLET.slice(0, -1), WALLET.replace("84532", "1")]) {
		const before = await row();
		if (before) await store.transaction((tx) => tx.put("refunds", { ...before, destination }));
		await t.rejects(payouts.pay({ id }), {
			code: "INVALID_ARGUMENT",
			message: `${destination} is not on eip155:84532. Pay it yourself and record it with --tx <hash>.`,
		});
		t.match(await row(), { state: "pending" });
	}
	t.equal(chain.transactions.length, 0);
});

t.test("without a wallet or a chain of ours nothing is sent, and it is said", async (t) => {
	const { id, store, clock, ids, row } = await openPayouts();
	const payouts = createRefundPayouts({ store, clock, ids, manualSource: "cash:manual" });
	await t.rejects(payouts.pay({ id }), {
		...{ code: "UNAVAILABLE", retryable: false },
		message: `No wallet to pay from is configured. Pay ${WALLET} yourself and record it with --tx <hash>.`,
	});
	t.match(await row(), { state: "pending" });
	t.equal(await payouts.reconcile(), 0);
	const before = await row();
	const paying = { ...before, state: "paying", payingSince: clock.now(), transactionHash: HASH };
	await store.transaction((tx) => tx.put("refunds", paying as never));
	await t.rejects(payouts.pay({ id }), {
		message: `A transfer for ${id} is under way (${HASH}). "tollgraph ledger reconcile" asks the chain what became of it.`,
	});
	clock.set(clock.now() + LIMITS.refundTransferTtlMs - 1);
	await t.rejects(payouts.pay({ id, again: true }), {
		message: `The transfer for ${id} was sent 60 minutes ago and may still be carried out; it can be given up after 60 minutes.`,
	});
	clock.set(clock.now() + 1);
	await t.rejects(payouts.pay({ id, again: true }), {
		...{ code: "UNAVAILABLE", retryable: false },
		message: "No chain is configured to ask what became of the transfer.",
	});
});

t.test("a refusal says in whole what the refund stays, and is not worth a retry", async (t) => {
	const { payouts, id } = await openPayouts((treasury) => ({
		...treasury,
		transfer: async () => ({ kind: "not_sent", message: "no gas" }),
	}));
	await t.rejects(payouts.pay({ id }), {
		...{ code: "UPSTREAM", retryable: false },
		message: `The refund ${id} was not paid and stays pending: no gas`,
	});
});
