import t from "tap";
import { readStatement } from "../../store/journal/history.js";
import type { JournalReader } from "../../store/journal/journal-reader.js";
import type { SegmentFacts } from "../../store/journal/segments.js";
import type { LedgerTransaction, StatementPage } from "../../store/store-port.js";
import { createFakeDisk } from "./fake-disk.js";
import { credit, openOn, posting } from "./open-test-store.js";

const OWNER = "tok_a";

/** Segments of which each holds the postings given; the reader notes which ones are looked at. */
function segmentsOf(held: readonly (readonly LedgerTransaction[])[]) {
	const looked: number[] = [];
	const link = { sequence: 0, crc: 0 };
	const segments = held.map(
		(_, index): SegmentFacts => ({
			number: index + 1,
			start: link,
			bytes: 0,
			coldRange: undefined,
		}),
	);
	const reader: Pick<JournalReader, "readMentions"> = {
		async *readMentions({ number }) {
			looked.push(number);
			for (const transaction of held[number - 1] ?? []) {
				yield {
					link,
					bytes: () => Buffer.alloc(0),
					body: () => ({ at: 0, transactions: [[{ kind: "post" as const, transaction }]] }),
				};
			}
		},
	};
	const ask = (limit: number, cursor?: string) =>
		readStatement(reader, segments, { owner: OWNER, limit, cursor });
	return { looked, ask };
}

const made = (name: string) => posting(name, { "cash:manual": -1n, [`cust:${OWNER}`]: 1n });
const names = ({ postings }: StatementPage) => postings.map(({ key }) => key);

/** Every page, one after the other. */
async function readAll(
	ask: (limit: number, cursor?: string) => Promise<StatementPage>,
	limit: number,
) {
	const pages: (string | undefined)[][] = [];
	let cursor: string | undefined;
	do {
		const page = await ask(limit, cursor);
		pages.push(names(page));
		cursor = page.next;
	} while (cursor !== undefined);
	return pages;
}

t.test("pages go back through the segments, newest first, and miss nothing", async (t) => {
	const { ask } = segmentsOf([
		[made(`issue:${OWNER}`), made("2"), made("3")],
		[],
		[made("4")],
		[made("5"), made("6"), made("7")],
	]);
	t.same(await readAll(ask, 2), [["7", "6"], ["5", "4"], ["3", "2"], [`issue:${OWNER}`]]);
	t.same(await readAll(ask, 7), [["7", "6", "5", "4", "3", "2", `issue:${OWNER}`]]);
	t.same(await readAll(ask, 100), [["7", "6", "5", "4", "3", "2", `issue:${OWNER}`]]);
});

t.test("what others have in the same frames is left out", async (t) => {
	const other = posting("other", { "cash:manual": -1n, "cust:tok_ab": 1n });
	const held = posting("held", { [`held:${OWNER}`]: -1n, "rev:per_call": 1n });
	const { ask } = segmentsOf([[made("mine"), other, held]]);
	t.same(names(await ask(10)), ["held", "mine"]);
});

t.test("nothing older than the token is read, and no question reads without bound", async (t) => {
	const young = segmentsOf([...Array(30).fill([]), [made(`issue:${OWNER}`)], []]);
	t.same(names(await young.ask(10)), [`issue:${OWNER}`]);
	t.same(young.looked, [32, 31]);
	const idle = segmentsOf([[made(`issue:${OWNER}`)], ...Array(40).fill([])]);
	const first = await idle.ask(10);
	t.same(first.postings, []);
	t.equal(idle.looked.length, 16);
	t.same(await readAll(idle.ask, 10), [[], [], [`issue:${OWNER}`]]);
});

t.test("new postings do not move the pages after a cursor", async (t) => {
	const store = await openOn(createFakeDisk());
	for (const name of ["1", "2", "3", "4"]) await credit(store, `cust:${OWNER}`, 1n, name);
	const first = await store.statement(OWNER, { limit: 2 });
	t.same(names(first), ["4", "3"]);
	for (const name of ["5", "6"]) await credit(store, `cust:${OWNER}`, 1n, name);
	t.same(names(await store.statement(OWNER, { limit: 2, cursor: first.next })), ["2", "1"]);
	t.same(names(await store.statement(OWNER, { limit: 9 })), ["6", "5", "4", "3", "2", "1"]);
	t.same(names(await store.statement("tok_b", { limit: 9 })), []);
	for (const cursor of ["x", "", "LTEuMg", Buffer.from("1.2.3").toString("base64url")]) {
		await t.rejects(store.statement(OWNER, { limit: 2, cursor }), { code: "INVALID_ARGUMENT" });
	}
	await store.close();
});
