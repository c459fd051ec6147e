import t from "tap";
import { createLedger } from "../../../payments/ledger.js";
import { createSptIssuer } from "../../../payments/spt/spt-issuer.js";
import { LIMITS } from "../../../src/contract/limits.js";
import { systemRandom } from "../../../src/kernel/ids.js";
import { hashSecret } from "../../../src/kernel/secrets.js";
import { START_MS } from "../../store/open-test-store.js";
import { OWNER, openTokens, USD } from "./open-tokens.js";

t.test("a token is written with its terms, and what was left out as nothing", async (t) => {
	const { spts, row, pepper, postings } = await openTokens();
	const plain = await spts.issue({ amountMicros: USD });
	t.match(plain.token, /^spt_test_[0-9A-Za-z]{36}$/);
	t.equal(plain.balanceMicros, USD);
	const bare = {
		...{ id: plain.id, hash: hashSecret(plain.token, pepper), environment: "test" },
		...{ label: "", status: "active", createdAt: START_MS, skills: [], graphs: [] },
		origin: "operator",
	};
	t.same(await row(plain.id), { ...bare, expiresAt: undefined, maxPerCallMicros: undefined });
	t.same(
		Object.keys((await row(plain.id)) ?? {}).filter((name) =>
			["maxPerDayMicros", "parentId", "owner", "usedAt"].includes(name),
		),
		[],
	);
	const terms = {
		...{ label: "crew", expiresAt: START_MS + 5, maxPerCallMicros: 3n, maxPerDayMicros: 4n },
		...{ skills: ["graphs.search"], graphs: ["g"], owner: OWNER, origin: "purchase" as const },
	};
	const full = await spts.issue({ amountMicros: 2n * USD, ...terms });
	const hash = hashSecret(full.token, pepper);
	t.same(await row(full.id), { ...bare, ...terms, id: full.id, hash });
	t.same(
		(await postings()).map(({ kind, key, memo, ref, entries }) => [kind, key, memo, ref, entries]),
		[plain, full].map(({ id, balanceMicros }, at) => [
			...["credit", `issue:${id}`, at === 0 ? "" : "crew", id],
			[
				{ account: "promo:demo", amountMicros: -balanceMicros },
				{ account: `cust:${id}`, amountMicros: balanceMicros },
			],
		]),
	);
});

t.test("real tokens are given from the operator's own cash, and say that they are", async (t) => {
	const { spts, balance, row } = await openTokens({ environment: "live" });
	const { id, token } = await spts.issue({ amountMicros: USD });
	t.match(token, /^spt_live_/);
	t.equal(await balance("cash:manual"), -USD);
	t.equal((await row(id))?.environment, "live");
	t.equal((await spts.find(token))?.id, id);
	t.match(await spts.validate(token), { active: true, environment: "live" });
});

t.test("money of another token is moved, money of an account is credited", async (t) => {
	const { spts, store, balance, postings } = await openTokens();
	const { id } = await spts.issue({ amountMicros: 3n * USD });
	const issueFrom = (account: string) =>
		store.transaction((tx) => spts.issueFrom(tx, account, { amountMicros: USD, label: "part" }));
	const child = await issueFrom(`cust:${id}`);
	const credited = await issueFrom("cash:x402:n");
	t.equal(await balance(`cust:${id}`), 2n * USD);
	t.equal(await balance("cash:x402:n"), -USD);
	const made = (await postings()).slice(1);
	t.match(made, [
		{ kind: "transfer", ref: child.id, key: `issue:${child.id}`, memo: "part" },
		{ kind: "credit", ref: credited.id, key: `issue:${credited.id}`, memo: "part" },
	]);
	for (const amountMicros of [0n, LIMITS.sptMaxMicros + 1n])
		await t.rejects(spts.issue({ amountMicros }), {
			code: "INVALID_ARGUMENT",
			message: "A balance must be above zero and at most 10000.00 USD.",
		});
	t.equal((await spts.list()).length, 3, "what is refused is not written");
});

t.test("a balance is filled up to an amount, and never lowered", async (t) => {
	const { spts, postings } = await openTokens();
	const { id } = await spts.issue({ amountMicros: USD });
	t.equal(await spts.fillUp(id, USD), USD);
	t.equal(await spts.fillUp(id, USD - 1n), USD);
	t.equal((await postings()).length, 1);
	t.equal(await spts.fillUp(id, USD + 7n), USD + 7n);
	t.match((await postings()).at(-1), {
		...{ kind: "credit", ref: id, key: /^fill-up:txn_/, memo: "fill-up" },
		entries: [{ account: "promo:demo", amountMicros: -7n }, { amountMicros: 7n }],
	});
	t.equal(await spts.fillUp(id, USD + 9n), USD + 9n, "again, under another key");
});

t.test("the secret of a token that was never used is replaced, of no other", async (t) => {
	const { spts, store, change, row } = await openTokens();
	const { id, token } = await spts.issue({ amountMicros: USD, label: "kept" });
	const reissue = (tokenId: string) => store.transaction((tx) => spts.reissue(tx, tokenId));
	const before = await row(id);
	const next = await reissue(id);
	t.match(next, /^spt_test_/);
	t.not(next, token);
	t.equal(await spts.find(token), undefined, "the old one is worth nothing");
	t.equal((await spts.find(next ?? ""))?.id, id);
	t.same({ ...(await row(id)), hash: "" }, { ...before, hash: "" });
	for (const changes of [{ usedAt: START_MS }, { usedAt: undefined, status: "revoked" } as const]) {
		await change(id, changes);
		t.equal(await reissue(id), undefined);
	}
	t.equal(await reissue("tok_nobody"), undefined);
});

t.test("a frozen token is said to be frozen, and pays again once it is thawed", async (t) => {
	const { spts, store, method, balance } = await openTokens();
	const { id, token } = await spts.issue({ amountMicros: USD });
	const identify = () => method.identify(store, { scheme: "spt", token });
	await spts.setFrozen(id, true);
	t.match(await spts.list(), [{ id, status: "frozen" }]);
	await t.rejects(identify(), {
		code: "SCOPE_FORBIDDEN",
		message:
			"The operator has frozen this Shared Payment Token: it pays for nothing until that is lifted, and its balance stays. Ask the operator, or pay another way.",
	});
	t.equal(await balance(`cust:${id}`), USD);
	await spts.setFrozen(id, false);
	t.same(await identify(), { owner: id, rail: "spt" });
	await spts.revoke(id);
	for (const isFrozen of [true, false])
		await t.rejects(spts.setFrozen(id, isFrozen), {
			code: "INVALID_ARGUMENT",
			message: `The token "${id}" was ended; it pays for nothing anyway.`,
		});
	const name = `tok_${"x".repeat(200)}`;
	await t.rejects(spts.setFrozen(name, true), {
		code: "NOT_FOUND",
		message: `No token is called "${name.slice(0, 80)}".`,
	});
	await t.rejects(spts.revoke("tok_nobody"), { message: 'No token is called "tok_nobody".' });
});

t.test("an operator sees every token with what became of it", async (t) => {
	const { spts, store, clock, change } = await openTokens();
	const terms = { amountMicros: 3n * USD, expiresAt: START_MS + 1_000 };
	const first = await spts.issue({ ...terms, label: "first", owner: OWNER, origin: "purchase" });
	const child = await store.transaction((tx) =>
		spts.issueFrom(tx, `cust:${first.id}`, { amountMicros: USD, parentId: first.id }),
	);
	const common = { label: "", expires_at: null, created_at: "2026-03-01T12:00:00.000Z" };
	const seen = async () => new Map((await spts.list()).map((one) => [one.id, one]));
	t.same((await seen()).get(first.id), {
		...{ id: first.id, label: "first", status: "active", balance_usd: "2.00", held_usd: "0.00" },
		...{ expires_at: "2026-03-01T12:00:01.000Z", created_at: common.created_at },
		...{ origin: "purchase", parent_id: null },
	});
	t.same((await seen()).get(child.id), {
		...{ ...common, id: child.id, status: "active", balance_usd: "1.00", held_usd: "0.00" },
		...{ origin: "operator", parent_id: first.id },
	});
	clock.set(START_MS + 1_000);
	t.equal((await seen()).get(first.id)?.status, "expired");
	t.equal((await seen()).get(child.id)?.status, "expired", "with the one it came from");
	await change(child.id, { origin: undefined, status: "revoked" });
	t.match((await seen()).get(child.id), { origin: "operator", status: "revoked" });
});

t.test(
	"what an operator revokes keeps its balance on the books, and so do its parts",
	async (t) => {
		const { spts, store, clock, balance, row } = await openTokens();
		const top = await spts.issue({ amountMicros: 5n * USD, expiresAt: START_MS + 9_000 });
		const under = (parentId: string, expiresAt?: number) =>
			store.transaction((tx) =>
				spts.issueFrom(tx, `cust:${parentId}`, {
					...{ amountMicros: USD, parentId },
					...(expiresAt !== undefined && { expiresAt }),
				}),
			);
		const [early, late] = [await under(top.id, START_MS + 1), await under(top.id)];
		clock.set(START_MS + 5_000);
		await spts.revoke(top.id);
		t.equal(await balance(`cust:${top.id}`), 5n * USD);
		t.match(await row(top.id), { status: "revoked", expiresAt: START_MS + 9_000 });
		t.match(await row(early.id), { status: "revoked", expiresAt: START_MS + 1 });
		t.match(await row(late.id), { status: "revoked", expiresAt: START_MS + 5_000 });
	},
);

t.test(
	"a secret that an older pepper knows is known by the newest once it was shown",
	async (t) => {
		const { store, clock, ids, spts, pepper, row } = await openTokens();
		const { id, token } = await spts.issue({ amountMicros: USD });
		const before = await row(id);
		const ring = { inForce: [new Uint8Array(32).fill(1), pepper], retired: [] };
		const ledger = createLedger({ clock, ids });
		const keys = { store, ledger, clock, random: systemRandom, pepper: ring, ids };
		const rotated = createSptIssuer({ ...keys, environment: "test" });
		t.equal((await rotated.find(token))?.id, id);
		const hash = hashSecret(token, ring);
		t.not(hash, before?.hash);
		t.same(await row(id), { ...before, hash });
		t.equal(await spts.find(token), undefined, "the older pepper can be retired");
	},
);
