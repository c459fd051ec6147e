import t from "tap";
import { reportUnreachable } from "../../../payments/onchain/reconciler.js";
import { LIMITS } from "../../../src/contract/limits.js";
import type { PaymentRow, PaymentState } from "../../../store/rows/payment-rows.js";
import { createGate } from "../../support/gate.js";
import { SIM_TERMS, type SimChain } from "../../support/sim-chain.js";
import { times } from "../../support/times.js";
import { changeRow, plain } from "./reporting-envelope.js";
import { createWorld, PRICE, startOnchain } from "./start-onchain.js";

const HOUR_MS = 3_600_000;
const NONE_OPEN = { unknown: 0, refused: 0, settled: 0 };
const STATES: readonly PaymentState[] = [
	...(["reserved", "settling", "unknown", "refused"] as const),
	...(["settled", "captured", "credited", "released"] as const),
];

/** One payment of which nothing was sent, in any state that a crash may have left it in. */
async function startWith(changes: Partial<PaymentRow>, world = createWorld()) {
	const before = await startOnchain(world);
	const authorization = world.wallet.sign({ value: PRICE });
	await before.buy(authorization, { work: async () => "no-answer" });
	const { signature } = authorization;
	await changeRow(before, authorization, { signature, reason: undefined, ...changes });
	const process = await before.restart();
	const state = async () => (await process.row(authorization))?.state;
	return { process, authorization, state };
}

t.test("a start releases what was reserved, and asks about what was being sent", async (t) => {
	for (const state of STATES) {
		const { process, authorization } = await startWith({ state, updatedAt: 1 });
		const row = plain(await process.row(authorization));
		if (state === "reserved") {
			t.match(row, { state: "released", reason: "restart", updatedAt: process.clock.now() });
			t.notOk(row?.["signature"]);
		} else if (state === "settling") {
			t.match(row, { state: "unknown", reason: "restart", updatedAt: process.clock.now() });
			t.equal(row?.["signature"], authorization.signature);
		} else t.match(row, { state, updatedAt: 1, signature: authorization.signature });
		t.same(process.onchain.openPayments(), {
			unknown: state === "settling" || state === "unknown" ? 1 : 0,
			refused: state === "refused" ? 1 : 0,
			settled: state === "settled" ? 1 : 0,
		});
	}
});

t.test("a start works through more payments than fit into one transaction", async (t) => {
	const before = await startOnchain();
	const authorization = before.wallet.sign({ value: PRICE });
	await before.buy(authorization, { work: async () => "no-answer" });
	const row = await changeRow(before, authorization, { state: "settling" });
	await before.store.transaction(async (tx) => {
		for (let index = 0; index < 1_001; index++)
			await tx.put("payments", { ...row, id: `pay_${index}` });
	});
	const { onchain } = await before.restart();
	t.same(onchain.openPayments(), { ...NONE_OPEN, unknown: 1_002 });
});

t.test("only what is at an end and past both its times is forgotten", async (t) => {
	for (const state of STATES) {
		const { process, authorization } = await startWith({ state });
		const now = process.clock.now();
		const isFinal = ["captured", "credited", "released", "reserved"].includes(state);
		const endS = (now - HOUR_MS) / 1_000;
		for (const [changes, isForgotten] of [
			[{ expiresAt: now + 1, validBefore: endS }, false],
			[{ expiresAt: now, validBefore: endS + 0.001 }, false],
			[{ expiresAt: now, validBefore: endS }, isFinal],
		] as const) {
			await changeRow(process, authorization, changes);
			await process.onchain.forgetExpired();
			t.equal((await process.row(authorization)) === undefined, isForgotten, state);
		}
	}
});

t.test("a payment that a call is busy with is not forgotten", async (t) => {
	const { process, authorization, state } = await startWith({ state: "released" });
	const gate = createGate();
	const buying = process.buy(authorization, {
		work: async () => {
			const now = process.clock.now();
			const over = { state: "released", expiresAt: now, validBefore: 1 } as const;
			await changeRow(process, authorization, over);
			await process.onchain.forgetExpired();
			await gate.pass();
			return "no-answer";
		},
	});
	await gate.arrived;
	t.equal(await state(), "released");
	gate.open();
	await buying;
});

const LAPSE_MS = LIMITS.authorizationLapseMs;

t.test("an unused payment is given up a minute after its end, by the chain's time", async (t) => {
	for (const open of ["unknown", "refused"] as const) {
		const { process, authorization, state } = await startWith({ state: open });
		const endMs = authorization.validBefore * 1_000;
		const at = (ms: number) => process.later(ms - process.clock.now());
		await at(endMs + LAPSE_MS);
		t.equal(await state(), open);
		await at(endMs + LAPSE_MS + LIMITS.reconcileBackoffMs);
		const row = plain(await process.row(authorization));
		t.match(row, { state: "released", reason: "lapsed" });
		t.notOk(row?.["signature"]);
		t.same(process.onchain.openPayments(), NONE_OPEN);
	}
});

t.test("a chain whose newest block is older waits for one, and a day at the most", async (t) => {
	for (const [lagMs, isGivenUp] of [
		[0, true],
		[1, false],
	] as const) {
		const world = createWorld();
		let endMs = 0;
		const stateOf: SimChain["stateOf"] = async () => ({ kind: "unused", headMs: endMs - lagMs });
		const lagging = { ...world, chain: { ...world.chain, stateOf } };
		const { process, authorization, state } = await startWith({ state: "unknown" }, lagging);
		endMs = authorization.validBefore * 1_000;
		const at = (ms: number) => process.later(ms - process.clock.now());
		await at(endMs + LAPSE_MS + 1);
		t.equal(await state(), isGivenUp ? "released" : "unknown", `${lagMs} ms`);
		await at(endMs + LIMITS.idleChainLapseMs);
		t.equal(await state(), isGivenUp ? "released" : "unknown");
		await at(endMs + LIMITS.idleChainLapseMs + LIMITS.reconcileBackoffMs);
		t.equal(await state(), "released");
	}
});

t.test("a cancelled payment is closed at once", async (t) => {
	const { process, authorization } = await startWith({ state: "unknown" });
	process.chain.cancel(authorization.from, authorization.nonce);
	await process.later(0);
	const row = plain(await process.row(authorization));
	t.match(row, { state: "released", reason: "canceled" });
	t.notOk(row?.["signature"]);
});

t.test("money is credited once its caller had time to come back, and not before", async (t) => {
	const grace = LIMITS.undeliveredGraceMs;
	const { process, authorization, state } = await startWith({ state: "unknown" });
	process.chain.execute(authorization);
	await process.later(0);
	t.equal(await state(), "settled");
	await process.later(grace - 1);
	t.equal(await state(), "settled");
	await process.later(1);
	t.equal(await state(), "settled", "looked at every five seconds");
	await process.later(LIMITS.reconcileIntervalMs - 1);
	t.equal(await state(), "credited");
	t.same(process.onchain.openPayments(), NONE_OPEN);
});

t.test("money under a hold, or of a call that is busy, is not credited", async (t) => {
	const { process, authorization, state } = await startWith({ state: "unknown" });
	process.chain.execute(authorization);
	await process.later(0);
	const settled = await changeRow(process, authorization, { holdId: "hold_1" });
	const hold = { id: "hold_1", owner: settled.owner, jobId: "job_1" } as never;
	const held = { ...(hold as object), expiresAt: Number.MAX_SAFE_INTEGER } as never;
	await process.store.transaction((tx) => tx.put("holds", held));
	await process.later(HOUR_MS);
	t.equal(await state(), "settled");
	await process.store.transaction((tx) => tx.delete("holds", "hold_1"));
	await process.later(HOUR_MS);
	t.equal(await state(), "credited", "a hold that is gone holds nothing");
});

t.test("many open payments are asked about once each, and a failure is logged", async (t) => {
	const world = { ...createWorld(), log: [] as unknown[] };
	let asked: string[] = [];
	const stateOf: SimChain["stateOf"] = async (terms, one) => {
		asked.push(one.nonce);
		return world.chain.stateOf(terms, one);
	};
	const chain = { ...world.chain, stateOf };
	const { process, authorization } = await startWith({ state: "unknown" }, { ...world, chain });
	const row = await changeRow(process, authorization, {});
	await process.store.transaction(async (tx) => {
		for (const index of times(18, (at) => at))
			await tx.put("payments", { ...row, id: `pay_${index}`, nonce: `0x${index}` });
	});
	await process.onchain.resume();
	await Promise.all([process.onchain.reconcile(), process.onchain.reconcile()]);
	t.equal(asked.length, 19);
	t.equal(new Set(asked).size, 19);
	asked = [];
	process.clock.advance(LIMITS.reconcileIntervalMs);
	await process.onchain.reconcile(AbortSignal.abort());
	t.same(asked, [], "a server that stops asks no more");
	t.same(world.log, []);
	process.clock.advance(HOUR_MS);
	await process.store.close();
	await process.onchain.reconcile();
	const failed = { message: "a payment could not be reconciled", id: /^pay_/, error: /\w/ };
	t.match(
		world.log,
		times(19, () => failed),
	);
});

t.test("a payment whose row is gone is open no more", async (t) => {
	const { process, authorization } = await startWith({ state: "unknown" });
	const id = (await process.row(authorization))?.id ?? "";
	await process.store.transaction((tx) => tx.delete("payments", id));
	t.same(process.onchain.openPayments(), { ...NONE_OPEN, unknown: 1 });
	await process.later(0);
	t.same(process.onchain.openPayments(), NONE_OPEN);
});

t.test("what ended elsewhere is followed to its end", async (t) => {
	for (const state of ["captured", "credited", "released", "reserved"] as const) {
		const { process, authorization } = await startWith({ state: "unknown" });
		await changeRow(process, authorization, { state });
		await process.later(0);
		t.same(process.onchain.openPayments(), NONE_OPEN, state);
	}
});

t.test("without a chain a refusal is open again with its reason once it has lapsed", async (t) => {
	for (const [reason, kept] of [
		["not_taken", "not_taken"],
		[undefined, "refused"],
	] as const) {
		const world = createWorld({ hasChainReader: false });
		const changes = { state: "refused", reason } as const;
		const { process, authorization } = await startWith(changes, world);
		const at = (ms: number) => process.later(ms - process.clock.now());
		await at(authorization.validBefore * 1_000 + LAPSE_MS);
		t.match(await process.row(authorization), { state: "refused" });
		await at(authorization.validBefore * 1_000 + LAPSE_MS + LIMITS.reconcileBackoffMs);
		t.match(await process.row(authorization), { state: "unknown", reason: kept });
	}
});

t.test("without a chain a question that stays open is logged with what is known", async (t) => {
	const log: unknown[] = [];
	const world = { ...createWorld({ hasChainReader: false }), log };
	const transactionHash = `0x${"e".repeat(64)}`;
	const { process, authorization } = await startWith({ state: "unknown", transactionHash }, world);
	const at = (ms: number) => process.later(ms - process.clock.now());
	await at(authorization.validBefore * 1_000 + LAPSE_MS);
	t.same([log, world.facilitator.settled()], [[], 0], "asking may send it until then");
	await at(authorization.validBefore * 1_000 + LAPSE_MS + LIMITS.reconcileBackoffMs);
	const id = (await process.row(authorization))?.id;
	const message =
		"a payment stays unknown: no chain can be read and the facilitator proves nothing";
	t.same(log, [{ message, id, network: SIM_TERMS.network, transactionHash }]);
	t.match(await process.row(authorization), { state: "unknown", transactionHash });
});

t.test("what the configured chain knows nothing of is counted by network and asset", async (t) => {
	const row = (changes: Partial<PaymentRow>): PaymentRow =>
		({ state: "unknown", network: "n", asset: "0xaa", ...changes }) as PaymentRow;
	const rows = [
		...[row({}), row({ state: "refused" }), row({ state: "settling" }), row({ asset: "0xbb" })],
		...[row({ state: "settled" }), row({ state: "captured" }), row({ network: "m" })],
	];
	const reportedWith = (terms?: { network: string; asset: `0x${string}` }) => {
		const log: unknown[] = [];
		const error = (message: string, fields?: object) => log.push({ message, ...fields });
		reportUnreachable({ terms, logger: { info: () => undefined, error } }, rows);
		return log;
	};
	const message = "payments stay open until their network and asset are configured again";
	const others = [
		{ message, network: "n", asset: "0xbb", payments: 1 },
		{ message, network: "m", asset: "0xaa", payments: 1 },
	];
	t.same(reportedWith({ network: "n", asset: "0xAA" }), others);
	t.same(reportedWith(), [{ message, network: "n", asset: "0xaa", payments: 3 }, ...others]);
});
