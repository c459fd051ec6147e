import fc from "fast-check";
import t from "tap";
import { createLedger } from "../../../payments/ledger.js";
import { createPlanBalance } from "../../../payments/plan/plan-balance.js";
import { createFindAccess } from "../../../src/accounts/account-access.js";
import { createApiKeys } from "../../../src/accounts/api-keys.js";
import { createConnectionTokens } from "../../../src/accounts/connection-tokens.js";
import { createIds, systemRandom } from "../../../src/kernel/ids.js";
import type { HoldRow } from "../../../store/rows/call-rows.js";
import { openOn, stillClock } from "../../store/open-test-store.js";

const USD = 1_000_000n;
const DAY_MS = 24 * 3_600_000;

/** An account with 1,000 USD, dear calls only (no free ones), over a store on a disk in memory. */
async function openBooks() {
	const clock = stillClock(Date.parse("2026-03-20T12:00:00Z"));
	const store = await openOn(undefined, { clock });
	const ids = createIds({ clock, random: systemRandom });
	const pepper = new Uint8Array(32);
	const deps = { store, clock, random: systemRandom, ids, pepper };
	const ledger = createLedger({ clock, ids });
	const keys = createApiKeys({ ...deps, environment: "test" });
	const findAccess = createFindAccess({ store, keys, connections: createConnectionTokens(deps) });
	const method = createPlanBalance({ ledger, clock, findAccess });
	const first = await keys.create({
		alongside: (tx, owner) =>
			ledger.credit(tx, { owner, source: "cash:manual", amountMicros: 1_000n * USD, key: "c" }),
	});
	return { clock, store, keys, method, ...first };
}

type Books = Awaited<ReturnType<typeof openBooks>>;

async function hold(
	{ store, method }: Books,
	key: string,
	dollars: number,
): Promise<HoldRow | string> {
	try {
		const payer = await method.identify(store, { scheme: "api_key", key });
		return await store.transaction((tx) =>
			method.authorize(tx, payer, {
				quote: {
					operationId: "brand_intelligence",
					amountMicros: BigInt(dollars) * USD,
					billingType: "brand_flat",
					resourceUrl: "",
					description: "",
				},
				graphIds: [],
				idempotencyId: undefined,
			}),
		);
	} catch (error) {
		return (error as { code: string }).code;
	}
}

const step = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.record({
			do: fc.constant("hold" as const),
			by: fc.nat(2),
			usd: fc.integer({ min: 1, max: 6 }),
		}),
	},
	{ weight: 3, arbitrary: fc.record({ do: fc.constant("capture" as const), at: fc.nat(20) }) },
	{ weight: 3, arbitrary: fc.record({ do: fc.constant("release" as const), at: fc.nat(20) }) },
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constant("wait" as const),
			days: fc.integer({ min: 1, max: 20 }),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("race" as const), by: fc.nat(2) }) },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

interface Spent {
	readonly by: number;
	readonly month: string;
	readonly micros: bigint;
}

const BUDGET = 20n * USD;
const NO_LIMIT = 1_000n * USD;
const LIMITS_OF = [
	{ maxTotalMicros: 12n * USD },
	{ maxPerMonthMicros: 9n * USD },
	{ maxTotalMicros: 30n * USD, maxPerMonthMicros: 15n * USD },
];

/** Three keys with caps on an account with a budget, and what was held or captured with each of them. */
async function openHistory() {
	const books = await openBooks();
	const { clock, store, keys, method, accountId } = books;
	await store.transaction(async (tx) => {
		const account = await tx.get("accounts", accountId);
		if (account) await tx.put("accounts", { ...account, budgetMicros: BUDGET });
	});
	const made = await Promise.all(LIMITS_OF.map((terms) => keys.add(accountId, terms)));
	const open: { readonly row: HoldRow; readonly spent: Spent }[] = [];
	const done: Spent[] = [];
	const month = () => new Date(clock.now()).toISOString().slice(0, 7);
	const tryHold = async (by: number, dollars: number) => {
		const row = await hold(books, made[by]?.key ?? "", dollars);
		if (typeof row === "string") t.equal(row, "SPENDING_LIMIT");
		else open.push({ row, spent: { by, month: month(), micros: row.amountMicros } });
	};
	const end = async (at: number, isCaptured: boolean) => {
		const [ended] = open.splice(at % Math.max(1, open.length), 1);
		if (!ended) return;
		const { row, spent } = ended;
		if (isCaptured) await store.transaction((tx) => method.capture(tx, row));
		else await store.transaction((tx) => method.release(tx, row, "no_answer"));
		if (isCaptured) done.push(spent);
	};
	const sum = (test: (spent: Spent) => boolean) =>
		[...done, ...open.map(({ spent }) => spent)]
			.filter(test)
			.reduce((total, { micros }) => total + micros, 0n);
	return { ...books, tryHold, end, sum, month, done };
}

type History = Awaited<ReturnType<typeof openHistory>>;

async function take(next: Step, { clock, tryHold, end }: History): Promise<void> {
	if (next.do === "wait") clock.set(clock.now() + next.days * DAY_MS);
	else if (next.do === "hold") await tryHold(next.by, next.usd);
	else if (next.do === "race") await Promise.all([1, 2, 3, 4].map((usd) => tryHold(next.by, usd)));
	else await end(next.at, next.do === "capture");
}

async function assertLimits({ sum, month, store, accountId }: History): Promise<void> {
	const isNow = (spent: Spent) => spent.month === month();
	const spent = sum(isNow);
	if (spent > BUDGET) throw new Error("The budget was exceeded.");
	for (const [by, limits] of LIMITS_OF.entries()) {
		const { maxTotalMicros = NO_LIMIT, maxPerMonthMicros = NO_LIMIT } = limits;
		if (sum((one) => one.by === by) > maxTotalMicros) throw new Error("A cap was exceeded.");
		if (sum((one) => one.by === by && isNow(one)) > maxPerMonthMicros) {
			throw new Error("A monthly cap was exceeded.");
		}
	}
	const counted = await store.read((reader) => reader.get("spending", `${accountId}|${month()}`));
	if ((counted?.spentMicros ?? 0n) !== spent) throw new Error("The counter is off.");
}

t.test("budget and caps hold whatever is held, captured, given back and waited for", async (t) => {
	const property = fc.asyncProperty(
		fc.array(step, { minLength: 20, maxLength: 40 }),
		async (steps) => {
			const history = await openHistory();
			for (const next of steps) {
				await take(next, history);
				await assertLimits(history);
			}
			const { store, accountId, done } = history;
			const usage = await store.read((reader) => reader.findBy("usage", "accountId", accountId));
			const counts = usage.flatMap(({ operations }) => Object.values(operations));
			const used = counts.reduce((total, { spentMicros }) => total + spentMicros, 0n);
			await store.close();
			return used === done.reduce((total, { micros }) => total + micros, 0n);
		},
	);
	await fc.assert(property, { numRuns: 60 });
	t.pass("sixty histories");
});

t.test(
	"rows of before keys had scopes and accounts had profiles are read as they were",
	async (t) => {
		const books = await openBooks();
		const { store, keys, method, id, key, accountId } = books;
		await store.transaction(async (tx) => {
			const row = await tx.get("keys", id);
			if (!row) return;
			const { hash, status, createdAt } = row;
			await tx.put("keys", { id, hash, accountId, label: "old", status, createdAt });
		});
		const payer = await method.identify(store, { scheme: "api_key", key });
		t.match(payer, { owner: accountId, access: { isManager: true, keepsNoText: false } });
		t.match(await hold(books, key, 1), { keyId: id, owner: accountId });
		const { key: next } = await keys.rotate(accountId, id, 10);
		t.match(await hold(books, next, 1), { keyId: id });
		await store.close();
	},
);

t.test("a key revoked after it was recognized pays for nothing", async (t) => {
	const books = await openBooks();
	const { store, keys, method, id, key } = books;
	const payer = await method.identify(store, { scheme: "api_key", key });
	await keys.revoke(id);
	const authorize = store.transaction((tx) =>
		method.authorize(tx, payer, {
			quote: {
				operationId: "graphs.search",
				amountMicros: USD / 2n,
				billingType: "per_call",
				resourceUrl: "",
				description: "",
			},
			graphIds: [],
			idempotencyId: undefined,
		}),
	);
	await t.rejects(authorize, { code: "UNAUTHENTICATED" });
	await store.close();
});
