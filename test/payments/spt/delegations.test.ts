import t from "tap";
import type { DelegationTerms } from "../../../payments/spt/delegations.js";
import { toDelegationWire } from "../../../payments/spt/delegations.js";
import type { SptTerms } from "../../../payments/spt/spt-issuer.js";
import { LIMITS } from "../../../src/contract/limits.js";
import { START_MS } from "../../store/open-test-store.js";
import { holdOn, openTokens, USD } from "./open-tokens.js";

const DAY_MS = 86_400_000;

async function openParent(terms: Partial<SptTerms> = {}, isForSale = true) {
	const tokens = await openTokens({ isForSale });
	const { id, token } = await tokens.spts.issue({ amountMicros: 5n * USD, ...terms });
	const holder = { tokenId: id, secret: token };
	const delegate = (changes: Partial<DelegationTerms> = {}, by = holder) =>
		tokens.delegations.create(by, { amountMicros: USD, ...changes });
	return { ...tokens, id, token, holder, delegate };
}

const LIMITED = {
	...{ maxPerCallMicros: 500_000n, maxPerDayMicros: 3n * USD, expiresAt: START_MS + DAY_MS },
	...{ skills: ["graph_search"], graphs: ["a", "b"] },
};

t.test("a part has its money from its parent, and the parent's terms", async (t) => {
	const { delegate, id, row, balance, clock } = await openParent(LIMITED);
	clock.set(START_MS + 7);
	const made = await delegate();
	t.match(made, { balanceMicros: USD, parentBalanceMicros: 4n * USD });
	t.match(made.token, /^spt_test_/);
	const child = await row(made.id);
	t.match(child, { ...LIMITED, parentId: id, origin: "delegation", label: "", status: "active" });
	t.same(made.state, { token: child, balanceMicros: USD, heldMicros: 0n });
	t.equal(await balance(`cust:${id}`), 4n * USD);
	t.equal((await row(id))?.usedAt, START_MS + 7, "its secret was delivered");
	clock.set(START_MS + 9);
	await delegate({ label: "reader" });
	t.equal((await row(id))?.usedAt, START_MS + 7);
	t.same(toDelegationWire(made.state), {
		...{ id: made.id, label: "", balance_usd: "1.00", held_usd: "0.00" },
		...{ created_at: "2026-03-01T12:00:00.007Z", expires_at: "2026-03-02T12:00:00.000Z" },
		...{ max_per_call_usd: "0.50", max_per_day_usd: "3.00" },
		...{ skills: ["graph_search"], graphs: ["a", "b"] },
	});
});

t.test("of a parent without limits a part has those that are named, or none", async (t) => {
	const { delegate, row } = await openParent();
	const bare = await delegate();
	t.same(toDelegationWire(bare.state), {
		...{ id: bare.id, label: "", balance_usd: "1.00", held_usd: "0.00" },
		...{ created_at: "2026-03-01T12:00:00.000Z", expires_at: null },
		...{ max_per_call_usd: null, max_per_day_usd: null, skills: [], graphs: [] },
	});
	t.notOk(Object.hasOwn((await row(bare.id)) ?? {}, "maxPerDayMicros"));
	const narrow = await delegate({ ...LIMITED, label: "narrow" });
	t.match(await row(narrow.id), { ...LIMITED, label: "narrow" });
});

t.test("a part may do as much as its parent, and what is more is refused by name", async (t) => {
	const { delegate, row } = await openParent(LIMITED);
	const same = await delegate({ ...LIMITED, skills: ["graphs.search"] });
	t.match(await row(same.id), { ...LIMITED, skills: ["graphs.search"] });
	t.match(await row((await delegate({ graphs: ["b"] })).id), { graphs: ["b"] });
	t.match(await row((await delegate({ graphs: [] })).id), { graphs: ["a", "b"] });
	const bounds: [Partial<DelegationTerms>, string, string][] = [
		[
			{ maxPerCallMicros: 500_001n },
			"max_per_call_usd",
			"at most 0.50 USD, as of the token itself",
		],
		[
			{ maxPerDayMicros: 3_000_001n },
			"max_per_day_usd",
			"at most 3.00 USD, as of the token itself",
		],
		[
			{ expiresAt: START_MS + DAY_MS + 1 },
			...(["expires_in_days", "no later than the token itself, 2026-03-02T12:00:00.000Z"] as const),
		],
		[{ graphs: ["a", "c"] }, "graphs", "among the token's own: a, b"],
		[{ skills: ["search.domain"] }, "skills", "among the token's own: graph_search"],
	];
	for (const [terms, field, bound] of bounds)
		await t.rejects(delegate({ ...terms, amountMicros: 1n }), {
			code: "SCOPE_FORBIDDEN",
			message: `A delegated token cannot do more than the token it comes from: "${field}" must be ${bound}.`,
		});
});

t.test("more than there is, or than a day allows, is not delegated", async (t) => {
	for (const isForSale of [true, false]) {
		const { delegate, spts } = await openParent({}, isForSale);
		await t.rejects(delegate({ amountMicros: 5n * USD + 1n }), {
			code: "INSUFFICIENT_BALANCE",
			message:
				"The token has 5.00 USD left; this delegation takes 5.000001 USD. Nothing was charged.",
			challenge: { continuations: [{ type: isForSale ? "spt_purchase" : "spt" }] },
		});
		t.equal((await spts.list()).length, 1);
		t.equal((await delegate({ amountMicros: 5n * USD })).parentBalanceMicros, 0n, "all of it is");
	}
	const { delegate } = await openParent({ maxPerDayMicros: USD });
	await t.rejects(delegate({ amountMicros: USD + 1n }), { code: "SPENDING_LIMIT" });
	await delegate();
	await t.rejects(delegate({ amountMicros: 1n }), { code: "SPENDING_LIMIT" });
});

t.test("parts of parts end at the last level", async (t) => {
	const { delegate, holder } = await openParent();
	let by = holder;
	for (let depth = 0; depth < LIMITS.sptDepthMax; depth++) {
		const { id, token } = await delegate({ amountMicros: USD - BigInt(depth) }, by);
		by = { tokenId: id, secret: token };
	}
	await t.rejects(delegate({ amountMicros: 1n }, by), {
		code: "SCOPE_FORBIDDEN",
		message: "Tokens are delegated 3 levels deep at most; this one is on the last.",
	});
});

t.test("so many parts are remembered, and the refusal says when there is room", async (t) => {
	const { delegate, id, row, store } = await openParent();
	const parent = await row(id);
	if (!parent) throw new Error("There is a parent.");
	await store.transaction(async (tx) => {
		for (let at = 0; at < LIMITS.sptDelegationsMax - 1; at++)
			await tx.put("tokens", { ...parent, id: `tok_${at}`, hash: `${at}`, parentId: id });
	});
	await delegate({ amountMicros: 1n });
	await t.rejects(delegate({ amountMicros: 1n }), {
		code: "RATE_LIMITED",
		message:
			"At most 1000 tokens are delegated from one; revoked ones that paid for anything count for a day.",
		retryAfterSeconds: 86_400,
	});
});

t.test("revoked parts are remembered for a day after they paid, and no longer", async (t) => {
	const { delegate, delegations, holder, row, clock, change } = await openParent();
	const [used, unused, expiring] = [await delegate(), await delegate(), await delegate()];
	await change(used.id, { usedAt: START_MS });
	await change(expiring.id, { usedAt: START_MS, expiresAt: undefined, status: "revoked" });
	for (const { id } of [used, unused]) await delegations.revoke(holder, id);
	const left = async () => {
		await delegate({ amountMicros: 1n });
		const rows = await Promise.all([used, unused, expiring].map(({ id }) => row(id)));
		return rows.map((one) => one !== undefined);
	};
	t.same(await left(), [true, false, true]);
	clock.set(START_MS + LIMITS.sptDelegationKeptMs);
	t.same(await left(), [true, false, true]);
	clock.set(START_MS + LIMITS.sptDelegationKeptMs + 1);
	t.same(await left(), [false, false, true], "one without an end is kept");
});

t.test("a parent lists the parts that live, oldest first, and ends its own", async (t) => {
	const tokens = await openParent();
	const { delegate, delegations, holder, id, clock, balance, row } = tokens;
	const made = [];
	for (let at = 0; at < 4; at++) {
		clock.set(START_MS + at);
		made.push(await delegate(at === 3 ? { expiresAt: START_MS + 10 } : {}));
	}
	const [first, second, third, brief] = made.map((one) => one.id);
	const listed = async () => (await delegations.list(holder)).map(({ token }) => token.id);
	t.same(await listed(), [first, second, third, brief]);
	await holdOn(tokens, made[0]?.token ?? "", 400_000n);
	t.match(await delegations.list(holder), [{ balanceMicros: 600_000n, heldMicros: 400_000n }]);
	clock.set(START_MS + 10);
	t.same(await listed(), [first, second, third], "one that expired is gone");
	t.equal(await balance(`cust:${id}`), 2n * USD, "and its money is back");
	const revoke = (childId = "") => delegations.revoke(holder, childId);
	t.same(await revoke(second), { returnedMicros: USD, balanceMicros: 3n * USD });
	t.same(await revoke(second), { returnedMicros: 0n, balanceMicros: 3n * USD }, "again: nothing");
	t.match(await row(second ?? ""), { status: "revoked", expiresAt: START_MS + 10 });
	t.same(await listed(), [first, third]);
	const name = `tok_${"x".repeat(100)}`;
	for (const foreign of [id, name])
		await t.rejects(revoke(foreign), {
			code: "NOT_FOUND",
			message: `No token delegated from this one is called "${foreign.slice(0, 80)}".`,
		});
	const stranger = { tokenId: id, secret: made[0]?.token ?? "" };
	await t.rejects(delegations.list(stranger), { code: "UNAUTHENTICATED" });
});

t.test("what a revoked part still holds goes to its parent when it is released", async (t) => {
	const tokens = await openParent();
	const { delegate, delegations, holder, id, store, method, balance } = tokens;
	const [child, other] = [await delegate(), await delegate()];
	const held = await holdOn(tokens, child.token, 300_000n);
	const kept = await holdOn(tokens, other.token, 200_000n);
	const own = await holdOn(tokens, tokens.token, 100_000n);
	t.match(await delegations.revoke(holder, child.id), { returnedMicros: 700_000n });
	const holds = await store.read((reader) => reader.list("holds"));
	t.same(
		[held, kept, own].map((one) => holds.find((row) => row.id === one.id)?.from),
		[`cust:${id}`, `cust:${other.id}`, `cust:${id}`],
	);
	await store.transaction((tx) => method.release(tx, held, "failed"));
	t.equal(await balance(`cust:${child.id}`), 0n);
	t.equal(await balance(`cust:${id}`), 3_900_000n);
});
