import t from "tap";
import { createBalanceMethod } from "../../payments/balance-method.js";
import type { HoldTerms } from "../../payments/ledger.js";
import { createJobBilling } from "../../payments/refunds/job-billing.js";
import { createSptBalance } from "../../payments/spt/spt-balance.js";
import { createSptIssuer } from "../../payments/spt/spt-issuer.js";
import { systemRandom } from "../../src/kernel/ids.js";
import { START_MS } from "../store/open-test-store.js";
import { openBooks, WALLET } from "./open-books.js";

const PRICE = 3_000_000n;
const NOTHING = { chargedMicros: 0n };

/** A hold of a job, of a token or on a wallet's payment that has settled. */
async function openJob(changes: Partial<HoldTerms> = {}) {
	const books = await openBooks();
	const { store, clock, ids, ledger, issue, settle } = books;
	const keys = { store, ledger, clock, random: systemRandom, ids, pepper: new Uint8Array(32) };
	const spts = createSptIssuer({ ...keys, environment: "test" });
	const balance = createSptBalance({ ...keys, environment: "test" });
	const refundLost = async () => undefined;
	const note = { refundLost, noteUnwritten: () => undefined };
	const methods = [{}, createBalanceMethod({ store, clock, balance, ...note })];
	const billing = createJobBilling({ clock, ledger, methods, spts });
	await issue("tok_a", 5_000_000n);
	if (changes.paymentId !== undefined) await settle("pay_1", PRICE, `0x${"1".repeat(64)}`);
	const hold = await store.transaction((tx) =>
		ledger.authorize(tx, {
			...{ from: "cust:tok_a", owner: "tok_a", rail: "spt", amountMicros: PRICE },
			...{ operationId: "research.deep", billingType: "per_call" as const },
			...{ idempotencyId: "k", jobId: "job_1", ...changes },
		}),
	);
	await store.transaction(async (tx) => {
		const times = { createdAt: 0, expiresAt: 1, receiptId: undefined };
		const attempt = { id: "k", fingerprint: "f", state: "in_flight", holdId: hold.id } as const;
		await tx.put("idempotency", { ...attempt, ...times, jobId: "job_1" });
		const row = { id: "pay_1", state: "settled", owner: WALLET, holdId: hold.id, graphIds: [] };
		const settled = { network: "eip155:84532", payer: "0x1", transactionHash: "0x2" };
		const facts = { amountMicros: PRICE, rail: "x402", settlementId: "txn_s" };
		if (changes.paymentId !== undefined)
			await tx.put("payments", { ...row, ...settled, ...facts } as never);
	});
	const job = { id: "job_1", holdId: hold.id, fingerprint: "f", graphIds: ["g"] };
	const capture = (amountMicros: bigint, of: Partial<typeof job> = {}) =>
		store.transaction((tx) => billing.capture(tx, { ...job, ...of }, amountMicros));
	const release = (of: object = {}) =>
		store.transaction((tx) => billing.release(tx, { ...job, ...of }, "failed"));
	const payment = () => store.read((reader) => reader.get("payments", "pay_1"));
	const attempt = () => store.read((reader) => reader.get("idempotency", "k"));
	return { ...books, billing, job, hold, capture, release, payment, attempt };
}

const WALLETS = {
	...{ from: `cust:${WALLET}`, owner: WALLET, rail: "x402", paymentId: "pay_1" },
};

t.test(
	"a job takes a part of what a token holds, with a receipt, and gives the rest back",
	async (t) => {
		const { capture, hold, store, attempt, balance } = await openJob();
		const paid = await capture(1_000_000n);
		const id = hold.id.replace("hold", "rcpt");
		t.strictSame(paid, { chargedMicros: 1_000_000n, receiptId: id });
		t.match(await store.read((reader) => reader.get("receipts", id)), {
			...{ id, holdId: hold.id, owner: "tok_a", rail: "spt", amountMicros: 1_000_000n },
			...{ fingerprint: "f", graphIds: ["g"], at: START_MS, idempotencyId: "k" },
		});
		t.match(await attempt(), { state: "done", receiptId: id });
		t.equal(await balance("cust:tok_a"), 4_000_000n);
		await t.rejects(capture(1n), {
			code: "UNAVAILABLE",
			message: "What was held for the job job_1 went back to its owner; nothing was charged.",
		});
	},
);

t.test("nothing is taken for nothing, and of a job without a hold", async (t) => {
	const { capture, release, balance, attempt, store } = await openJob();
	t.strictSame(await capture(1n, { holdId: undefined as never }), NOTHING);
	t.strictSame(await release({ holdId: undefined }), NOTHING);
	t.strictSame(await release({ id: "job_2" }), NOTHING, "the hold of another job");
	await t.rejects(capture(1n, { id: "job_2" }), { code: "UNAVAILABLE" });
	t.equal(await balance("held:tok_a"), PRICE);
	t.strictSame(await capture(0n), NOTHING);
	t.equal(await balance("held:tok_a"), 0n);
	t.match(await attempt(), { state: "done", receiptId: undefined });
	t.strictSame(await release(), NOTHING, "again");
	t.same(await store.read((reader) => reader.list("holds")), []);
});

t.test("a wallet's job is paid from its settlement, and the rest is a credit", async (t) => {
	const { capture, hold, store, payment, balance, billing } = await openJob(WALLETS);
	const paid = await capture(2_000_000n);
	const receiptId = hold.id.replace("hold", "rcpt");
	t.match(paid, { chargedMicros: 2_000_000n, receiptId, credit: { amountMicros: 1_000_000n } });
	const tokenId = paid.credit?.tokenId ?? "";
	t.match(await payment(), { state: "captured", receiptId, tokenId, updatedAt: START_MS });
	t.equal(await balance(`cust:${tokenId}`), 1_000_000n);
	t.match(await store.read((reader) => reader.get("receipts", receiptId)), {
		...{ fingerprint: "f", graphIds: ["g"], amountMicros: 2_000_000n, rail: "x402" },
		idempotencyId: "k",
	});
	t.match(await store.transaction((tx) => billing.reveal(tx, tokenId)), /^spt_test_/);
	t.equal(await store.transaction((tx) => billing.reveal(tx, "tok_gone")), undefined);
});

t.test("a wallet's job that took all of it leaves no credit", async (t) => {
	const { capture, hold } = await openJob(WALLETS);
	const receiptId = hold.id.replace("hold", "rcpt");
	t.strictSame(await capture(PRICE), { chargedMicros: PRICE, receiptId });
});

t.test("a wallet's job that failed is credited whole", async (t) => {
	for (const how of ["released", "captured for nothing"]) {
		const { capture, release, payment, balance } = await openJob(WALLETS);
		const ended = await (how === "released" ? release() : capture(0n));
		t.match(ended, { chargedMicros: 0n, credit: { amountMicros: PRICE } }, how);
		t.notOk(Object.hasOwn(ended, "receiptId"));
		const tokenId = ended.credit?.tokenId ?? "";
		const reason = how === "released" ? "failed" : "cancelled";
		t.match(await payment(), { state: "credited", tokenId, reason });
		t.equal(await balance(`cust:${tokenId}`), PRICE);
	}
});

t.test("a hold on a payment that is not its own moves nothing", async (t) => {
	for (const changes of [{ holdId: "hold_other" }, { state: "captured" }, undefined]) {
		const { capture, release, hold, store, payment, balance } = await openJob(WALLETS);
		const row = await payment();
		await store.transaction((tx) =>
			changes
				? tx.put("payments", { ...row, ...changes } as never)
				: tx.delete("payments", "pay_1"),
		);
		const message = `The hold ${hold.id} is on a payment that is not its own.`;
		await t.rejects(capture(1n), { code: "INTERNAL", message });
		await t.rejects(release(), { code: "INTERNAL", message });
		t.equal(await balance(`held:${WALLET}`), PRICE);
	}
});
