import fc from "fast-check";
import t from "tap";
import type { TransferAuthorization } from "../../../payments/onchain/facilitator.js";
import { seededRandom } from "../../support/seeded-random.js";
import { FACILITATOR_KINDS, type FacilitatorKind } from "../../support/sim-facilitator.js";
import {
	createWorld,
	type OnchainProcess,
	type Order,
	PRICE,
	startOnchain,
} from "./start-onchain.js";

const CASH = "cash:x402:eip155:84532";
const FINAL = new Set(["captured", "credited", "released"]);
const PAYMENTS = 4;

/** The outside view: what was signed and what came back. */
interface Model {
	readonly sold: Map<number, number>;
}

interface Real {
	process: OnchainProcess;
	readonly signed: Map<number, TransferAuthorization>;
}

function authorizationOf({ process, signed }: Real, index: number): TransferAuthorization {
	const known = signed.get(index) ?? process.wallet.sign({ value: PRICE });
	signed.set(index, known);
	return known;
}

interface Facts {
	readonly state: string;
	/** How often the chain moved its money. */
	readonly moved: number;
	readonly sold: number;
}

function factsOf({ sold }: Model, { process, signed }: Real): Promise<readonly Facts[]> {
	return Promise.all(
		[...signed].map(async ([index, authorization]) => ({
			state: (await process.row(authorization))?.state ?? "released",
			moved: process.chain.timesSettled(authorization.from, authorization.nonce),
			sold: sold.get(index) ?? 0,
		})),
	);
}

function demand(isTrue: boolean, message: string): void {
	if (!isTrue) throw new Error(message);
}

/** True at every moment, whatever happened before. */
async function assertSound(model: Model, real: Real): Promise<void> {
	const facts = await factsOf(model, real);
	for (const { state, moved, sold } of facts) {
		demand(moved <= 1, `Settled ${moved} times.`);
		demand(sold <= moved, "An answer left that nobody paid for.");
		demand(sold === 0 || state === "captured", `Sold, and ${state}.`);
	}
	const worth = (...states: string[]) =>
		PRICE * BigInt(facts.filter(({ state }) => states.includes(state)).length);
	const accounts = await real.process.balances();
	const sum = Object.values(accounts).reduce((total, amount) => total + amount, 0n);
	demand(sum === 0n, `The ledger sums to ${sum}.`);
	demand((accounts["rev:per_call"] ?? 0n) === worth("captured"), "Revenue is what was captured.");
	const booked = worth("captured", "credited", "settled");
	demand(-(accounts[CASH] ?? 0n) === booked, "Cash is what the rows say.");
}

/** Once everything had its time: no question is open, and the books show what the chain shows. */
async function assertSettledUp(model: Model, real: Real): Promise<number> {
	const facts = await factsOf(model, real);
	for (const { state, moved } of facts) {
		demand(FINAL.has(state), `Left as ${state}.`);
		demand((state === "released") === (moved === 0), `${state}, moved ${moved} times.`);
	}
	const { balances, chain } = real.process;
	const came = await chain.balanceOf(chain.terms, chain.terms.payTo);
	demand(-((await balances())[CASH] ?? 0n) === came, "The books show what the chain shows.");
	return facts.reduce((total, { moved }) => total + moved, 0);
}

type Command = fc.AsyncCommand<Model, Real>;

function command(name: string, run: (model: Model, real: Real) => Promise<void>): Command {
	return {
		check: () => true,
		toString: () => name,
		async run(model, real) {
			await run(model, real);
			await assertSound(model, real);
		},
	};
}

const order = fc.record({
	index: fc.nat(PAYMENTS - 1),
	copies: fc.constantFrom(1, 1, 3),
	settlesFirst: fc.boolean(),
	outcome: fc.constantFrom("answer", "answer", "no-answer", "cancel"),
	isLost: fc.boolean(),
	key: fc.constantFrom(undefined, undefined, "k"),
	fingerprint: fc.constantFrom("one", "one", "one", "two"),
});

const buy = order.map(({ index, copies, outcome, ...rest }) =>
	command(`buy ${index} x${copies} ${outcome} ${JSON.stringify(rest)}`, async (model, real) => {
		const authorization = authorizationOf(real, index);
		const { process } = real;
		const asked: Order = {
			...(rest.key !== undefined && { key: `${rest.key}${index}` }),
			settlesFirst: rest.settlesFirst,
			isLost: rest.isLost,
			fingerprint: rest.fingerprint,
			work: async () => {
				if (outcome === "cancel") process.chain.cancel(authorization.from, authorization.nonce);
				return outcome === "no-answer" ? "no-answer" : "answer";
			},
		};
		const results = await Promise.all(
			Array.from({ length: copies }, () => process.buy(authorization, asked)),
		);
		for (const result of results) {
			if (result.kind !== "delivered" || result.isReplay) continue;
			model.sold.set(index, (model.sold.get(index) ?? 0) + 1);
		}
	}),
);

const behave = fc.constantFrom<FacilitatorKind>(...FACILITATOR_KINDS).map((kind) =>
	command(`facilitator ${kind}`, async (_model, { process }) => {
		process.facilitator.behavior = kind;
	}),
);

const wait = fc
	.constantFrom(0, 5_000, 61_000, 400_000, 700_000)
	.map((ms) => command(`wait ${ms}`, async (_model, { process }) => process.later(ms)));

const hide = fc.boolean().map((isUnreadable) =>
	command(`chain ${isUnreadable ? "unreadable" : "readable"}`, async (_model, { process }) => {
		process.chain.isUnreadable = isUnreadable;
	}),
);

const cutPower = fc.integer().map((seed) =>
	command(`power cut ${seed}`, async (_model, real) => {
		const { process } = real;
		real.process = await process.restart(process.disk.afterPowerCut(seededRandom(seed)));
	}),
);

t.test("every payment settles once and ends as one of captured, credited, released", async (t) => {
	let settled = 0;
	await fc.assert(
		fc.asyncProperty(
			fc.commands([buy, buy, buy, behave, wait, hide, cutPower], { maxCommands: 20 }),
			async (commands) => {
				const world = createWorld({ deadlineMs: 2 });
				world.chain.mint(world.wallet.address, 1n);
				world.chain.transfer(world.wallet.address, world.wallet.address, 1n);
				const model: Model = { sold: new Map() };
				const real: Real = { process: await startOnchain(world), signed: new Map() };
				await fc.asyncModelRun(() => ({ model, real }), commands);
				world.chain.isUnreadable = false;
				for (const ms of [0, 1_000_000, 1_000_000]) await real.process.later(ms);
				settled += await assertSettledUp(model, real);
			},
		),
		{ numRuns: 60 },
	);
	t.ok(settled > 10, `${settled} payments settled`);
});
