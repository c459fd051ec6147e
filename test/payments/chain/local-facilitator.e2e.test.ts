import t from "tap";
import { times } from "../../support/start-app.js";
import { createWallet, startLocalChain, withoutChain } from "./local-chain.js";

const ignore = { onBroadcast: async () => undefined };

t.test(
	"a signed transfer is verified, settled and found on the chain",
	{ skip: withoutChain },
	async (t) => {
		const { parts, payer, sign } = await startLocalChain(t);
		const { terms, facilitator, chain } = parts;
		const authorization = await sign();
		t.same(await facilitator.verify(terms, authorization), { kind: "valid" });
		t.same(await chain?.stateOf(terms, authorization), { kind: "unused" });

		const told: string[] = [];
		const settled = await facilitator.settle(terms, authorization, {
			onBroadcast: async (hash) => void told.push(hash),
		});
		t.match(settled, {
			kind: "settled",
			network: "eip155:84532",
			payer: payer.address,
			amount: "500000",
		});
		const hash = settled.kind === "settled" && settled.transactionHash;
		t.same(told, [hash], "its hash was told before it was sent");
		t.same(await chain?.stateOf(terms, authorization), { kind: "settled", transactionHash: hash });
		t.equal(await chain?.balanceOf(terms, payer.address), 99_500_000n);
		t.equal(await chain?.balanceOf(terms, terms.payTo), 500_000n);
		t.match(await facilitator.verify(terms, authorization), {
			kind: "refused",
			reason: "nonce_used",
		});
		t.match(await facilitator.settle(terms, authorization, ignore), {
			kind: "refused",
			reason: "nonce_used",
		});
	},
);

t.test("twenty settlements at once all succeed", { skip: withoutChain }, async (t) => {
	const { parts, sign } = await startLocalChain(t);
	const { terms, facilitator, chain } = parts;
	const authorizations = await Promise.all(times(20, () => sign({ value: 10_000n })));
	const outcomes = await Promise.all(
		authorizations.map((one) => facilitator.settle(terms, one, ignore)),
	);
	t.same(
		outcomes.filter(({ kind }) => kind !== "settled"),
		[],
	);
	t.equal(await chain?.balanceOf(terms, terms.payTo), 200_000n);
	const moved = [];
	for await (const transfer of chain?.transfers(terms) ?? []) moved.push(transfer.transactionHash);
	t.equal(new Set(moved).size, 20, "each in a transaction of its own");
});

t.test("what is wrong with a payment is said in one word", { skip: withoutChain }, async (t) => {
	const { parts, sign } = await startLocalChain(t);
	const { terms, facilitator } = parts;
	const now = Math.floor(Date.now() / 1_000);
	const stranger = createWallet();
	for (const [reason, changes, asked] of [
		["invalid_signature", { by: stranger }, {}],
		["invalid_signature", { domain: { name: "USD Coin" } }, {}],
		["wrong_recipient", { to: stranger.address }, {}],
		["invalid_amount", { value: 1n }, { value: 500_000n }],
		["expired", { validBefore: now - 1 }, {}],
		["not_yet_valid", { validAfter: now + 60 }, {}],
		["insufficient_funds", { value: 100_000_001n }, {}],
		["insufficient_funds", { from: stranger.address, by: stranger }, {}],
	] as const) {
		const authorization = await sign(changes);
		// The port carries one value: what is asked for differs from what was signed.
		const payment = { ...authorization, ...asked };
		const verdict = await facilitator.verify(terms, payment);
		const expected = "value" in asked ? "invalid_signature" : reason;
		t.match(verdict, { kind: "refused", reason: expected }, reason);
		t.match(await facilitator.settle(terms, payment, ignore), {
			kind: "refused",
			reason: expected,
		});
	}
});

t.test(
	"a wallet that is emptied after the check pays nobody",
	{ skip: withoutChain },
	async (t) => {
		const { parts, sign } = await startLocalChain(t);
		const { terms, facilitator, chain } = parts;
		const dear = await sign({ value: 60_000_000n });
		const other = await sign({ value: 60_000_000n });
		t.same(await facilitator.verify(terms, dear), { kind: "valid" });
		t.same(await facilitator.verify(terms, other), { kind: "valid" });
		t.match(await facilitator.settle(terms, dear, ignore), { kind: "settled" });
		t.match(await facilitator.settle(terms, other, ignore), {
			kind: "refused",
			reason: "insufficient_funds",
		});
		t.same(await chain?.stateOf(terms, other), { kind: "unused" });
		t.match(
			await facilitator.settle(terms, await sign(), ignore),
			{ kind: "settled" },
			"no nonce was lost",
		);
	},
);

t.test("a transaction whose hash cannot be kept is not sent", { skip: withoutChain }, async (t) => {
	const { parts, sign } = await startLocalChain(t);
	const { terms, facilitator, chain } = parts;
	const authorization = await sign();
	const onBroadcast = async () => {
		throw new Error("The disk is full.");
	};
	await t.rejects(facilitator.settle(terms, authorization, { onBroadcast }), { code: "UPSTREAM" });
	t.same(await chain?.stateOf(terms, authorization), { kind: "unused" });
	t.match(await facilitator.settle(terms, authorization, ignore), { kind: "settled" });
});

t.test("blocks of two seconds are waited for", { skip: withoutChain }, async (t) => {
	const { parts, sign } = await startLocalChain(t, { blockTimeSeconds: 2 });
	const { terms, facilitator } = parts;
	const outcomes = await Promise.all(
		times(3, async () => facilitator.settle(terms, await sign(), ignore)),
	);
	t.match(outcomes, [{ kind: "settled" }, { kind: "settled" }, { kind: "settled" }]);
});

t.test("a chain that has gone away refuses nobody's payment", { skip: withoutChain }, async (t) => {
	const log: string[] = [];
	const { parts, sign } = await startLocalChain(t, { log });
	const { terms, facilitator, chain } = parts;
	const authorization = await sign();
	await facilitator.verify(terms, authorization);
	await parts.close();
	await t.rejects(facilitator.verify(terms, authorization), { code: "UPSTREAM" });
	await t.rejects(facilitator.settle(terms, authorization, ignore), { code: "UPSTREAM" });
	await t.rejects(async () => chain?.stateOf(terms, authorization));
	t.same(log, [], "an end that was asked for is no news");
});

t.test("our wallet pays back", { skip: withoutChain }, async (t) => {
	const { parts, payer, sign } = await startLocalChain(t);
	const { terms, facilitator, treasury, chain } = parts;
	await facilitator.settle(terms, await sign(), ignore);
	t.match(await treasury?.transfer(terms, payer.address, 200_000n, ignore), { kind: "settled" });
	t.equal(await chain?.balanceOf(terms, payer.address), 99_700_000n);
	t.match(await treasury?.transfer(terms, payer.address, 900_000n, ignore), {
		kind: "refused",
		reason: "insufficient_funds",
	});
	const values = [];
	for await (const { value } of chain?.transfers(terms, { sinceMs: Date.now() - 60_000 }) ?? [])
		values.push(value);
	t.same(values, [500_000n, 200_000n], "both directions, oldest first");
});
