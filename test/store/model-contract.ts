import fc from "fast-check";
import type { Test } from "tap";
import type { Store, StoreTransaction } from "../../store/store-port.js";
import { times } from "../support/times.js";
import { posting, tokenRow } from "./open-test-store.js";
import type { OpenStore } from "./store-under-test.js";

type Step =
	| { readonly kind: "token"; readonly id: number; readonly hash: number }
	| { readonly kind: "delete"; readonly id: number }
	| { readonly kind: "move"; readonly from: number; readonly to: number; readonly amount: number }
	| { readonly kind: "fail" };

interface Transaction {
	readonly steps: readonly Step[];
	readonly durability: "durable" | "deferred";
	readonly isReopenedAfter: boolean;
}

const small = fc.nat({ max: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ kind: fc.constant("token"), id: small, hash: small }) },
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant("delete"), id: small }) },
	{
		weight: 6,
		arbitrary: fc.record({ kind: fc.constant("move"), from: small, to: small, amount: small }),
	},
	{ weight: 1, arbitrary: fc.constant({ kind: "fail" as const }) },
);
const transaction: fc.Arbitrary<Transaction> = fc.record({
	steps: fc.array(step, { maxLength: 4 }),
	durability: fc.constantFrom("durable", "deferred"),
	isReopenedAfter: fc.boolean(),
});

/** What a store should hold, the simple way. */
interface Model {
	readonly tokens: ReadonlyMap<string, string>;
	readonly balances: ReadonlyMap<string, bigint>;
}

/** A random history, against plain maps. */
export function modelContract(t: Test, open: OpenStore, share = 1): void {
	t.test(
		"whatever is done, and however often it is reopened, it holds what plain maps would",
		async () => {
			const histories = fc.array(transaction, { maxLength: 12 });
			const property = fc.asyncProperty(histories, (history) => compare(open, history));
			// A store that gathers for a moment waits on a timer that keeps no one alive; a server has its sockets.
			const keepAlive = setInterval(() => undefined, 1_000);
			await fc
				.assert(property, { numRuns: Math.ceil(60 * share) })
				.finally(() => clearInterval(keepAlive));
		},
	);
}

async function compare(open: OpenStore, history: readonly Transaction[]): Promise<void> {
	const under = await open();
	let { store } = under;
	let model: Model = { tokens: new Map(), balances: new Map() };
	for (const [index, one] of history.entries()) {
		const expected = after(model, one.steps);
		const isKept = await run(store, one, `k${index}`);
		if (isKept !== (expected !== undefined)) {
			throw new Error(`transaction ${index} was ${isKept ? "kept" : "refused"}`);
		}
		model = expected ?? model;
		if (one.isReopenedAfter) store = await under.reopen();
		await assertSame(store, model);
	}
	await assertSame(await under.reopen(), model);
}

function run(store: Store, { steps, durability }: Transaction, key: string): Promise<boolean> {
	const work = async (tx: StoreTransaction) => {
		for (const [index, one] of steps.entries()) await perform(tx, one, `${key}.${index}`);
	};
	return store.transaction(work, { durability }).then(
		() => true,
		() => false,
	);
}

async function perform(tx: StoreTransaction, one: Step, key: string): Promise<void> {
	switch (one.kind) {
		case "fail":
			throw new Error("on purpose");
		case "token":
			return tx.put("tokens", tokenRow(`tok_${one.id}`, { hash: `h${one.hash}` }));
		case "delete":
			return tx.delete("tokens", `tok_${one.id}`);
		case "move":
			return tx.post({ ...posting(key, {}), entries: entriesOf(one) });
	}
}

function entriesOf({ from, to, amount }: Extract<Step, { kind: "move" }>) {
	return [
		{ account: accountName(from), amountMicros: -BigInt(amount) },
		{ account: accountName(to), amountMicros: BigInt(amount) },
	];
}

/** Account 0 is the server's and may go below zero. */
function accountName(index: number): string {
	return index === 0 ? "cash:manual" : `cust:${index}`;
}

/** The model after a transaction, or undefined when it must be refused. */
function after(model: Model, steps: readonly Step[]): Model | undefined {
	const tokens = new Map(model.tokens);
	const balances = new Map(model.balances);
	for (const one of steps) {
		if (one.kind === "fail") return undefined;
		if (one.kind === "token") tokens.set(`tok_${one.id}`, `h${one.hash}`);
		if (one.kind === "delete") tokens.delete(`tok_${one.id}`);
		if (one.kind === "move" && !move(balances, one)) return undefined;
	}
	return { tokens, balances };
}

function move(balances: Map<string, bigint>, one: Extract<Step, { kind: "move" }>): boolean {
	for (const { account, amountMicros } of entriesOf(one)) {
		balances.set(account, (balances.get(account) ?? 0n) + amountMicros);
	}
	return [...balances].every(([account, sum]) => !account.startsWith("cust:") || sum >= 0n);
}

async function assertSame(store: Store, { tokens, balances }: Model): Promise<void> {
	const found = await store.read(async (reader) => ({
		tokens: (await reader.list("tokens")).map(({ id, hash }) => [id, hash] as const),
		balances: [...(await reader.balances())].sort(),
		byHash: await Promise.all(
			times(5, async (index) => (await reader.findBy("tokens", "hash", `h${index}`)).length),
		),
	}));
	const hashes = [...tokens.values()];
	const byHash = times(5, (index) => hashes.filter((hash) => hash === `h${index}`).length);
	const expected = { tokens: [...tokens].sort(), balances: [...balances].sort(), byHash };
	if (toText(found) === toText(expected)) return;
	throw new Error(`the store holds ${toText(found)} instead of ${toText(expected)}`);
}

function toText(value: unknown): string {
	return JSON.stringify(value, (_key, member: unknown) =>
		typeof member === "bigint" ? `${member}` : member,
	);
}
