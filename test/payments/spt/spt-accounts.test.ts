import t from "tap";
import {
	recoverTokens,
	toBalanceWire,
	toStatementLine,
} from "../../../payments/spt/spt-accounts.js";
import { LIMITS } from "../../../src/contract/limits.js";
import { systemRandom } from "../../../src/kernel/ids.js";
import { createSecret, hashSecret } from "../../../src/kernel/secrets.js";
import type { HoldRow } from "../../../store/rows/call-rows.js";
import { credit, START_MS, tokenRow } from "../../store/open-test-store.js";
import { holdOn, OWNER, openTokens, type Tokens, USD } from "./open-tokens.js";

const BOUGHT = { amountMicros: 5n * USD, owner: OWNER, origin: "purchase" } as const;

async function openBought() {
	const tokens = await openTokens();
	const { id, token } = await tokens.spts.issue(BOUGHT);
	return { ...tokens, id, token, holder: { tokenId: id, secret: token } };
}

const childOf = async ({ store, spts }: Tokens, parentId: string, amountMicros: bigint) => {
	const { id, token } = await store.transaction((tx) =>
		spts.issueFrom(tx, `cust:${parentId}`, { amountMicros, parentId }),
	);
	return { id, token, holder: { tokenId: id, secret: token } };
};

t.test("a holder sees balance, limits and scopes of the token", async (t) => {
	const tokens = await openTokens();
	const { spts, accounts } = tokens;
	const limits = { maxPerCallMicros: USD, maxPerDayMicros: 2n * USD, expiresAt: START_MS + 1 };
	const scope = { skills: ["graphs.search"], graphs: ["g"] };
	const full = await spts.issue({ ...BOUGHT, ...limits, ...scope, label: "crew" });
	await holdOn(tokens, full.token, 500_000n, { graphIds: ["g"] });
	const state = await accounts.balance(full.id);
	t.match(state, { balanceMicros: 4_500_000n, heldMicros: 500_000n, spentTodayMicros: 500_000n });
	t.same(toBalanceWire(state), {
		...{ id: full.id, label: "crew", environment: "test", balance_usd: "4.50", held_usd: "0.50" },
		...{ expires_at: "2026-03-01T12:00:00.001Z", max_per_call_usd: "1.00" },
		...{ max_per_day_usd: "2.00", spent_today_usd: "0.50", ...scope, parent_id: null },
	});
	const plain = await spts.issue({ amountMicros: 2n * USD });
	const child = await childOf(tokens, plain.id, USD);
	const wire = toBalanceWire(await accounts.balance(child.id));
	t.same(wire, {
		...{ id: child.id, label: "", environment: "test", balance_usd: "1.00", held_usd: "0.00" },
		...{ expires_at: null, max_per_call_usd: null, max_per_day_usd: null, spent_today_usd: "0.00" },
		...{ skills: [], graphs: [], parent_id: plain.id },
	});
	await t.rejects(accounts.balance("tok_nobody"), { code: "NOT_FOUND" });
});

t.test("a rotated secret opens the same token, and the old one nothing", async (t) => {
	const { accounts, holder, id, row, pepper, spts } = await openBought();
	const before = await row(id);
	const rotated = await accounts.rotate(holder);
	t.match(rotated.token, /^spt_test_/);
	t.equal(rotated.balanceMicros, 5n * USD);
	t.same(await row(id), { ...before, hash: hashSecret(rotated.token, pepper) });
	t.equal((await spts.find(rotated.token))?.id, id);
	await t.rejects(accounts.rotate(holder), {
		code: "UNAUTHENTICATED",
		message: "The Shared Payment Token is not known here, has expired or was revoked.",
	});
	await spts.setFrozen(id, true);
	await t.rejects(accounts.rotate(holder), { code: "UNAUTHENTICATED" }, "tells strangers nothing");
	const own = { tokenId: id, secret: rotated.token };
	await t.rejects(accounts.rotate(own), { code: "SCOPE_FORBIDDEN" });
	await t.rejects(accounts.rotate({ ...own, tokenId: "tok_nobody" }), { code: "UNAUTHENTICATED" });
});

t.test("what is left goes to the wallet that bought the token, once", async (t) => {
	const tokens = await openBought();
	const { accounts, holder, id, token, balance, clock } = tokens;
	const held = await holdOn(tokens, token, USD);
	const refund = await accounts.refund(holder, "done");
	t.same(refund, {
		...{ id: refund.id, ref: id, owner: id, amountMicros: 4n * USD, reason: "done" },
		...{ state: "pending", destination: OWNER, createdAt: START_MS },
	});
	t.equal(await balance("refunds"), 4n * USD);
	t.same(await accounts.refund(holder, "again"), refund, "asked again, the same one");
	clock.set(START_MS + 1);
	await tokens.store.transaction((tx) => tokens.method.release(tx, held, "failed"));
	const latest = await accounts.refund(holder, "the rest");
	t.match(latest, { amountMicros: USD, reason: "the rest" });
	t.same(await accounts.refund(holder, "once more"), latest, "the latest of several");
	t.equal(await balance("refunds"), 5n * USD);
});

t.test("a small sum that joins an earlier refund is reported as that one", async (t) => {
	const tokens = await openBought();
	const { accounts, holder, store, method, token, clock } = tokens;
	const holds: HoldRow[] = [];
	for (const cents of [200n, 50n, 200n]) holds.push(await holdOn(tokens, token, cents * 10_000n));
	const refundAfter = async (at: number) => {
		clock.set(START_MS + at);
		const held = holds[at];
		if (held) await store.transaction((tx) => method.release(tx, held, "failed"));
		return accounts.refund(holder, "r");
	};
	const small = await accounts.refund(holder, "r");
	t.equal(small.amountMicros, 500_000n);
	t.match(await refundAfter(0), { amountMicros: 2n * USD });
	t.match(await refundAfter(1), { id: small.id, amountMicros: USD });
});

t.test("money goes back to no other wallet, and never out of what an operator gave", async (t) => {
	const tokens = await openBought();
	const { accounts, spts, id, change } = tokens;
	const child = await childOf(tokens, id, USD);
	await t.rejects(accounts.refund(child.holder, "r"), {
		code: "SCOPE_FORBIDDEN",
		message:
			"A delegated token gives back to the token it came from: DELETE /v1/spt, or its parent revokes it.",
	});
	const given = await spts.issue({ amountMicros: USD });
	const holder = { tokenId: given.id, secret: given.token };
	await t.rejects(accounts.refund(holder, "r"), {
		code: "SCOPE_FORBIDDEN",
		message: `The operator issued this token and no wallet paid for it; ask the operator to refund ${given.id}.`,
	});
	await holdOn(tokens, given.token, USD);
	await change(given.id, { owner: OWNER });
	await t.rejects(accounts.refund(holder, "r"), {
		code: "INVALID_ARGUMENT",
		message: "The token has no balance to refund.",
	});
});

t.test("who ends a token gets back what it and its parts have left", async (t) => {
	const tokens = await openBought();
	const { accounts, holder, id, row, balance } = tokens;
	const child = await childOf(tokens, id, 2n * USD);
	const revoked = await accounts.revoke(holder);
	t.equal(revoked.returnedMicros, 2n * USD);
	t.match(revoked.refund, {
		...{ ref: id, owner: id, amountMicros: 5n * USD, destination: OWNER, state: "pending" },
		reason: "The token was revoked by its holder.",
	});
	t.equal(revoked.balanceMicros, 0n);
	t.match(await row(id), { status: "revoked", closedAt: START_MS });
	t.match(await row(child.id), { status: "revoked", closedAt: undefined });
	t.equal(await balance("refunds"), 5n * USD);
	await t.rejects(accounts.revoke(holder), { code: "UNAUTHENTICATED" });
});

t.test("a part that is ended, or a token that was given, is refunded to no wallet", async (t) => {
	const tokens = await openBought();
	const { accounts, spts, id, change, balance } = tokens;
	const child = await childOf(tokens, id, 2n * USD);
	await change(child.id, { owner: OWNER });
	const ended = await accounts.revoke(child.holder);
	t.same(ended, { returnedMicros: 2n * USD, refund: undefined, balanceMicros: 0n });
	t.equal(await balance(`cust:${id}`), 5n * USD);
	const given = await spts.issue({ amountMicros: USD });
	const kept = await accounts.revoke({ tokenId: given.id, secret: given.token });
	t.same(kept, { returnedMicros: 0n, refund: undefined, balanceMicros: USD });
	const spent = await spts.issue({ ...BOUGHT, amountMicros: USD });
	await holdOn(tokens, spent.token, USD);
	const empty = await accounts.revoke({ tokenId: spent.id, secret: spent.token });
	t.same(empty, { returnedMicros: 0n, refund: undefined, balanceMicros: 0n });
	t.equal(await balance("refunds"), 0n);
});

t.test("what parts that expired have left counts as the holder's own", async (t) => {
	const tokens = await openBought();
	const { accounts, holder, id, clock, change } = tokens;
	const child = await childOf(tokens, id, 2n * USD);
	await change(child.id, { expiresAt: START_MS + 1 });
	const live = await childOf(tokens, id, USD);
	clock.set(START_MS + 1);
	t.match(await accounts.refund(holder, "r"), { amountMicros: 4n * USD });
	t.match(await tokens.row(live.id), { status: "active" });
	t.match(
		(await tokens.postings()).find(({ kind, memo }) => kind === "transfer" && memo),
		{
			...{ memo: "returned", ref: id },
		},
	);
});

t.test("a secret is checked for free: its balance, what it holds and its end", async (t) => {
	const tokens = await openTokens();
	const { spts } = tokens;
	const brief = await spts.issue({ amountMicros: USD, expiresAt: START_MS + 1 });
	await holdOn(tokens, brief.token, 400_000n);
	t.same(await spts.validate(brief.token), {
		...{ active: true, balance_usd: "0.60", held_usd: "0.40", environment: "test" },
		expires_at: "2026-03-01T12:00:00.001Z",
	});
	const plain = await spts.issue({ amountMicros: USD });
	t.match(await spts.validate(plain.token), { active: true, expires_at: null });
	const stranger = createSecret("spt_test_", systemRandom);
	t.equal(await spts.find(stranger), undefined);
});

t.test("one purchase takes along so many earlier tokens at most", async (t) => {
	const { store, ledger } = await openTokens();
	const count = LIMITS.sptRecoveredMax + 1;
	await store.transaction(async (tx) => {
		for (let at = 0; at < count; at++)
			await tx.put("tokens", tokenRow(`tok_${at}`, { owner: OWNER, origin: "purchase" }));
		await tx.put("tokens", tokenRow("tok_empty", { owner: OWNER, origin: "purchase" }));
		await tx.put("tokens", tokenRow("tok_new", { owner: OWNER }));
	});
	for (let at = 0; at < count; at++) await credit(store, `cust:tok_${at}`, 3n);
	const recover = () =>
		store.transaction((tx) =>
			recoverTokens(tx, { owner: OWNER, intoId: "tok_new" }, { ledger, now: START_MS }),
		);
	t.equal(await recover(), 300n);
	t.equal(await recover(), 3n, "the next one takes the last");
	t.equal(await recover(), 0n);
	const rows = await store.read((reader) => reader.list("tokens"));
	const closed = rows.filter(({ closedAt }) => closedAt === START_MS);
	t.equal(closed.length, count);
	t.ok(closed.every(({ status }) => status === "revoked"));
	t.match(
		rows.find(({ id }) => id === "tok_empty"),
		{ status: "active" },
	);
});

t.test("what was recovered is moved under its own name", async (t) => {
	const { store, ledger, postings } = await openTokens();
	for (const id of ["tok_old", "tok_new"])
		await store.transaction((tx) =>
			tx.put("tokens", tokenRow(id, { owner: OWNER, origin: "purchase" })),
		);
	await credit(store, "cust:tok_old", 3n);
	await store.transaction((tx) =>
		recoverTokens(tx, { owner: OWNER, intoId: "tok_new" }, { ledger, now: START_MS }),
	);
	t.match((await postings()).at(-1), { kind: "transfer", ref: "tok_new", memo: "recovered" });
});

t.test("a line of a statement shows what changed for its holder alone", async (t) => {
	const entries = [
		{ account: "cust:tok_a", amountMicros: -500_000n },
		{ account: "held:tok_a", amountMicros: 300_000n },
		{ account: "held:tok_a", amountMicros: 100_000n },
		{ account: "cust:tok_b", amountMicros: 100_000n },
	];
	const posting = { id: "txn_1", at: START_MS, kind: "authorise", ref: "hold_1", entries } as const;
	const line = {
		...{ id: "txn_1", at: "2026-03-01T12:00:00.000Z", kind: "authorise", ref: "hold_1" },
		...{ balance_change_usd: "-0.50", held_change_usd: "0.40", memo: null },
	};
	t.same(toStatementLine("tok_a", posting), line);
	const other = { balance_change_usd: "0.10", held_change_usd: "0.00", memo: "why" };
	t.same(toStatementLine("tok_b", { ...posting, memo: "why" }), { ...line, ...other });
});
