import { equal } from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import t from "tap";
import { createInvariantGuard } from "../../payments/audit/invariants.js";
import { createBalanceMethod } from "../../payments/balance-method.js";
import type { PricedAdmission } from "../../payments/payment-method.js";
import { createRefundRequests } from "../../payments/refunds/refund-requests.js";
import { createSptBalance } from "../../payments/spt/spt-balance.js";
import { ServiceError } from "../../src/kernel/errors.js";
import { diskError } from "../store/fake-disk.js";
import { steppedClock } from "../store/open-test-store.js";
import { type Books, openBooks } from "./open-books.js";

const PAYER = { owner: "tok_a", rail: "spt" } as const;
const BUDGET = 1_000_000_000n;
const PRICE = 500_000n;
const KEYS = 3;

// The store's timers keep no process alive.
const awake = setInterval(() => undefined, 1_000);
t.teardown(() => clearInterval(awake));

/** What happens next to one of a few retry keys. */
const event = fc.record({
	kind: fc.constantFrom("call", "call", "deliver", "lose", "cut", "ask", "ask", "grant", "crash"),
	key: fc.nat(KEYS - 1),
	which: fc.nat(20),
});
type AnyEvent = typeof event extends fc.Arbitrary<infer T> ? T : never;

/** An answer on its way to its caller. */
interface OnItsWay {
	readonly admission: PricedAdmission;
	readonly receiptId: string;
}

/** What callers and operator know, beside the books. */
interface Known {
	readonly underWay: OnItsWay[];
	readonly receipts: string[];
	readonly delivered: Set<string>;
	readonly granted: Set<string>;
}

function openShop(books: Books) {
	const { store, clock, ids, ledger, refunds } = books;
	const pepper = new Uint8Array(32);
	const terms = { ledger, clock, pepper, environment: "test", isForSale: () => false } as const;
	const requests = createRefundRequests({ store, clock, ids, refunds });
	const losses: Promise<void>[] = [];
	const refundLost = (receiptId: string) => {
		losses.push(requests.refundLost(receiptId));
		return Promise.all(losses);
	};
	const balance = createSptBalance(terms);
	const { noteUnwritten } = requests;
	const method = createBalanceMethod({ store, clock, balance, refundLost, noteUnwritten });
	const quote = {
		operationId: "graphs.search",
		amountMicros: PRICE,
		billingType: "per_call",
		resourceUrl: "http://localhost/",
		description: "Search",
	} as const;
	const admit = (key?: number) =>
		method.admit({
			...{ quote, payer: PAYER, fingerprint: "search", graphIds: [], job: undefined },
			proof: { scheme: "spt", token: "" },
			capture: "onResult",
			idempotencyKey: key === undefined ? undefined : `key-${key}`,
		});
	return { store, requests, admit, losses };
}
type Shop = ReturnType<typeof openShop>;

async function call({ admit }: Shop, { underWay, receipts }: Known, key: number): Promise<void> {
	const admission = await admit(key);
	if (admission.kind === "launched") throw new Error("Nothing here outlives its call.");
	const { receipt } = admission.kind === "held" ? await admission.capture() : admission;
	if (!receipts.includes(receipt.id)) receipts.push(receipt.id);
	underWay.push({ admission, receiptId: receipt.id });
}

/** How an answer on its way ends: it arrives, none of it left, part of it did, or no one knows. */
function end({ underWay, delivered }: Known, { kind, which }: AnyEvent): void {
	const [ended] = underWay.splice(which % Math.max(1, underWay.length), 1);
	if (!ended) return;
	const { admission, receiptId } = ended;
	if (kind === "deliver") admission.delivered?.();
	if (kind === "lose") admission.abandoned?.({ isLost: true });
	if (kind === "cut") admission.abandoned?.({ isLost: false });
	// Of an answer that was cut off its caller may have had all but the last byte.
	if (kind === "deliver" || kind === "cut") delivered.add(receiptId);
}

async function play(shop: Shop, known: Known, one: AnyEvent): Promise<void> {
	const receiptId = known.receipts[one.which % Math.max(1, known.receipts.length)];
	switch (one.kind) {
		case "call":
			return call(shop, known, one.key);
		case "ask": {
			if (receiptId === undefined) return;
			const asked = { receiptId, reason: "r", idempotencyKey: undefined };
			await shop.requests.ask(PAYER, asked);
			return;
		}
		case "grant": {
			const open = await shop.requests.listOpen();
			const request = open[one.which % Math.max(1, open.length)];
			if (!request) return;
			const isGranted = one.key > 0;
			if (isGranted) known.granted.add(request.receiptId);
			await shop.requests.decide(request.id, { isGranted });
			return;
		}
		default:
			end(known, one);
	}
}

/** At once, a key may be in use, or a request decided, already. */
function assertRefused(error: unknown): void {
	if (!(error instanceof ServiceError) || error.code === "INTERNAL") throw error;
}

/** The price is where it belongs, and no one has it back together with the answer, the operator's decision apart. */
async function assertFair(books: Books, { receipts, delivered, granted }: Known): Promise<void> {
	const { store, clock } = books;
	const refunds = await store.read((reader) => reader.list("refunds"));
	for (const { ref } of refunds)
		equal(granted.has(ref) || !delivered.has(ref), true, `${ref} was had and refunded`);
	equal(new Set(refunds.map(({ ref }) => ref)).size, refunds.length, "once each");
	const charged = BigInt(receipts.length) * PRICE;
	const back = refunds.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
	equal(await books.balance("cust:tok_a"), BUDGET - charged + back);
	equal(await books.balance("rev:per_call"), charged - back);
	const { failures } = await createInvariantGuard({ store, clock }).check({ full: true });
	equal(failures.join(" "), "");
}

t.test("no answer is had and refunded unless the operator grants it", async (t) => {
	let atOnce = 0;
	const property = fc.asyncProperty(
		fc.array(event, { minLength: 10, maxLength: 40 }),
		fc.boolean(),
		async (events, areTogether) => {
			const books = await openBooks();
			await books.issue("tok_a", BUDGET, { skills: [], graphs: [] });
			const shop = openShop(books);
			const known: Known = {
				...{ underWay: [], receipts: [], delivered: new Set(), granted: new Set() },
			};
			const pending: Promise<void>[] = [];
			for (const one of events) {
				const done = play(shop, known, one).catch(assertRefused);
				if (areTogether) pending.push(done);
				else await done;
			}
			await Promise.all(pending);
			await Promise.all(shop.losses);
			await assertFair(books, known);
			const refunds = await books.store.read((reader) => reader.list("refunds"));
			atOnce += refunds.filter(({ ref }) => !known.granted.has(ref)).length;
		},
	);
	await fc.assert(property, { numRuns: 100 });
	t.ok(atOnce > 0, "and what was lost is refunded at once");
});

t.test(
	"captures that gathered behind the one that found the disk full are refunded, too",
	async (t) => {
		const clock = steppedClock();
		let refunds: Promise<void> | undefined;
		const onResume = () => {
			refunds = requests.refundWritten();
		};
		const books = await openBooks({ clock, onResume });
		await books.issue("tok_a", BUDGET, { skills: [], graphs: [] });
		const { store, disk } = books;
		const { admit, requests } = openShop(books);
		const calls = [await admit(), await admit(), await admit()];
		let isFull = true;
		let isTried: () => void = () => undefined;
		const firstTry = new Promise<void>((resolve) => {
			isTried = resolve;
		});
		disk.judge = ({ name }) => {
			if (!isFull || name !== "writeDurably") return "work";
			isTried();
			return { error: diskError("ENOSPC") };
		};
		const refused: Promise<unknown>[] = [];
		for (const admission of calls) {
			if (admission.kind !== "held") throw new Error("A first call is held.");
			refused.push(t.rejects(admission.capture(), { code: "UNAVAILABLE" }));
			// The others gather while the first one is on its way.
			await Promise.race([firstTry, setImmediate()]);
		}
		await Promise.all(refused);
		isFull = false;
		while (store.health().status !== "ok") {
			clock.pass();
			await setImmediate();
		}
		await refunds;
		const captured = await store.read((reader) => reader.list("refunds"));
		t.ok(captured.length > 1, "more than the first were captured");
		t.equal(await books.balance("rev:per_call"), 0n, "and none is paid for");
	},
);

t.test("what a full disk let be captured after its caller was refused is refunded", async (t) => {
	for (const key of [undefined, 1]) {
		const clock = steppedClock();
		const books = await openBooks({ clock });
		await books.issue("tok_a", BUDGET, { skills: [], graphs: [] });
		const { store, disk } = books;
		const { admit, requests } = openShop(books);
		const admission = await admit(key);
		if (admission.kind !== "held") throw new Error("A first call is held.");
		disk.judge = ({ name }) => (name === "writeDurably" ? { error: diskError("ENOSPC") } : "work");
		await t.rejects(admission.capture(), { code: "UNAVAILABLE" });
		const early = requests.refundWritten();
		if (key === undefined)
			await t.rejects(early, { code: "UNAVAILABLE" }, "not before there is room");
		else await early;
		disk.judge = () => "work";
		while (store.health().status !== "ok") {
			clock.pass();
			await setImmediate();
		}
		await requests.refundWritten();
		await requests.refundWritten();
		const isKept = key !== undefined;
		t.equal(await books.balance("cust:tok_a"), BUDGET - (isKept ? PRICE : 0n), `key ${key}`);
		if (isKept)
			t.equal((await admit(key)).kind, "replayed", "its caller has the answer by its key");
		const { failures } = await createInvariantGuard({ ...books }).check({ full: true });
		t.same(failures, []);
	}
});
