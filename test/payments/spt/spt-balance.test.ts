import t from "tap";
import type { PaymentRequired } from "../../../payments/challenge.js";
import { spentToday } from "../../../payments/spt/spt-balance.js";
import type { SptTerms } from "../../../payments/spt/spt-issuer.js";
import { howToBuy, spendingLimit } from "../../../payments/spt/spt-refusals.js";
import { START_MS } from "../../store/open-test-store.js";
import { holdOn, openTokens, type Tokens, USD } from "./open-tokens.js";

const DAY_MS = 86_400_000;
const UNKNOWN = {
	code: "UNAUTHENTICATED",
	message: "The Shared Payment Token is not known here, has expired or was revoked.",
};

async function openWith(terms: Partial<SptTerms>, isForSale = true) {
	const tokens = await openTokens({ isForSale });
	const issued = await tokens.spts.issue({ amountMicros: USD, ...terms });
	return { ...tokens, ...issued, hold: (micros: bigint) => holdOn(tokens, issued.token, micros) };
}

/** The refusal of a hold, with its ways to go on. */
async function refusalOf(holding: Promise<unknown>): Promise<PaymentRequired> {
	return holding.then(
		() => {
			throw new Error("It was held.");
		},
		(error: PaymentRequired) => error,
	);
}

t.test(
	"a hold says whose it is and what it is for, and the first one marks its token",
	async (t) => {
		const { id, token, clock, row, balance, ...tokens } = await openWith({});
		t.equal((await row(id))?.usedAt, undefined);
		const all = { ...tokens, clock, row, balance } as Tokens;
		const hold = await holdOn(all, token, 300_000n, { graphIds: ["g"] });
		t.same(
			{ ...hold, id: "", idempotencyId: "" },
			{
				...{ id: "", from: `cust:${id}`, held: `held:${id}`, owner: id, rail: "spt" },
				...{ amountMicros: 300_000n, operationId: "graphs.search", billingType: "per_call" },
				...{
					graphIds: ["g"],
					idempotencyId: "",
					createdAt: START_MS,
					expiresAt: START_MS + 120_000,
					processId: tokens.store.processes.ownId(),
				},
			},
		);
		t.notOk(Object.hasOwn(hold, "spendingId"), "without a limit a day nothing is counted");
		t.equal((await row(id))?.usedAt, START_MS);
		clock.set(START_MS + 9);
		await holdOn(all, token, 1n);
		t.equal((await row(id))?.usedAt, START_MS, "when it was used first");
		t.equal(await balance(`cust:${id}`), 699_999n);
	},
);

t.test("a capture takes all of it by default, or a part; a release takes none", async (t) => {
	const { store, method, hold, id } = await openWith({});
	const capture = async (micros?: bigint) => {
		const held = await hold(200_000n);
		return store.transaction((tx) => method.capture(tx, held, micros));
	};
	const all = await capture();
	t.match(all.transactionId, /^txn_/);
	t.match(all, { paidMicros: 200_000n, balanceAfterMicros: 800_000n });
	t.match(await capture(50_000n), { paidMicros: 50_000n, balanceAfterMicros: 750_000n });
	const held = await hold(1n);
	await store.transaction((tx) => method.release(tx, held, "failed"));
	const payer = { owner: id, rail: "spt" };
	t.equal(await store.read((reader) => method.balance(reader, payer)), 750_000n);
	t.same([method.rail, method.schemes], ["spt", ["spt"]]);
});

t.test("a token that stops between identification and hold pays for nothing", async (t) => {
	const tokens = await openWith({ expiresAt: START_MS + 10 });
	const { store, method, token, id, change, clock, spts } = tokens;
	const payer = await method.identify(store, { scheme: "spt", token });
	const quote = { operationId: "graphs.search", amountMicros: 1n, billingType: "per_call" };
	const authorize = () =>
		store.transaction((tx) =>
			method.authorize(tx, payer, { quote, graphIds: [], idempotencyId: undefined } as never),
		);
	await spts.setFrozen(id, true);
	await t.rejects(authorize(), { code: "SCOPE_FORBIDDEN", message: /has frozen this Shared/ });
	await change(id, { status: "revoked" });
	await t.rejects(authorize(), UNKNOWN);
	await change(id, { status: "active" });
	clock.set(START_MS + 9);
	t.ok(await authorize());
	clock.set(START_MS + 10);
	await t.rejects(authorize(), UNKNOWN, "at the very end it has ended");
	await store.transaction((tx) => tx.delete("tokens", id));
	await t.rejects(authorize(), UNKNOWN);
});

t.test("a frozen token freezes what was delegated from it, and says so", async (t) => {
	const { store, spts, method, id } = await openWith({});
	const child = await store.transaction((tx) =>
		spts.issueFrom(tx, `cust:${id}`, { amountMicros: 5n, parentId: id }),
	);
	const identify = (token: string) => method.identify(store, { scheme: "spt", token });
	t.same(await identify(child.token), { owner: child.id, rail: "spt" });
	await spts.setFrozen(id, true);
	await t.rejects(identify(child.token), { code: "SCOPE_FORBIDDEN" });
	await spts.setFrozen(id, false);
	await spts.revoke(child.id);
	await t.rejects(identify(child.token), UNKNOWN);
	await t.rejects(method.identify(store, { scheme: "api_key", key: child.token }), UNKNOWN);
});

t.test("a limit a day counts what is held, and names the seconds to midnight", async (t) => {
	const { id, hold, store, method, clock } = await openWith({ maxPerDayMicros: 500_000n });
	clock.set(Date.parse("2026-03-01T23:59:30.500Z"));
	const spent = () => store.read((reader) => spentToday(reader, id, clock.now()));
	t.equal(await spent(), 0n);
	const first = await hold(400_000n);
	const counter = `${id}|2026-03-01`;
	t.equal(first.spendingId, counter);
	t.same(await store.read((reader) => reader.get("spending", counter)), {
		...{ id: counter, spentMicros: 400_000n, expiresAt: clock.now() + 2 * DAY_MS },
	});
	const refused = await refusalOf(hold(100_001n));
	t.equal(refused.code, "SPENDING_LIMIT");
	t.equal(
		refused.message,
		"This token spends at most 0.50 USD a day (UTC); 0.40 USD are spent or held today, and this takes 0.100001 USD.",
	);
	t.same(refused.challenge, {
		...{ quote: undefined, offers: [] },
		continuations: [
			{
				...{ type: "wait", max_per_day_usd: "0.50", retry_after_seconds: 30 },
				instructions: "Wait until the next day (UTC), or use a token with a higher limit per day.",
			},
		],
	});
	t.equal(await spent(), 400_000n, "what is refused is not counted");
	await hold(100_000n);
	t.equal(await spent(), 500_000n, "the very limit may be spent");
	await store.transaction((tx) => method.release(tx, first, "failed"));
	t.equal(await spent(), 100_000n);
	clock.set(Date.parse("2026-03-02T00:00:00Z"));
	t.equal(await spent(), 0n);
	t.match(await hold(500_000n), { spendingId: `${id}|2026-03-02` });
	t.match((await refusalOf(hold(1n))).challenge.continuations, [{ retry_after_seconds: 86_400 }]);
});

t.test("a limit per call is the highest price, and says what this one costs", async (t) => {
	const { hold } = await openWith({ maxPerCallMicros: 250_000n });
	t.ok(await hold(250_000n));
	const refused = await refusalOf(hold(250_001n));
	t.equal(refused.code, "SPENDING_LIMIT");
	t.equal(
		refused.message,
		"This token pays at most 0.25 USD per call; this one costs 0.250001 USD.",
	);
	t.same(refused.challenge.continuations, [
		{
			...{ type: "spt", max_per_call_usd: "0.25" },
			instructions: "Use a token with a higher limit per call.",
		},
	]);
});

t.test("a balance that does not reach is refused with what helps", async (t) => {
	const raise = {
		...{ type: "spt_purchase", method: "POST", path: "/v1/spt/top-up" },
		instructions:
			"Send this token again to the top-up path with the amount, and pay its 402 on the chain.",
	};
	for (const isForSale of [true, false]) {
		const { hold } = await openWith({}, isForSale);
		t.ok(await hold(400_000n));
		const refused = await refusalOf(hold(2_600_000n));
		t.equal(refused.code, "INSUFFICIENT_BALANCE");
		t.equal(
			refused.message,
			"The token has 0.60 USD left; this call costs 2.60 USD. Nothing was charged.",
		);
		const instructions = isForSale
			? "Use another token, or raise this one's balance."
			: "Ask the operator to issue a token with a higher balance, or use another one.";
		t.same(refused.challenge.continuations, [
			...(isForSale ? [{ ...raise, body: { amount_usd: "2.00" } }] : []),
			{ type: "spt", balance_usd: "0.60", amount_usd: "2.60", instructions },
		]);
		t.ok(await hold(600_000n), "all that is left may be spent");
	}
});

t.test("callers see how to pay with a token and how to buy one", async (t) => {
	const { method } = await openTokens();
	t.same(method.offer({ amountMicros: 500_000n } as never), {
		continuation: {
			...{ type: "spt", header: "X-Pay-SPT", amount_usd: "0.50", validate: "/v1/spt/validate" },
			alternative_header: "Authorization: Bearer <SPT>",
			instructions:
				"Send the same request again with a Shared Payment Token of this service in the X-Pay-SPT header; the price is taken from its balance once there is an answer.",
		},
		...{ accepts: [], headers: {} },
	});
	t.same(howToBuy(USD + 1n), {
		...{ type: "spt_purchase", method: "POST", path: "/v1/spt" },
		body: { amount_usd: "1.000001" },
		instructions:
			"Buy a Shared Payment Token with one payment on the chain: POST the amount, pay its 402, and the reply holds the token. It pays for many calls without the chain.",
	});
	t.match(howToBuy(1n), { body: { amount_usd: "1.00" } }, "less than a dollar is not sold");
	t.match(spendingLimit("m", {}).challenge.continuations, [{ type: "spt" }]);
});

t.test("what expired parts did not spend pays for a call that needs it", async (t) => {
	const tokens = await openWith({});
	const { store, spts, id, hold, clock, balance, row } = tokens;
	const terms = { amountMicros: 700_000n, parentId: id, expiresAt: START_MS + 5 };
	const child = await store.transaction((tx) => spts.issueFrom(tx, `cust:${id}`, terms));
	await t.rejects(hold(300_001n), { code: "INSUFFICIENT_BALANCE" });
	clock.set(START_MS + 5);
	await hold(300_000n);
	t.equal((await row(child.id))?.status, "active", "nothing is moved while there is enough");
	await hold(700_000n);
	t.equal((await row(child.id))?.status, "revoked");
	t.equal(await balance(`cust:${id}`), 0n);
});
