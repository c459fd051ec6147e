import { setImmediate as nextTurn } from "node:timers/promises";
import t from "tap";
import { LIMITS } from "../../../src/contract/limits.js";
import { diskError } from "../../store/fake-disk.js";
import { createGate } from "../../support/gate.js";
import { seededRandom } from "../../support/seeded-random.js";
import { assertWhole } from "./assert-whole.js";
import { createWorld, PRICE, startOnchain } from "./start-onchain.js";

const HOUR_MS = 3_600_000;

for (const settlesFirst of [false, true]) {
	t.test(
		`a crash at any write, ${settlesFirst ? "settled first" : "settled last"}: paid once, delivered or given back`,
		async (t) => {
			let crashes = 0;
			for (let survives = 0, isDone = false; !isDone; survives++) {
				const world = createWorld();
				const before = await startOnchain(world);
				const authorization = world.wallet.sign({ value: PRICE });
				let left = survives;
				before.disk.judge = () => (left-- > 0 ? "work" : { error: diskError("EIO") });
				const first = await before.buy(authorization, { settlesFirst });
				isDone = left >= 0;
				crashes += isDone ? 0 : 1;

				const after = await before.restart(before.disk.afterPowerCut(seededRandom(survives)));
				await after.later(0);
				const second = await after.buy(authorization, { settlesFirst });
				if (first.kind === "delivered" && second.kind === "delivered") {
					t.equal(second.isReplay, true, "an answer that left is not sold again");
				}
				t.equal(world.chain.timesSettled(authorization.from, authorization.nonce), 1);
				await after.later(2 * HOUR_MS);
				t.equal((await after.row(authorization))?.state, "captured");
				t.equal((await after.balances())["rev:per_call"], PRICE);
				await assertWhole(t, after);
			}
			t.ok(crashes > 3, `${crashes} crashes`);
		},
	);
}

t.test("a call that never comes back is credited to its wallet within two minutes", async (t) => {
	const world = createWorld();
	const before = await startOnchain(world);
	const authorization = world.wallet.sign({ value: PRICE });
	const request = before.buy(authorization, {
		settlesFirst: true,
		work: () => new Promise(() => undefined),
	});
	void request;
	while ((await before.row(authorization))?.state !== "settled") await before.later(0);
	// What is there is on the disk, too.
	await before.store.transaction(async () => undefined);
	const after = await before.restart();
	t.match(await after.row(authorization), { state: "settled", holdId: undefined });
	await after.later(LIMITS.undeliveredGraceMs - 5_000);
	t.equal((await after.row(authorization))?.state, "settled");
	await after.later(120_000 - LIMITS.undeliveredGraceMs);
	const row = await after.row(authorization);
	t.equal(row?.state, "credited");
	const token = await after.store.read((reader) => reader.get("tokens", row?.tokenId ?? ""));
	t.match(token, { owner: world.wallet.owner, origin: "credit" });
	t.match(await after.buy(authorization, { settlesFirst: true }), {
		code: "PAYMENT_ALREADY_USED",
	});
	await assertWhole(t, after);
});

t.test(
	"settled money is delivered for when its caller returns, even past validBefore",
	async (t) => {
		const world = createWorld({ kind: "silent" });
		world.chain.isUnreadable = true;
		const before = await startOnchain(world);
		const authorization = world.wallet.sign({ value: PRICE });
		t.match(await before.buy(authorization), { code: "SETTLEMENT_UNKNOWN" });
		t.match(await before.buy(authorization), { code: "SETTLEMENT_UNKNOWN" });
		const after = await before.restart();
		world.chain.isUnreadable = false;
		await after.later(301_000);
		t.equal((await after.row(authorization))?.state, "settled");
		t.match(await after.buy(authorization), { kind: "delivered", isReplay: false });
		await assertWhole(t, after);
	},
);

t.test("what was never settled is released once no one can settle it any more", async (t) => {
	const world = createWorld({ kind: "claims_settled" });
	const process = await startOnchain(world);
	const authorization = world.wallet.sign({ value: PRICE });
	t.match(await process.buy(authorization), { code: "SETTLEMENT_UNKNOWN" });
	await process.later(300_000);
	t.equal((await process.row(authorization))?.state, "unknown", "it may still be on its way");
	await process.later(61_000);
	t.equal((await process.row(authorization))?.state, "released");
	t.same(process.onchain.openPayments(), { unknown: 0, refused: 0, settled: 0 });
	await assertWhole(t, process);
});

t.test("a stranger who settles two payments in one transaction keeps neither back", async (t) => {
	const world = createWorld({ kind: "claims_settled" });
	const process = await startOnchain(world);
	const both = [world.wallet.sign({ value: PRICE }), world.wallet.sign({ value: PRICE })];
	for (const one of both) t.match(await process.buy(one), { code: "SETTLEMENT_UNKNOWN" });
	world.chain.executeTogether(both);
	await process.later(5_000);
	for (const one of both) {
		t.equal((await process.row(one))?.state, "settled");
		t.match(await process.buy(one), { kind: "delivered" });
	}
	await assertWhole(t, process);
});

t.test("a cancelled nonce is no payment, whatever the facilitator makes of it", async (t) => {
	const world = createWorld();
	const process = await startOnchain(world);
	const authorization = world.wallet.sign({ value: PRICE });
	const result = await process.buy(authorization, {
		work: async () => {
			world.chain.cancel(authorization.from, authorization.nonce);
			return "answer";
		},
	});
	t.match(result, { code: "PAYMENT_REJECTED" });
	await process.later(5_000);
	t.match(await process.row(authorization), { state: "released", reason: "canceled" });
});

t.test("a nonce that its payer spends on another transfer is no payment", async (t) => {
	const world = createWorld();
	const process = await startOnchain(world);
	const authorization = world.wallet.sign({ value: PRICE });
	const { nonce } = authorization;
	const result = await process.buy(authorization, {
		work: async () => {
			world.chain.execute(world.wallet.sign({ value: 1n, to: world.wallet.address, nonce }));
			return "answer";
		},
	});
	t.match(result, { code: "PAYMENT_REJECTED" });
	await process.later(5_000);
	t.match(await process.row(authorization), { state: "released", reason: "canceled" });
	t.same(process.onchain.openPayments(), { unknown: 0, refused: 0, settled: 0 });
});

t.test("an answer that comes after the deadline still counts", async (t) => {
	const world = createWorld({ kind: "slow", hasChainReader: false, deadlineMs: 20 });
	const gate = createGate();
	const process = await startOnchain({
		...world,
		facilitator: {
			...world.facilitator,
			async settle(...asked) {
				const outcome = await world.facilitator.settle(...asked);
				await gate.pass();
				return outcome;
			},
		},
	});
	const authorization = world.wallet.sign({ value: PRICE });
	t.match(await process.buy(authorization), { code: "SETTLEMENT_UNKNOWN" });
	gate.open();
	while ((await process.row(authorization))?.state !== "settled") await nextTurn();
	t.match(await process.buy(authorization), { kind: "delivered" });
});

t.test(
	"a facilitator that cannot be reached costs nothing, and the payment can be sent again",
	async (t) => {
		const world = createWorld({ kind: "unreachable" });
		const process = await startOnchain(world);
		const authorization = world.wallet.sign({ value: PRICE });
		t.match(await process.buy(authorization), { code: "UPSTREAM", error: { retryable: true } });
		t.equal(await process.row(authorization), undefined, "what was never sent is not kept");
		world.facilitator.behavior = "strict";
		t.match(await process.buy(authorization), { kind: "delivered" });
	},
);

t.test(
	"rows are forgotten when they are at an end and no one can send them any more",
	async (t) => {
		const process = await startOnchain();
		const { wallet, onchain, row } = process;
		const [bought, refused] = [wallet.sign({ value: PRICE }), wallet.sign({ value: PRICE })];
		await process.buy(bought);
		await process.buy(refused, { work: async () => "no-answer" });
		await process.later(HOUR_MS);
		await onchain.forgetExpired();
		t.ok(await row(refused));
		await process.later(HOUR_MS);
		await onchain.forgetExpired();
		t.equal(await row(refused), undefined);
		t.equal((await row(bought))?.state, "captured");
		await process.later(24 * HOUR_MS);
		await onchain.forgetExpired();
		t.equal(await row(bought), undefined);
		t.match(await process.buy(bought), { code: "PAYMENT_REJECTED" });
	},
);
