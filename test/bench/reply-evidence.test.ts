import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { joinGrades, writeSheet } from "../../bench/grading-sheet.js";
import {
	countPrintings,
	countRepeated,
	holdsPlace,
	isFromPlaces,
} from "../../bench/products/held-facts.js";
import { createEvidenceReader } from "../../bench/products/reply-evidence.js";
import { catalogFolders, loadGraphs } from "../../src/app/content.js";

const silent = { info: () => undefined, error: () => undefined };
const shipped = catalogFolders("sample", "none").filter(({ origin }) => origin === "shipped");
const read = createEvidenceReader(await loadGraphs(shipped, silent));

const DPOP = "agent-payments:credentials.dpop";
const SAID = "Compared with plain bearer use, theft of the token is no longer sufficient.";
const citations = [{ n: 1, trend_id: DPOP, excerpt: SAID }];
const quoted = { text: SAID, evidence_ids: [`${DPOP}~4`] };

t.test("passages are found in replies of any shape, in the order of printing", async (t) => {
	const shapes = [
		{ passages: [quoted] },
		{ answer: { text: `${SAID} [1]`, sentences: [{ text: SAID, citation_ids: [1] }] }, citations },
		{ report: { findings: [{ statement: SAID, citation_ids: [1] }], citations } },
	];
	for (const data of shapes) {
		const { passages } = read(data);
		t.equal(passages.length, 1);
		t.equal(passages[0]?.text, SAID);
		t.same(passages[0]?.files, ["agent-payments/credentials/dpop.md"]);
		t.ok((passages[0]?.tokens ?? 0) > SAID.length / 4);
	}
	t.same(read({ gaps: [{ text: "Nothing is known of it.", citation_ids: [] }] }).passages, []);
});

t.test("tables keep their columns and empty cells, events their dates", async (t) => {
	const table = { columns: ["DPoP", "bearer"], rows: [{ attribute: "a", cells: [quoted, null] }] };
	const timeline = [{ date: "2023-09", text: SAID, citation_ids: [1] }];
	const { tables, events } = read({ table, timeline, citations });
	t.same(tables[0]?.columns, ["DPoP", "bearer"]);
	t.same(
		tables[0]?.cells.map((row) => row.map((cell) => cell?.text)),
		[[SAID, undefined]],
	);
	t.same(
		events.map(({ date, text }) => [date, text]),
		[["2023-09", SAID]],
	);
});

t.test("a fact is held where its words stand in a passage of its file", async (t) => {
	const passage = { text: SAID, files: read({ passages: [quoted] }).passages[0]?.files ?? [] };
	const file = "agent-payments/credentials/dpop.md";
	const quote = "theft of the token is no longer sufficient";
	t.ok(holdsPlace(passage, [{ file, quote }]));
	t.notOk(holdsPlace(passage, [{ file: "agent-payments/http/http-402.md", quote }]));
	t.notOk(holdsPlace(passage, [{ file, quote: "a stolen token buys nothing" }]));
	t.ok(isFromPlaces(passage, [{ file, quote: "a stolen token buys nothing" }], "catalog"));
	const imported = { text: SAID, files: ["rfcs/2394-async.md"] };
	t.ok(holdsPlace(imported, [{ file: "text/2394-async.md", quote }], { corpus: "rfcs" }));
});

t.test("what is printed again is counted, in whatever field", async (t) => {
	t.equal(countRepeated([SAID, "Something else altogether.", SAID]), 1);
	t.same(countPrintings([SAID], [SAID, `First. ${SAID} [1]`, "Something else"]), [2]);
});

t.test("a sheet does not say who wrote a reply, and its key joins the grades", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "tollgraph-sheet-"));
	t.teardown(() => rmSync(folder, { recursive: true }));
	const [sheet, earlier, grades] = ["sheet.md", "earlier.jsonl", "grades.txt"].map((name) =>
		join(folder, name),
	) as [string, string, string];
	const reply = { id: "1-01", question: "What if a token is stolen?", product: "answer" };
	writeFileSync(
		earlier,
		`${JSON.stringify({ ...reply, version: "by hand", text: "Of a hand." })}\n`,
	);
	writeSheet([{ ...reply, version: "9.9.9", text: "# Of a server." }], { sheet, others: earlier });
	const text = readFileSync(sheet, "utf8");
	t.notMatch(text, /9\.9\.9|by hand/);
	t.match(text, /> # Of a server\./);
	const byServer = /## (\d)\n\nQuestion: [^\n]+\n\n> # Of a server/.exec(text)?.[1] ?? "";
	const byHand = byServer === "1" ? "2" : "1";
	writeFileSync(grades, `item grade\n${byServer} 6\n${byHand} 9\n${byServer}, 7\n`);
	t.same(joinGrades({ grades, sheet }).by_product, [
		{ product: "answer", version: "9.9.9", grades: 2, mean: 6.5, good: 0.5 },
		{ product: "answer", version: "by hand", grades: 1, mean: 9, good: 1 },
	]);
	writeFileSync(grades, "1 11\n");
	t.throws(() => joinGrades({ grades, sheet }), /no grade from 0 to 10/);
});
