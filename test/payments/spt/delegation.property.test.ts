import fc from "fast-check";
import t from "tap";
import { heldAccount } from "../../../payments/ledger.js";
import { formatUsd } from "../../../src/kernel/money.js";
import type { TokenRow } from "../../../store/rows/account-rows.js";
import type { HoldRow } from "../../../store/rows/call-rows.js";
import { START_MS } from "../../store/open-test-store.js";
import { openSptDesk, type SptDesk, USD } from "./open-spt-desk.js";

/** One step; numbers choose among what there is. */
type Step =
	| {
			readonly kind: "delegate";
			readonly who: number;
			readonly cents: number;
			readonly limit: number;
	  }
	| { readonly kind: "hold"; readonly who: number; readonly cents: number }
	| { readonly kind: "end"; readonly which: number; readonly isCaptured: boolean }
	| { readonly kind: "revoke"; readonly who: number }
	| { readonly kind: "rotate"; readonly who: number }
	| { readonly kind: "close"; readonly who: number }
	| { readonly kind: "refund"; readonly who: number }
	| { readonly kind: "recover"; readonly isCredit: boolean; readonly isBrief: boolean }
	| { readonly kind: "wait"; readonly hours: number };

const index = fc.nat({ max: 30 });
const step: fc.Arbitrary<Step> = fc.oneof(
	fc.record({
		kind: fc.constant("delegate" as const),
		who: index,
		cents: fc.integer({ min: 1, max: 400 }),
		limit: fc.nat({ max: 3 }),
	}),
	fc.record({
		kind: fc.constant("hold" as const),
		who: index,
		cents: fc.integer({ min: 1, max: 300 }),
	}),
	fc.record({ kind: fc.constant("end" as const), which: index, isCaptured: fc.boolean() }),
	fc.record({ kind: fc.constant("revoke" as const), who: index }),
	fc.record({ kind: fc.constant("rotate" as const), who: index }),
	fc.record({ kind: fc.constant("close" as const), who: index }),
	fc.record({ kind: fc.constant("refund" as const), who: index }),
	fc.record({
		kind: fc.constant("recover" as const),
		isCredit: fc.boolean(),
		isBrief: fc.boolean(),
	}),
	fc.record({ kind: fc.constant("wait" as const), hours: fc.integer({ min: 1, max: 30 }) }),
);

const expected = /UNAUTHENTICATED|INSUFFICIENT|SPENDING|SCOPE|NOT_FOUND|INVALID_ARGUMENT/;

/** Does the step; what the rules refuse changes nothing. */
async function take(desk: SptDesk, holds: HoldRow[], made: Step): Promise<void> {
	const pick = (who: number) => desk.holders[who % desk.holders.length] ?? desk.first;
	switch (made.kind) {
		case "delegate": {
			const parent = pick(made.who);
			const limits = [{}, { maxPerDayMicros: USD }, { maxPerCallMicros: USD }, { days: 1 }];
			await desk.delegate(parent, BigInt(made.cents) * 10_000n, limits[made.limit]);
			return;
		}
		case "hold":
			holds.push(await desk.hold(pick(made.who), BigInt(made.cents) * 10_000n));
			return;
		case "end": {
			const [hold] = holds.splice(made.which % Math.max(1, holds.length), 1);
			if (hold) await desk.end(hold, made.isCaptured);
			return;
		}
		case "revoke":
			await desk.revokeChild(pick(made.who));
			return;
		case "rotate":
			await desk.rotate(pick(made.who));
			return;
		case "close":
			await desk.accounts.revoke(pick(made.who));
			return;
		case "refund":
			await desk.accounts.refund(pick(made.who), "enough");
			return;
		case "recover":
			await desk.recover({
				origin: made.isCredit ? "credit" : "purchase",
				days: made.isBrief ? 1 : undefined,
			});
			return;
		case "wait":
			desk.clock.advance(made.hours * 3_600_000);
	}
}

/** Sentences about what must never be; empty when all is well. */
async function findBreaches(desk: SptDesk): Promise<string[]> {
	const paidIn = desk.paidMicros();
	const { balances, tokens, holds } = await desk.store.read(async (reader) => ({
		balances: new Map(await reader.balances()),
		tokens: new Map((await reader.list("tokens")).map((token) => [token.id, token])),
		holds: await reader.list("holds"),
	}));
	const all = [...balances];
	const sum = all.reduce((total, [, amount]) => total + amount, 0n);
	const outside = all
		.filter(([account]) => !account.startsWith("cash:"))
		.reduce((total, [, amount]) => total + amount, 0n);
	const held = (id: string) =>
		holds
			.filter((hold) => hold.held === heldAccount(id))
			.reduce((total, hold) => total + hold.amountMicros, 0n);
	return [
		...(sum === 0n ? [] : [`everything adds up to ${sum}`]),
		...(outside === paidIn
			? []
			: [`of ${formatUsd(paidIn)} paid in, ${formatUsd(outside)} is there`]),
		...all
			.filter(([account, amount]) => /^(cust|held):/.test(account) && amount < 0n)
			.map(([account, amount]) => `${account} is at ${amount}`),
		...[...tokens.values()].flatMap((token) => breachesOf(token, tokens, balances)),
		...[...tokens.keys()]
			.filter((id) => (balances.get(heldAccount(id)) ?? 0n) !== held(id))
			.map((id) => `${id} holds what no call asked for`),
	];
}

function breachesOf(
	token: TokenRow,
	tokens: ReadonlyMap<string, TokenRow>,
	balances: ReadonlyMap<string, bigint>,
): string[] {
	const left = balances.get(`cust:${token.id}`) ?? 0n;
	if (token.parentId === undefined) return [];
	const parent = tokens.get(token.parentId);
	const isWider = (mine: bigint | number | undefined, its: bigint | number | undefined) =>
		its !== undefined && (mine === undefined || mine > its);
	return [
		...(token.status === "revoked" && left > 0n
			? [`${token.id} is revoked and keeps ${left}`]
			: []),
		...(parent && token.status === "active" && parent.status !== "active"
			? [`${token.id} outlives its parent`]
			: []),
		...(parent && isWider(token.maxPerCallMicros, parent.maxPerCallMicros) ? ["dearer call"] : []),
		...(parent && isWider(token.maxPerDayMicros, parent.maxPerDayMicros) ? ["dearer day"] : []),
		...(parent && isWider(token.expiresAt, parent.expiresAt) ? ["lives longer"] : []),
	];
}

t.test("no order of delegating, spending, ending and refunding makes or loses money", async (t) => {
	await fc.assert(
		fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
			const desk = await openSptDesk(10n * USD);
			const holds: HoldRow[] = [];
			for (const made of steps) {
				await take(desk, holds, made).catch((error: { code?: string }) => {
					if (!expected.test(error.code ?? "")) throw error;
				});
				const breaches = await findBreaches(desk);
				if (breaches.length > 0) throw new Error(`${JSON.stringify(made)}: ${breaches.join("; ")}`);
			}
			await desk.store.close();
		}),
		{ numRuns: 60 },
	);
	t.pass();
});

t.test("a wallet recovers what was delegated from a token that has expired", async (t) => {
	const desk = await openSptDesk(10n * USD);
	await desk.recover({ origin: "purchase", days: 1 });
	const brief = desk.holders.at(-1) ?? desk.first;
	const balance = await desk.balanceOf(brief);
	const child = await desk.delegate(brief, balance - 1n, {});
	const grandchild = await desk.delegate(child, balance - 1n, {});
	const open = await desk.hold(grandchild, 1n);
	desk.clock.advance(25 * 3_600_000);
	t.equal(await desk.recover({ origin: "purchase" }), 0n, "not while a call below it is open");
	await desk.end(open, false);
	t.equal(await desk.recover({ origin: "purchase" }), balance + USD);
	for (const gone of [brief, child, grandchild]) t.equal(await desk.balanceOf(gone), 0n);
	await desk.store.close();
});

t.test("children that a child revoked leave room to those above it", async (t) => {
	const desk = await openSptDesk(10n * USD);
	const child = await desk.delegate(desk.first, 5n * USD, {});
	const revoke = (count: number, changes: Partial<TokenRow>) =>
		desk.store.transaction(async (tx) => {
			const row = await tx.get("tokens", child.tokenId);
			for (let at = 0; row && at < count; at += 1) {
				const id = `${row.id}_${JSON.stringify(changes)}_${at}`;
				const parentId = row.id;
				await tx.put("tokens", { ...row, parentId, id, hash: id, status: "revoked", ...changes });
			}
		});
	const now = START_MS;
	await revoke(500, { expiresAt: now });
	await revoke(498, { expiresAt: now, usedAt: now });
	await revoke(1, { expiresAt: now - 25 * 3_600_000, usedAt: now });
	await desk.delegate(desk.first, USD, {});
	t.equal(await desk.store.read(async (reader) => (await reader.list("tokens")).length), 501);
	await revoke(499, { expiresAt: now + 1, usedAt: now });
	await desk.delegate(desk.first, USD, {});
	await t.rejects(desk.delegate(desk.first, USD, {}), { code: "RATE_LIMITED" });
	desk.clock.advance(25 * 3_600_000);
	await desk.delegate(desk.first, USD, {});
	await desk.store.close();
});

t.test(
	"a child that is revoked while it pays gives back to its parent, not to itself",
	async (t) => {
		const desk = await openSptDesk(10n * USD);
		const child = await desk.delegate(desk.first, 5n * USD, {});
		const grandchild = await desk.delegate(child, 3n * USD, {});
		const [answered, unanswered, deep] = [
			await desk.hold(child, USD),
			await desk.hold(child, USD),
			await desk.hold(grandchild, USD),
		];
		await desk.revokeChild(child);
		t.equal(await desk.balanceOf(desk.first), 7n * USD, "three are still held");
		await desk.end(answered, true);
		await desk.end(unanswered, false);
		await desk.end(deep, false);
		t.equal(await desk.balanceOf(desk.first), 9n * USD);
		t.equal(await desk.balanceOf(child), 0n);
		t.equal(await desk.balanceOf(grandchild), 0n);
		await t.rejects(desk.hold(child, USD), { code: "UNAUTHENTICATED" });
		await desk.store.close();
	},
);
