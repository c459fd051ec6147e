import t from "tap";
import { assertInScope, balanceOf, createBalanceMethod } from "../../payments/balance-method.js";
import { createLedger } from "../../payments/ledger.js";
import type { AdmissionRequest, JobHold, JobOpening } from "../../payments/payment-method.js";
import { createSptBalance } from "../../payments/spt/spt-balance.js";
import { createSptIssuer, type SptTerms } from "../../payments/spt/spt-issuer.js";
import { LIMITS } from "../../src/contract/limits.js";
import { ServiceError } from "../../src/kernel/errors.js";
import { createIds, systemRandom } from "../../src/kernel/ids.js";
import { openOn, stillClock } from "../store/open-test-store.js";

const USD = 1_000_000n;
const PRICE = 400_000n;

/** The method over tokens, with one that has 1 USD. */
async function openShop(terms: Partial<SptTerms> = {}) {
	const clock = stillClock();
	const store = await openOn(undefined, { clock });
	const [ids, pepper] = [createIds({ clock, random: systemRandom }), new Uint8Array(32)];
	const ledger = createLedger({ clock, ids });
	const keys = { store, ledger, clock, random: systemRandom, pepper, environment: "test" as const };
	const spts = createSptIssuer({ ...keys, ids });
	const balance = createSptBalance(keys);
	const lost: string[] = [];
	const refundLost = async (receiptId: string) => {
		lost.push(receiptId);
		throw new Error("The operator decides.");
	};
	const unwritten: string[] = [];
	const noteUnwritten = (receiptId: string) => void unwritten.push(receiptId);
	const method = createBalanceMethod({ store, clock, balance, refundLost, noteUnwritten });
	const { id, token } = await store.transaction((tx) =>
		spts.issueFrom(tx, "cash:manual", { amountMicros: USD, ...terms }),
	);
	const proof = { scheme: "spt" as const, token };
	const payer = await method.identify(proof);
	const request = (changes: Partial<AdmissionRequest> = {}): AdmissionRequest => ({
		...{ proof, payer, fingerprint: "f", graphIds: ["g"], capture: "onResult" },
		quote: {
			...{ operationId: "graphs.search", amountMicros: PRICE, billingType: "per_call" },
			...{ resourceUrl: "", description: "" },
		},
		idempotencyKey: undefined,
		...changes,
	});
	const held = async (changes: Partial<AdmissionRequest> = {}) => {
		const admission = await method.admit(request(changes));
		if (admission.kind !== "held") throw new Error(`The call is ${admission.kind}.`);
		return admission;
	};
	const left = () => store.read((reader) => reader.balance(`cust:${id}`));
	const open = () => store.read((reader) => reader.list("holds"));
	return { clock, store, method, balance, id, payer, request, held, left, open, lost, unwritten };
}

t.test("a call is held for, and captured with a receipt that says for what", async (t) => {
	const { clock, held, id, left, open, store, method, payer } = await openShop();
	t.same([method.rails, method.schemes, payer.owner], [["spt"], ["spt"], id]);
	const admission = await held();
	t.match(await open(), [{ id: admission.id, amountMicros: PRICE, graphIds: ["g"] }]);
	t.equal(await left(), USD - PRICE);
	clock.set(clock.now() + 5_000);
	const { receipt } = await admission.capture();
	t.match(receipt, {
		...{ holdId: admission.id, owner: id, amountMicros: PRICE, fingerprint: "f" },
		...{ at: clock.now(), graphIds: ["g"], balanceAfterMicros: USD - PRICE },
	});
	t.same(await store.read((reader) => reader.get("receipts", receipt.id)), receipt);
	t.same(await open(), []);
});

t.test("a second capture is refused, and gives nothing of the first one back", async (t) => {
	const { held, left, unwritten } = await openShop();
	const admission = await held();
	await admission.capture();
	await t.rejects(admission.capture());
	t.same(unwritten, [], "what was written is not refunded later");
	t.equal(await left(), USD - PRICE);
});

t.test("a part that was answered is paid for alone", async (t) => {
	const { held, left } = await openShop();
	const { receipt } = await (await held()).capture({ amountMicros: 100_000n, units: [0, 2] });
	t.match(receipt, { amountMicros: 100_000n, paidUnits: [0, 2] });
	t.equal(await left(), USD - 100_000n);
});

t.test(
	"a released call costs nothing and says what is left, also when it cannot be written",
	async (t) => {
		const { held, left, open, store } = await openShop();
		t.same(await (await held()).release("no_answer"), { balanceMicros: USD });
		t.same([await left(), await open()], [USD, []]);
		const admission = await held();
		await store.close();
		t.same(await admission.release("failed"), { balanceMicros: USD - PRICE });
	},
);

t.test("only what outlives its call waits for the disk", async (t) => {
	for (const capture of ["onResult", "beforeFirstEvent"] as const) {
		const { store, held } = await openShop();
		const before = store.health().sequence;
		await held({ capture });
		t.equal(store.health().sequence > before, capture === "beforeFirstEvent", capture);
	}
});

t.test(
	"a retry key buys once: the same receipt again, and nothing for another request",
	async (t) => {
		const { clock, held, id, method, request, left, store } = await openShop();
		const again = (changes: Partial<AdmissionRequest> = {}) =>
			method.admit(request({ idempotencyKey: "k", ...changes }));
		const first = await held({ idempotencyKey: "k" });
		await t.rejects(again(), {
			code: "IDEMPOTENCY_IN_FLIGHT",
			retryAfterSeconds: LIMITS.retryAfterSeconds,
		});
		const { receipt } = await first.capture();
		t.match(await again(), { kind: "replayed", receipt: { id: receipt.id }, payer: { owner: id } });
		const note = await store.read((reader) => reader.get("undelivered", receipt.id));
		t.match(note, { owner: id, wasRepeated: true }, "it was asked for again");
		await t.rejects(again({ fingerprint: "other" }), { code: "IDEMPOTENCY_MISMATCH" });
		t.equal(await left(), USD - PRICE, "once");
		clock.set(clock.now() + LIMITS.idempotencyTtlMs - 1);
		t.match(await again(), { kind: "replayed" });
		clock.set(clock.now() + 1);
		t.match(await again(), { kind: "held" }, "after its time it is a new key");
	},
);

t.test("a call that was released leaves its retry key free", async (t) => {
	const { held, left } = await openShop();
	await (await held({ idempotencyKey: "k" })).release("no_answer");
	await (await held({ idempotencyKey: "k" })).capture();
	t.equal(await left(), USD - PRICE);
});

t.test("retry keys of other operations and payers are others", async (t) => {
	const { held, request, left } = await openShop();
	await (await held({ idempotencyKey: "k" })).capture();
	const { quote } = request();
	const other = { ...quote, operationId: "search.all" as const };
	await (await held({ idempotencyKey: "k", quote: other })).capture();
	t.equal(await left(), USD - 2n * PRICE);
});

t.test("a receipt that cannot be read is said, not sold again", async (t) => {
	const { held, method, request, store } = await openShop();
	const { receipt } = await (await held({ idempotencyKey: "k" })).capture();
	const gone = { ...store, read: async () => undefined as never };
	const refundLost = async () => undefined;
	const parts = { clock: stillClock(), refundLost, noteUnwritten: () => undefined };
	const { balance } = method;
	if (!balance) throw new Error("It has a balance.");
	const blind = createBalanceMethod({ ...parts, store: gone, balance });
	await t.rejects(blind.admit(request({ idempotencyKey: "k" })), {
		code: "INTERNAL",
		message: new RegExp(receipt.id),
	});
});

function openJobs() {
	const opened: JobHold[] = [];
	let room = 1;
	const job: JobOpening = {
		id: "job_1",
		reserve() {
			if (room-- <= 0) throw new ServiceError("RATE_LIMITED", "The queue is full.");
		},
		async open(_tx, held) {
			opened.push(held);
		},
	};
	return { job, opened };
}

t.test("a job owns the hold that it was launched with, once for its key", async (t) => {
	const { method, request, left, open, store } = await openShop();
	const { job, opened } = openJobs();
	const launch = (key?: string) => method.admit(request({ job, idempotencyKey: key }));
	const launched = { kind: "launched", jobId: "job_1", balanceMicros: USD - PRICE };
	t.match(await launch("k"), { ...launched, isNew: true });
	const [hold] = await open();
	t.match(hold, { jobId: "job_1" });
	t.match(opened, [{ hold, fingerprint: "f", graphIds: ["g"], isProven: true }]);
	t.match(await launch("k"), { ...launched, isNew: false });
	t.equal(opened.length, 1);
	const [attempt] = await store.read((reader) => reader.list("idempotency"));
	t.match(attempt, { jobId: "job_1", holdId: hold?.id, state: "in_flight" });
	await t.rejects(launch(), { code: "RATE_LIMITED" });
	t.equal(await left(), USD - PRICE, "a full queue holds nothing");
});

t.test(
	"an answer of which nothing left is refunded, one that went on streaming is not",
	async (t) => {
		const { held, lost } = await openShop();
		const admission = await held();
		const { receipt } = await admission.capture();
		admission.abandoned?.({ isLost: false });
		t.same(lost, []);
		admission.abandoned?.({ isLost: true });
		t.same(lost, [receipt.id]);
		t.equal((await held({ capture: "beforeFirstEvent" })).abandoned, undefined);
	},
);

t.test("a price beyond the balance, the token's limit or its scope holds nothing", async (t) => {
	const limits: Partial<SptTerms> = { maxPerCallMicros: PRICE - 1n };
	const refusals = [
		[{ amountMicros: PRICE - 1n }, "INSUFFICIENT_BALANCE"],
		[limits, "SPENDING_LIMIT"],
		[{ maxPerDayMicros: PRICE - 1n }, "SPENDING_LIMIT"],
		[{ graphs: ["other"] }, "SCOPE_FORBIDDEN"],
		[{ skills: ["verify"] }, "SCOPE_FORBIDDEN"],
	] as const;
	for (const [terms, code] of refusals) {
		const { method, request, open } = await openShop(terms as Partial<SptTerms>);
		await t.rejects(method.admit(request({ idempotencyKey: "k" })), { code });
		t.same(await open(), []);
	}
	const { held } = await openShop({ amountMicros: PRICE, maxPerCallMicros: PRICE, graphs: ["g"] });
	t.ok(await held(), "at the very limits it is held");
});

t.test("a payment on a chain opens no balance", async (t) => {
	const { method } = await openShop();
	const proof = { scheme: "x402", version: 2, payload: {} } as const;
	await t.rejects(method.identify(proof), { message: 'The rail "spt" takes no payments.' });
});

t.test("the balance behind a rail is found, or said to be missing", async (t) => {
	const { balance, method } = await openShop();
	t.equal(balanceOf([{}, method], { rail: "spt" }), balance);
	t.throws(() => balanceOf([method], { rail: "plan" }), { code: "INTERNAL", message: /"plan"/ });
});

t.test(
	"a scope names operations and graphs; a call over all graphs stays within none",
	async (t) => {
		const purchase = (graphIds: string[]) =>
			({ quote: { operationId: "graphs.search" }, graphIds }) as never;
		const check = (skills: string[], graphs: string[], graphIds: string[]) => () =>
			assertInScope({ skills, graphs } as never, purchase(graphIds), "key");
		t.doesNotThrow(check([], [], []));
		t.doesNotThrow(check(["graphs.search"], ["a", "b"], ["b", "a"]));
		const refused = (name: string) => ({
			code: "SCOPE_FORBIDDEN",
			message: `This key may not pay for "${name}".`,
		});
		t.throws(check(["verify"], [], []), refused("graphs.search"));
		t.throws(check([], ["a"], ["a", "c"]), refused("c"));
		t.throws(check([], ["a"], []), refused("all graphs"));
	},
);
