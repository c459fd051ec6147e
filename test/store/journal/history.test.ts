import t from "tap";
import { committedIn, readReceipts, readStatement } from "../../../store/journal/history.js";
import type { JournalReader } from "../../../store/journal/journal-reader.js";
import type { SegmentFacts } from "../../../store/journal/segments.js";
import type { Operation } from "../../../store/store.js";
import { times } from "../../support/times.js";
import { posting, receiptRow, tokenRow } from "../open-test-store.js";

const OWNER = "tok_a";
const START = { sequence: 0, crc: 0 };
const cursorOf = (text: string) => Buffer.from(text).toString("base64url");
const made = (name: string, account = `cust:${OWNER}`) =>
	({ kind: "post", transaction: posting(name, { "cash:manual": -1n, [account]: 1n }) }) as const;
const receipt = (id: string, owner = OWNER) =>
	({ kind: "put", table: "receipts", row: receiptRow(id, { owner }) }) as const;

/** Segments that hold these operations; only what names the mark is read. */
function segmentsOf(
	held: readonly (readonly Operation[])[],
	latest: readonly (number | undefined)[] = [],
) {
	const looked: string[] = [];
	const segments = held.map((_, index): SegmentFacts => {
		const to = latest[index];
		const coldRange = to === undefined ? undefined : { from: 0, to };
		return { number: index + 1, start: START, bytes: 0, coldRange };
	});
	const reader: Pick<JournalReader, "readMentions"> = {
		async *readMentions({ number }, mark) {
			looked.push(`${number} ${mark}`);
			for (const operation of held[number - 1] ?? []) {
				const body = { at: 0, transactions: [[operation]] };
				yield { link: START, bytes: () => Buffer.alloc(0), body: () => body };
			}
		},
	};
	return {
		looked,
		statement: async (limit: number, cursor?: string) => {
			const page = await readStatement(reader, segments, { owner: OWNER, limit, cursor });
			return { names: page.postings.map(({ key }) => key), next: page.next };
		},
		receipts: async (limit: number, since: number, cursor?: string) => {
			const page = await readReceipts(reader, segments, { owner: OWNER, limit, since, cursor });
			return { names: page.receipts.map(({ id }) => id), next: page.next };
		},
	};
}

t.test("a cursor says the segment and how many are still to come", async (t) => {
	const { statement, looked } = segmentsOf([
		[made("1"), made("2")],
		[made("3"), made("4"), made("5")],
	]);
	t.same(await statement(2), { names: ["5", "4"], next: cursorOf("2.1") });
	t.same(looked.splice(0), [`2 :${OWNER}"`]);
	t.same(await statement(3), { names: ["5", "4", "3"], next: cursorOf("2.0") });
	t.same(await statement(3, cursorOf("2.0")), { names: ["2", "1"], next: undefined });
	t.same(await statement(1, cursorOf("2.1")), { names: ["3"], next: cursorOf("2.0") });
	t.same(await statement(2, cursorOf("1.")), { names: ["2", "1"], next: cursorOf("1.0") });
	t.same(await statement(9, cursorOf("2.")), { names: ["5", "4", "3", "2", "1"], next: undefined });
	t.same(await statement(5, cursorOf("1.0")), { names: [], next: undefined });
});

t.test("after sixteen segments a page ends, and the next one begins there", async (t) => {
	const { statement, looked } = segmentsOf(times(17, (index) => [made(`${index}`, "cust:other")]));
	t.same(await statement(5), { names: [], next: cursorOf("1.") });
	t.equal(looked.length, 16);
	const sixteen = segmentsOf(times(16, () => []));
	t.same(await sixteen.statement(5), { names: [], next: undefined });
});

t.test("the posting that began a token ends its statement", async (t) => {
	const { statement, looked } = segmentsOf([[made("older")], [made(`issue:${OWNER}`), made("2")]]);
	t.same(await statement(1), { names: ["2"], next: cursorOf("2.1") });
	looked.splice(0);
	t.same(await statement(2), { names: ["2", `issue:${OWNER}`], next: undefined });
	t.equal(looked.length, 1);
});

t.test("a cursor that is none of ours is refused", async (t) => {
	const { statement } = segmentsOf([[]]);
	for (const text of ["", "1", "x.1", "1.x", "1.2 ", " 1.2", "1234567890.1", "1.1234567890"]) {
		await t.rejects(statement(1, cursorOf(text)), {
			code: "INVALID_ARGUMENT",
			message: 'The cursor is not one of ours; send "next_cursor" of the page before as it was.',
		});
	}
});

t.test("what was held for an owner is theirs, other names and rows are not", async (t) => {
	const { statement } = segmentsOf([
		[made("1", `held:${OWNER}`), made("2", `owed:${OWNER}`), made("3", `cust:${OWNER}b`)],
		[receipt("rcpt_1"), { kind: "delete", table: "tokens", id: OWNER }, made("4")],
	]);
	t.same((await statement(9)).names, ["4", "1"]);
});

t.test("receipts of an owner are read from segments that may hold them", async (t) => {
	const held = [
		[receipt("rcpt_1")],
		[receipt("rcpt_2"), receipt("rcpt_3", "tok_b"), made("m"), receipt("rcpt_4")],
		[{ kind: "put", table: "tokens", row: tokenRow(OWNER) } as const],
	];
	const { receipts, looked } = segmentsOf(held, [10, 20, undefined]);
	t.same(await receipts(9, 11), { names: ["rcpt_4", "rcpt_2"], next: undefined });
	t.same(looked.splice(0), [`2 "owner":"${OWNER}"`]);
	t.same((await receipts(9, 10)).names, ["rcpt_4", "rcpt_2", "rcpt_1"]);
	t.same((await receipts(9, 21)).names, []);
	t.same(await receipts(1, 0), { names: ["rcpt_4"], next: cursorOf("2.1") });
	t.same(await receipts(1, 0, cursorOf("2.1")), { names: ["rcpt_2"], next: cursorOf("2.0") });
});

t.test("of a frame those transactions count that moved money or wrote a receipt", (t) => {
	const [posted, given] = [made("1"), receipt("rcpt_1")];
	const put = { kind: "put", table: "tokens", row: tokenRow("tok_a") } as const;
	const gone = { kind: "delete", table: "tokens", id: "tok_a" } as const;
	const transactions = [[put, gone], [posted, put], [given], [], [given, posted]];
	t.same(
		[...committedIn({ at: 0, transactions })],
		[
			{ postings: [posted.transaction], receipts: [] },
			{ postings: [], receipts: [given.row] },
			{ postings: [posted.transaction], receipts: [given.row] },
		],
	);
	t.end();
});
