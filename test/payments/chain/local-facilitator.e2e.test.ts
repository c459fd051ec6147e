import t from "tap";
import { times } from "../../support/times.js";
import { createWallet, startLocalChain, withoutChain } from "./local-chain.js";

const ignore = { onBroadcast: async () => undefined };

t.test("payments settle in this process", { skip: withoutChain }, async (t) => {
	const { parts, payer, sign } = await startLocalChain(t);
	const { terms, facilitator, treasury, chain } = parts;
	const balanceOf = (address: `0x${string}`) => chain?.balanceOf(terms, address);
	const transfersOf = async (sinceMs?: number) => {
		const found = [];
		const span = sinceMs === undefined ? {} : { sinceMs };
		for await (const transfer of chain?.transfers(terms, span) ?? []) found.push(transfer);
		return found;
	};

	await t.test("a signed transfer is verified, settled and found on the chain", async (t) => {
		const authorization = await sign();
		t.same(await facilitator.verify(terms, authorization), { kind: "valid" });
		t.match(await chain?.stateOf(terms, authorization), { kind: "unused" });
		const told: string[] = [];
		const settled = await facilitator.settle(terms, authorization, {
			onBroadcast: async (hash) => void told.push(hash),
		});
		const payment = { network: "eip155:84532", payer: payer.address, amount: "500000" };
		t.match(settled, { kind: "settled", ...payment });
		const hash = settled.kind === "settled" && settled.transactionHash;
		t.same(told, [hash], "its hash was told before it was sent");
		const state = { kind: "settled", transactionHash: hash, logIndex: 1 };
		t.same(await chain?.stateOf(terms, authorization), state);
		t.equal(await balanceOf(payer.address), 99_500_000n);
		t.equal(await balanceOf(terms.payTo), 500_000n);
		const spent = { kind: "refused", reason: "nonce_used" };
		t.match(await facilitator.verify(terms, authorization), spent);
		t.match(await facilitator.settle(terms, authorization, ignore), spent);
	});

	await t.test("twenty settlements at once all succeed, each in its own transaction", async (t) => {
		const before = (await transfersOf()).length;
		const authorizations = await Promise.all(times(20, () => sign({ value: 10_000n })));
		const outcomes = await Promise.all(
			authorizations.map((one) => facilitator.settle(terms, one, ignore)),
		);
		t.same(
			outcomes.filter(({ kind }) => kind !== "settled"),
			[],
		);
		t.equal(await balanceOf(terms.payTo), 700_000n);
		const hashes = (await transfersOf()).map(({ transactionHash }) => transactionHash);
		t.equal(new Set(hashes.slice(before)).size, 20);
	});

	await t.test("what is wrong with a payment is said in one word", async (t) => {
		const now = Math.floor(Date.now() / 1_000);
		const stranger = createWallet();
		for (const [reason, changes] of [
			["invalid_signature", { by: stranger }],
			["invalid_signature", { domain: { name: "USD Coin" } }],
			["wrong_recipient", { to: stranger.address }],
			["expired", { validBefore: now - 1 }],
			["not_yet_valid", { validAfter: now + 60 }],
			["insufficient_funds", { value: 100_000_001n }],
			["insufficient_funds", { from: stranger.address, by: stranger }],
		] as const) {
			const payment = await sign(changes);
			const refused = { kind: "refused", reason };
			t.match(await facilitator.verify(terms, payment), refused, reason);
			t.match(await facilitator.settle(terms, payment, ignore), refused);
		}
	});

	await t.test("a wallet that is emptied after the check pays no one", async (t) => {
		const [one, other] = [await sign({ value: 60_000_000n }), await sign({ value: 60_000_000n })];
		t.same(await facilitator.verify(terms, one), { kind: "valid" });
		t.same(await facilitator.verify(terms, other), { kind: "valid" });
		t.match(await facilitator.settle(terms, one, ignore), { kind: "settled" });
		const short = { kind: "refused", reason: "insufficient_funds" };
		t.match(await facilitator.settle(terms, other, ignore), short);
		t.match(await chain?.stateOf(terms, other), { kind: "unused" });
		const next = await facilitator.settle(terms, await sign(), ignore);
		t.match(next, { kind: "settled" }, "the failure left no gap in the settler's nonces");
	});

	await t.test("a transaction whose hash cannot be kept is not sent", async (t) => {
		const payment = await sign();
		const onBroadcast = () => Promise.reject(new Error("The disk is full."));
		t.match(await facilitator.settle(terms, payment, { onBroadcast }), { kind: "not_sent" });
		t.match(await chain?.stateOf(terms, payment), { kind: "unused" });
		t.match(await facilitator.settle(terms, payment, ignore), { kind: "settled" });
	});

	await t.test("our wallet pays back, and what came and went can be listed", async (t) => {
		const before = (await balanceOf(payer.address)) ?? 0n;
		const paid = await treasury?.transfer(terms, payer.address, 200_000n, ignore);
		t.match(paid, { kind: "settled" });
		t.equal(await balanceOf(payer.address), before + 200_000n);
		const all = await transfersOf();
		t.match(all.at(-1), { from: terms.payTo, to: payer.address, value: 200_000n });
		t.same(await transfersOf(Date.now() - 600_000), all);
		t.same(await transfersOf(Date.now() + 600_000), all.slice(-1), "the newest block is looked at");
		t.match(await treasury?.transfer(terms, payer.address, 10n ** 12n, ignore), {
			kind: "refused",
			reason: "insufficient_funds",
		});
	});
});

t.test("blocks of two seconds are waited for", { skip: withoutChain }, async (t) => {
	const { parts, sign } = await startLocalChain(t, { blockTimeSeconds: 2 });
	const { terms, facilitator } = parts;
	const outcomes = await Promise.all(
		times(3, async () => facilitator.settle(terms, await sign(), ignore)),
	);
	t.match(outcomes, [{ kind: "settled" }, { kind: "settled" }, { kind: "settled" }]);
});

t.test(
	"a chain that has gone away makes no payment a bad one",
	{ skip: withoutChain },
	async (t) => {
		const log: string[] = [];
		const { parts, sign } = await startLocalChain(t, { log });
		const { terms, facilitator, chain } = parts;
		const payment = await sign();
		await facilitator.verify(terms, payment);
		await parts.close();
		await t.rejects(facilitator.verify(terms, payment), { code: "UPSTREAM" });
		t.match(await facilitator.settle(terms, payment, ignore), { kind: "not_sent" });
		await t.rejects(async () => chain?.stateOf(terms, payment));
		t.same(log, [], "an end that was asked for is no news");
	},
);
