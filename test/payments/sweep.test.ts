import t from "tap";
import type { HoldTerms } from "../../payments/ledger.js";
import { createSweeper } from "../../payments/refunds/sweep.js";
import { LIMITS } from "../../src/contract/limits.js";
import type { HoldRow } from "../../store/rows/call-rows.js";
import type { TableName } from "../../store/tables.js";
import { openBooks } from "./open-books.js";

const TERMS: HoldTerms = {
	...{ from: "cust:tok_a", owner: "tok_a", rail: "spt", amountMicros: 100n },
	...{ operationId: "graphs.search", billingType: "per_call", idempotencyId: undefined },
};

async function openSweeper() {
	const books = await openBooks();
	const { store, ledger, clock, issue } = books;
	await issue("tok_a", 1_000n);
	const hold = (changes: Partial<HoldTerms> = {}) =>
		store.transaction((tx) => ledger.authorize(tx, { ...TERMS, ...changes }));
	/** As a process opened it that has ended since. */
	const holdOfEnded = async (changes: Partial<HoldTerms> = {}) => {
		const opened = { ...(await hold(changes)), processId: "proc_ended" };
		await store.transaction((tx) => tx.put("holds", opened));
		return opened;
	};
	const holdOf = (id: string) => store.read((reader) => reader.get("holds", id));
	const put = (table: TableName, row: object) =>
		store.transaction((tx) => tx.put(table, row as never));
	const sweeper = createSweeper({ store, ledger, clock });
	return { ...books, sweeper, hold, holdOfEnded, holdOf, put };
}

t.test("holds are released when their time is over, and not before", async (t) => {
	const { clock, sweeper, hold, balance } = await openSweeper();
	const first = await hold();
	clock.set(first.createdAt + 10);
	await hold();
	clock.set(first.expiresAt - 1);
	t.equal(await sweeper.sweep(), 0);
	clock.set(first.expiresAt);
	t.equal(await sweeper.sweep(), 1);
	t.equal(await balance("held:tok_a"), 100n);
	clock.set(first.expiresAt + 10);
	t.equal(await sweeper.sweep(), 1);
	t.equal(await balance("cust:tok_a"), 1_000n);
	t.equal(await sweeper.sweep(), 0);
});

t.test(
	"an open job keeps its hold, which is renewed; one that ended or is gone does not",
	async (t) => {
		for (const isSweep of [true, false]) {
			const { clock, sweeper, holdOfEnded, holdOf, put } = await openSweeper();
			const jobs = ["queued", "running", "completed", "failed", "cancelled"];
			const holds: HoldRow[] = [];
			for (const state of jobs) {
				await put("jobs", { id: `job_${state}`, state });
				holds.push(await holdOfEnded({ jobId: `job_${state}` }));
			}
			holds.push(await holdOfEnded({ jobId: "job_gone" }));
			clock.set(clock.now() + LIMITS.holdTtlMs);
			t.equal(await (isSweep ? sweeper.sweep() : sweeper.releaseEnded()), 4);
			const left = await Promise.all(holds.map(({ id }) => holdOf(id)));
			t.same(
				left.map((row) => row?.jobId),
				["job_queued", "job_running", ...Array(4).fill(undefined)],
			);
			t.equal(left[0]?.expiresAt, clock.now() + LIMITS.holdTtlMs);
		}
	},
);

t.test(
	"what calls held that have ended with their process is released, and no other",
	async (t) => {
		const { sweeper, hold, holdOfEnded, balance } = await openSweeper();
		for (let call = 0; call < 3; call++) await holdOfEnded();
		await hold();
		t.equal(await sweeper.releaseEnded(), 3);
		t.equal(await balance("cust:tok_a"), 900n);
		t.equal(await sweeper.releaseEnded(), 0);
	},
);

t.test("money that settled for a released call is its payer's again", async (t) => {
	const { store, clock, sweeper, holdOfEnded, put } = await openSweeper();
	const payment = (changes: object) =>
		put("payments", { id: "pay_1", state: "settled", ...changes });
	const rowOf = () => store.read((reader) => reader.get("payments", "pay_1"));
	for (const [isTheirs, changes] of [
		[true, {}],
		[false, { state: "captured" }],
		[false, { holdId: "hold_other" }],
	] as const) {
		const { id } = await holdOfEnded({ paymentId: "pay_1" });
		await payment({ holdId: id, updatedAt: 1, ...changes });
		const before = await rowOf();
		await sweeper.releaseEnded();
		const after = { ...before, holdId: undefined, updatedAt: clock.now() };
		t.same(await rowOf(), isTheirs ? after : before);
	}
	await holdOfEnded({ paymentId: "pay_gone" });
	t.equal(await sweeper.releaseEnded(), 1);
});

t.test("rows past their time are forgotten, however many, and no others", async (t) => {
	const { store, clock, sweeper, hold, put } = await openSweeper();
	const now = clock.now();
	for (const table of ["quotas", "spending"] as const) {
		for (const [id, expiresAt] of [
			["old", now - 1],
			["due", now],
			["kept", now + 1],
		] as const)
			await put(table, { id, expiresAt, used: 1, spentMicros: 1n });
	}
	await store.transaction(async (tx) => {
		for (let index = 0; index < 1_100; index++)
			await tx.put("quotas", { id: `many ${index}`, used: 1, expiresAt: now });
	});
	const open = await hold();
	const key = { fingerprint: "f", expiresAt: now, createdAt: 0, receiptId: undefined };
	for (const [id, state, holdId] of [
		["paid", "done", open.id],
		["working", "in_flight", open.id],
		["deserted", "in_flight", "hold_gone"],
	] as const)
		await put("idempotency", { id, state, holdId, ...key });
	await put("idempotency", { id: "young", state: "done", holdId: "", ...key, expiresAt: now + 1 });
	const ofOperator = { fingerprint: "f", auditId: "aud_1", isDone: true };
	for (const [id, expiresAt] of [
		["gone", now],
		["kept", now + 1],
	] as const)
		await put("operator_requests", { id, ...ofOperator, expiresAt });
	await sweeper.forgetExpired();
	const idsOf = async (table: "quotas" | "spending" | "idempotency" | "operator_requests") =>
		(await store.read((reader) => reader.list(table))).map(({ id }) => id).sort();
	t.same(await idsOf("quotas"), ["kept"]);
	t.same(await idsOf("spending"), ["kept"]);
	t.same(await idsOf("operator_requests"), ["kept"]);
	t.same(await idsOf("idempotency"), ["working", "young"], "a job may outlive its key");
});
