import fc from "fast-check";
import type { Test } from "tap";
import { createLedger, type Ledger } from "../../payments/ledger.js";
import { createSweeper, type Sweeper } from "../../payments/refunds/sweep.js";
import { LIMITS } from "../../src/contract/limits.js";
import { createIds, systemRandom } from "../../src/kernel/ids.js";
import type { HoldRow } from "../../store/rows/call-rows.js";
import type { Store } from "../../store/store-port.js";
import { balanceOf, credit, START_MS } from "./open-test-store.js";
import type { OpenStore, StoreUnderTest } from "./store-under-test.js";

const OWNER = "tok_a";
const BUDGET = 1_000n;

/** A hold's life, the simple way: what is open, what is left, what was earned. */
interface Model {
	left: bigint;
	earned: bigint;
	readonly holds: { readonly amount: bigint; readonly endsAt: number; isOpen: boolean }[];
	nowMs: number;
}

/** Ledger and sweeper over the store. */
interface Real {
	readonly under: StoreUnderTest;
	store: Store;
	ledger: Ledger;
	sweeper: Sweeper;
	readonly holds: HoldRow[];
}

type Command = fc.AsyncCommand<Model, Real>;

function partsOn(store: Store, { clock }: StoreUnderTest) {
	const ledger = createLedger({ clock, ids: createIds({ clock, random: systemRandom }) });
	return { store, ledger, sweeper: createSweeper({ store, ledger, clock }) };
}

/** Whatever was done: accounts and open holds are what the model says. */
async function assertSame(model: Model, { store, holds }: Real): Promise<void> {
	const open = model.holds.filter(({ isOpen }) => isOpen);
	const held = open.reduce((sum, { amount }) => sum + amount, 0n);
	const found = {
		left: await balanceOf(store, `cust:${OWNER}`),
		held: await balanceOf(store, `held:${OWNER}`),
		earned: await balanceOf(store, "rev:per_call"),
		open: (await store.read((reader) => reader.list("holds"))).map(({ id }) => id),
	};
	const openIds = holds.filter((_, index) => model.holds[index]?.isOpen).map(({ id }) => id);
	const isSame =
		found.left === model.left &&
		found.held === held &&
		found.earned === model.earned &&
		`${found.open}` === `${openIds.sort()}`;
	if (!isSame)
		throw new Error(`found ${found.left}, ${found.held}, ${found.earned}, ${found.open}`);
}

function command(
	name: string,
	run: (model: Model, real: Real) => Promise<void>,
	check: (model: Readonly<Model>) => boolean = () => true,
): Command {
	return {
		check,
		toString: () => name,
		async run(model, real) {
			await run(model, real);
			await assertSame(model, real);
		},
	};
}

const authorize = (amount: bigint) =>
	command(`authorize ${amount}`, async (model, { store, ledger, holds }) => {
		const attempt = store.transaction((tx) =>
			ledger.authorize(tx, {
				...{ from: `cust:${OWNER}`, owner: OWNER, rail: "spt", amountMicros: amount },
				...{ operationId: "graphs.search", billingType: "per_call", idempotencyId: undefined },
			}),
		);
		const hold = await attempt.catch(() => undefined);
		if ((hold !== undefined) !== amount <= model.left) throw new Error("held more than there is");
		if (!hold) return;
		holds.push(hold);
		model.holds.push({ amount, endsAt: model.nowMs + LIMITS.holdTtlMs, isOpen: true });
		model.left -= amount;
	});

/** Closed holds capture nothing, and none gives more than it holds. */
const capture = (which: number, amount: bigint) =>
	command(
		`capture ${amount} of ${which}`,
		async (model, { store, ledger, holds }) => {
			const index = which % holds.length;
			const [hold, expected] = [holds[index], model.holds[index]];
			if (!hold || !expected) throw new Error("no such hold");
			const isKept = await store
				.transaction((tx) => ledger.capture(tx, hold, amount))
				.then(() => true)
				.catch(() => false);
			if (isKept !== (expected.isOpen && amount <= expected.amount)) throw new Error("captured");
			if (!isKept) return;
			expected.isOpen = false;
			model.earned += amount;
			model.left += expected.amount - amount;
		},
		({ holds }) => holds.length > 0,
	);

const release = (which: number) =>
	command(
		`release ${which}`,
		async (model, { store, ledger, holds }) => {
			const index = which % holds.length;
			const [hold, expected] = [holds[index], model.holds[index]];
			if (!hold || !expected) throw new Error("no such hold");
			await store.transaction((tx) => ledger.release(tx, hold, "failed"));
			close(model, (one) => one === expected);
		},
		({ holds }) => holds.length > 0,
	);

const pass = (ms: number) =>
	command(`${ms} ms pass`, async (model, { sweeper, under }) => {
		model.nowMs += ms;
		under.clock.set(model.nowMs);
		await sweeper.sweep();
		close(model, ({ endsAt }) => endsAt <= model.nowMs);
	});

const crash = command("crash", async (model, real) => {
	Object.assign(real, partsOn(await real.under.crash(), real.under));
	await assertSame(model, real);
	await real.sweeper.releaseEnded();
	close(model, () => true);
});

function close(model: Model, isDue: (hold: Model["holds"][number]) => boolean): void {
	for (const hold of model.holds.filter((one) => one.isOpen && isDue(one))) {
		hold.isOpen = false;
		model.left += hold.amount;
	}
}

const amount = fc.bigInt({ min: 1n, max: 400n });
const which = fc.nat({ max: 20 });
const commands = fc.commands(
	[
		amount.map(authorize),
		fc.tuple(which, amount).map(([index, part]) => capture(index, part)),
		which.map(release),
		fc.constantFrom(1_000, LIMITS.holdTtlMs / 2, LIMITS.holdTtlMs).map(pass),
		fc.constant(crash),
	],
	{ maxCommands: 40 },
);

export function holdContract(t: Test, open: OpenStore, share = 1): void {
	t.test(
		"conformance 5: a hold is captured once, released once or expires, whatever happens between",
		async () => {
			const property = fc.asyncProperty(commands, (sequence) =>
				fc.asyncModelRun(async () => {
					const under = await open();
					await credit(under.store, `cust:${OWNER}`, BUDGET);
					const model = { left: BUDGET, earned: 0n, holds: [], nowMs: START_MS };
					return { model, real: { ...partsOn(under.store, under), under, holds: [] } };
				}, sequence),
			);
			await fc.assert(property, { numRuns: Math.ceil(60 * share) });
		},
	);
}
