import t from "tap";
import type { SettleOutcome } from "../../../payments/onchain/facilitator.js";
import { LIMITS } from "../../../src/contract/limits.js";
import { ServiceError } from "../../../src/kernel/errors.js";
import { START_MS } from "../../store/open-test-store.js";
import type { SimChain } from "../../support/sim-chain.js";
import type { SimFacilitator } from "../../support/sim-facilitator.js";
import { changeRow, plain } from "./reporting-envelope.js";
import {
	createWorld,
	type OnchainProcess,
	PRICE,
	startOnchain,
	toRequest,
	type World,
} from "./start-onchain.js";

const NONE_OPEN = { unknown: 0, refused: 0, settled: 0 };
const HASH = `0x${"c".repeat(64)}`;

/** A world whose facilitator answers every settlement with this. */
function saying(
	settle: (...asked: Parameters<SimFacilitator["settle"]>) => Promise<SettleOutcome>,
	{ hasChainReader = false, kind }: { hasChainReader?: boolean; kind?: "silent" } = {},
): World {
	const world = createWorld({ hasChainReader, ...(kind && { kind }) });
	return { ...world, log: [], facilitator: { ...world.facilitator, settle } };
}

/** How one payment ended whose facilitator said this. */
async function endOf(world: World) {
	const process = await startOnchain(world);
	const authorization = world.wallet.sign({ value: PRICE });
	const result = await process.buy(authorization);
	const row = await process.row(authorization);
	return { process, authorization, result, row };
}

const ENDS: readonly (SettleOutcome & { readonly end: object; readonly open: object })[] = [
	{
		...{ kind: "unknown", message: "It may come.", transactionHash: HASH },
		end: { state: "unknown", reason: "It may come.", transactionHash: HASH },
		open: { ...NONE_OPEN, unknown: 1 },
	},
	{
		...{ kind: "refused", reason: "insufficient_funds", message: "There is no money." },
		end: { state: "refused", reason: "insufficient_funds", transactionHash: undefined },
		open: { ...NONE_OPEN, refused: 1 },
	},
	{
		...{ kind: "not_taken", message: "400" },
		end: { state: "refused", reason: "not_taken" },
		open: { ...NONE_OPEN, refused: 1 },
	},
	{
		...{ kind: "not_sent", message: "ECONNREFUSED" },
		end: { state: "released", reason: "not_sent", signature: undefined },
		open: NONE_OPEN,
	},
	{
		...{ kind: "settled", transactionHash: "0x12", network: "eip155:84532", payer: "" },
		end: {
			...{ state: "unknown", reason: "The facilitator names another kind of transaction." },
			transactionHash: "0x12",
		},
		open: { ...NONE_OPEN, unknown: 1 },
	},
];

for (const { end, open, ...outcome } of ENDS) {
	t.test(
		`a settlement that ends with "${outcome.kind}" is kept, and open as long as it may be`,
		async (t) => {
			const { process, row } = await endOf(saying(async () => outcome));
			t.match(row, end);
			t.same(process.onchain.openPayments(), open);
			t.equal(row?.signature === undefined, (end as { state: string }).state === "released");
		},
	);
}

t.test("a payment is open from before it is sent", async (t) => {
	const seen: unknown[] = [];
	const world = saying(async () => {
		seen.push(process.onchain.openPayments());
		seen.push((await process.row(authorization))?.state);
		return { kind: "not_sent", message: "ECONNREFUSED" };
	});
	const process = await startOnchain(world);
	const authorization = world.wallet.sign({ value: PRICE });
	await process.buy(authorization);
	t.same(seen, [{ ...NONE_OPEN, unknown: 1 }, "settling"]);
	t.same(process.onchain.openPayments(), NONE_OPEN);
});

t.test("what was reported before is kept where the outcome names no transaction", async (t) => {
	const world = saying(async (_terms, _authorization, { onBroadcast }) => {
		await onBroadcast(HASH);
		return { kind: "unknown", message: "It did not say." };
	});
	const { row } = await endOf(world);
	t.match(row, { state: "unknown", reason: "It did not say.", transactionHash: HASH });
});

t.test("a facilitator that fails, or never answers, leaves the question open", async (t) => {
	const failed = await endOf(saying(() => Promise.reject(new Error("a secret address"))));
	t.match(failed.row, { state: "unknown", reason: "The facilitator failed." });
	const late = await endOf(saying(() => new Promise(() => undefined)));
	t.match(late.row, { state: "unknown", reason: "No answer within 20000 ms." });
});

t.test("with a chain it is the chain that is not read, or does not show it", async (t) => {
	const claims = createWorld({ kind: "claims_settled" });
	t.match((await endOf(claims)).row, {
		...{ state: "unknown", reason: "The chain does not show the transfer." },
		transactionHash: /^0x/,
	});
	const blind = createWorld({ kind: "silent" });
	blind.chain.isUnreadable = true;
	const { row, result } = await endOf(blind);
	t.match(row, { state: "unknown", reason: "The chain cannot be read just now." });
	t.match(result, { code: "SETTLEMENT_UNKNOWN" });
});

t.test("a chain that answers nonsense for now is asked again, not taken for a no", async (t) => {
	const world = createWorld();
	let error: Error = new ServiceError("UPSTREAM", "The node is behind.");
	const stateOf: SimChain["stateOf"] = () => Promise.reject(error);
	const chain = { ...world.chain, stateOf };
	const { process, row, authorization } = await endOf({ ...world, chain });
	t.match(row, { state: "unknown" });
	error = new ServiceError("UPSTREAM", "It moved something else.", { retryable: false });
	await process.later(5_000);
	t.match(await process.row(authorization), {
		...{ state: "released", reason: "canceled", signature: undefined },
	});
});

t.test("a payer that cancelled during the work is refused with that reason", async (t) => {
	const process = await startOnchain();
	const authorization = process.wallet.sign({ value: PRICE });
	const work = async () => {
		process.chain.cancel(authorization.from, authorization.nonce);
		return "answer" as const;
	};
	t.match(await process.buy(authorization, { work }), {
		error: { message: /^The payer has cancelled .* nonce for another one\. This request was not/ },
	});
	t.match(await process.row(authorization), { state: "refused", reason: "nonce_used" });
});

t.test("how often the chain is asked depends on what the facilitator claims", async (t) => {
	for (const [kind, looks] of [
		["claims_settled", [100, 400, 1_000]],
		["unreachable", []],
		["turns_away", []],
	] as const) {
		const world = createWorld();
		let asked = 0;
		const pauses: number[] = [];
		const chain: SimChain = {
			...world.chain,
			stateOf(...question) {
				asked += 1;
				return world.chain.stateOf(...question);
			},
		};
		const clock: World["clock"] = {
			...world.clock,
			after(ms, task) {
				if (ms < LIMITS.verifyTimeoutMs) pauses.push(ms);
				return world.clock.after(ms, task);
			},
		};
		const process = await startOnchain({ ...world, chain, clock });
		const work = async () => {
			world.facilitator.behavior = kind;
			return "answer" as const;
		};
		await process.buy(world.wallet.sign({ value: PRICE }), { work });
		t.equal(asked, looks.length + 1, kind);
		t.same(pauses, looks, kind);
	}
});

t.test("an answer in time leaves no deadline behind", async (t) => {
	const world = createWorld();
	let running = 0;
	const clock: World["clock"] = {
		...world.clock,
		after(_ms, _task) {
			running += 1;
			return () => {
				running -= 1;
			};
		},
	};
	const process = await startOnchain({ ...world, clock });
	t.match(await process.buy(world.wallet.sign({ value: PRICE })), { kind: "delivered" });
	t.equal(running, 0);
	world.chain.isUnreadable = true;
	await process.buy(world.wallet.sign({ value: PRICE }));
	t.equal(running, 0, "nor does a failure");
});

t.test("a payment that was turned away and then not sent stays turned away", async (t) => {
	let outcome: SettleOutcome = { kind: "not_taken", message: "400" };
	const { process, authorization } = await endOf(saying(async () => outcome));
	outcome = { kind: "not_sent", message: "ECONNREFUSED" };
	t.match(await process.buy(authorization), { code: "UPSTREAM", error: { retryable: true } });
	const row = await process.row(authorization);
	t.match(row, { state: "refused", reason: "not_taken", signature: authorization.signature });
	t.same(process.onchain.openPayments(), { ...NONE_OPEN, refused: 1 });
});

t.test("a transaction that was accepted before settles nothing again, and is logged", async (t) => {
	const world = createWorld({ hasChainReader: false });
	const log: unknown[] = [];
	const process = await startOnchain({ ...world, log });
	t.match(await process.buy(world.wallet.sign({ value: PRICE })), { kind: "delivered" });
	world.facilitator.behavior = "old_hash";
	const second = world.wallet.sign({ value: PRICE });
	t.match(await process.buy(second), { code: "SETTLEMENT_UNKNOWN" });
	const row = await process.row(second);
	t.match(row, { state: "unknown", reason: "The transaction is not new." });
	t.same(log, []);
	await process.later(400_000);
	const id = row?.id;
	t.same(log, [{ message: "a settlement names a transaction that was booked before", id }]);
	t.match(await process.row(second), { state: "unknown" });
});

t.test("money whose purchase fails is kept, and bound to it until its payer returns", async (t) => {
	const process = await startOnchain();
	const { onchain, wallet, row, balances } = process;
	const authorization = wallet.sign({ value: PRICE });
	const request = toRequest(process, authorization, { key: "k" });
	const broken = onchain.purchase(request, async () => {
		throw new Error("The token could not be made.");
	});
	await t.rejects(broken, { message: "The token could not be made." });
	const found = await row(authorization);
	t.match(found, { state: "settled", updatedAt: START_MS });
	for (const name of ["signature", "reason", "receiptId", "tokenId", "holdId"])
		t.notOk(plain(found)?.[name], name);
	t.same(onchain.openPayments(), { ...NONE_OPEN, settled: 1 });
	t.equal((await balances())[`cust:${wallet.owner}`], PRICE);
});

t.test("an answer that was captured before is not captured again", async (t) => {
	const process = await startOnchain();
	const authorization = process.wallet.sign({ value: PRICE });
	const work = async () => {
		await changeRow(process, authorization, { state: "credited" });
		return "answer" as const;
	};
	const id = (row: Awaited<ReturnType<OnchainProcess["row"]>>) => row?.id;
	await t.rejects(process.buy(authorization, { settlesFirst: true, work }), {
		message: /^The payment pay_[0-9a-f]{32} is spent already\.$/,
	});
	t.match(id(await process.row(authorization)), /^pay_/);
	t.match(await process.buy(authorization, { settlesFirst: true }), {
		code: "PAYMENT_ALREADY_USED",
	});
});
