import t from "tap";
import { createLedgerReport, netOf, type ReportKey } from "../../payments/audit/ledger-report.js";
import { createOwnersOf } from "../../payments/owner-shares.js";
import { receiptRow, START_MS } from "../store/open-test-store.js";
import { openBooks } from "./open-books.js";

const DAY_MS = 86_400_000;
const SHARES = [
	{ owner: "ann", basisPoints: 6_000 },
	{ owner: "operator", basisPoints: 4_000 },
];

/** Two days of calls, free ones, refunds and balance that was bought and refunded. */
async function openSales() {
	const find = (id: string) => ({ prices: {}, owners: id === "owned" ? SHARES : [] });
	const books = await openBooks({ ownersOf: createOwnersOf({ find }) });
	const { store, clock, issue, sell, refunds } = books;
	await issue("tok_a", 10_000_000n);
	await issue("tok_b", 10_000_000n);
	const owned = await sell({ owner: "tok_a", amountMicros: 500_000n, graphIds: ["owned"] });
	await sell({ owner: "tok_a", amountMicros: 100_000n, graphIds: ["z", "b"] });
	await sell({ owner: "acc_f", amountMicros: 500_000n, isFree: true, rail: "plan" });
	clock.set(START_MS + DAY_MS);
	const operationId = "search.all";
	await sell({ owner: "tok_b", amountMicros: 900_000n, operationId });
	await refunds.refundReceipt({ receiptId: owned.id, reason: "r", amountMicros: 250_000n });
	await refunds.refundToken({ tokenId: "tok_b", reason: "r", amountMicros: 70_000n });
	const bought = { billingType: "prepaid", amountMicros: 2_000_000n, at: clock.now() };
	await store.transaction((tx) => tx.put("receipts", receiptRow("rcpt_b", bought)));
	await refunds.payOwner({ owner: "ann" });
	const report = (by: ReportKey, span = {}) => createLedgerReport(store, { by, span });
	return { ...books, report };
}

const TOTAL = { calls: 4, freeCalls: 1, grossMicros: 1_500_000n, refundedMicros: 250_000n };
const line = (key: string, calls: number, grossMicros: bigint, more = {}) => ({
	...{ key, calls, freeCalls: 0, grossMicros, refundedMicros: 0n, ...more },
});

t.test("sales are added up by what is asked, the highest gross first", async (t) => {
	const { report } = await openSales();
	const back = { refundedMicros: 250_000n };
	const free = { freeCalls: 1 };
	const expected: Readonly<Record<ReportKey, readonly object[]>> = {
		day: [line("2026-03-01", 3, 600_000n, free), line("2026-03-02", 1, 900_000n, back)],
		skill: [
			line("search.all", 1, 900_000n),
			line("graphs.search", 3, 600_000n, { ...free, ...back }),
		],
		graph: [
			line("all graphs", 2, 900_000n, free),
			line("owned", 1, 500_000n, back),
			line("b + z", 1, 100_000n),
		],
		payer: [
			line("tok_b", 1, 900_000n),
			line("tok_a", 2, 600_000n, back),
			line("acc_f", 1, 0n, free),
		],
		rail: [line("spt", 3, 1_500_000n, back), line("plan", 1, 0n, free)],
		owner: [
			line("operator", 4, 1_200_000n, { ...free, refundedMicros: 100_000n }),
			line("ann", 1, 300_000n, { refundedMicros: 150_000n }),
		],
	};
	for (const [by, lines] of Object.entries(expected)) {
		const { total, prepaid, ...rest } = await report(by as ReportKey);
		t.same(rest.lines, lines, by);
		t.same(total, TOTAL, by);
		t.equal(netOf(total), 1_250_000n);
		t.same(prepaid, { soldMicros: 2_000_000n, refundedMicros: 70_000n }, "balance is apart");
	}
});

t.test("both days of a span are in it, and no others", async (t) => {
	const { report } = await openSales();
	const [first, second] = ["2026-03-01", "2026-03-02"];
	const days = async (span: object) => (await report("day", span)).lines.map(({ key }) => key);
	t.same(await days({ from: first, to: second }), [first, second]);
	t.same(await days({ from: second }), [second]);
	t.same(await days({ to: first }), [first]);
	t.same(await days({ from: "2026-03-03" }), []);
	t.same(await days({ to: "2026-02-28" }), []);
	const early = await report("payer", { to: first });
	t.same(early.total, { ...TOTAL, calls: 3, grossMicros: 600_000n, refundedMicros: 0n });
	t.same(early.prepaid, { soldMicros: 0n, refundedMicros: 0n });
	const late = await report("skill", { from: second });
	t.match(late.lines, [
		{ key: "search.all", grossMicros: 900_000n },
		{ key: "graphs.search", calls: 0, grossMicros: 0n, refundedMicros: 250_000n },
	]);
});

t.test("lines of equal gross stand by name, and nothing sold is nothing", async (t) => {
	const { store, issue, sell } = await openBooks();
	const empty = await createLedgerReport(store, { by: "owner", span: {} });
	const nothing = { calls: 0, freeCalls: 0, grossMicros: 0n, refundedMicros: 0n };
	t.same(empty, {
		...{ lines: [], total: nothing, prepaid: { soldMicros: 0n, refundedMicros: 0n } },
	});
	for (const owner of ["tok_b", "tok_c", "tok_a"]) {
		await issue(owner, 1_000_000n);
		await sell({ owner, amountMicros: 5n });
	}
	const { lines } = await createLedgerReport(store, { by: "payer", span: {} });
	t.same(
		lines.map(({ key }) => key),
		["tok_a", "tok_b", "tok_c"],
	);
});
