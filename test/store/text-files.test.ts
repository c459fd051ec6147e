import t from "tap";
import type { QueryLogRow } from "../../store/store.js";
import { createFakeDisk } from "./fake-disk.js";
import { FOLDER, openOn, START_MS, stillClock, times } from "./open-test-store.js";

const HOUR = Math.floor(START_MS / 3_600_000);

function queryRow(requestId: string, query: string): QueryLogRow {
	return {
		at: START_MS,
		requestId,
		owner: "tok_a",
		operationId: "graphs.search",
		transport: "rest",
		query,
		decision: "ANSWER",
		receiptId: undefined,
	};
}

t.test("query rows reach their day's file every second, whole lines in order", async (t) => {
	const disk = createFakeDisk();
	const ticks: { intervalMs: number; task: () => void }[] = [];
	const clock = {
		...stillClock(),
		every(intervalMs: number, task: () => void) {
			ticks.push({ intervalMs, task });
			return () => ticks.splice(0);
		},
	};
	const store = await openOn(disk, { clock });
	const path = `${FOLDER}/queries/2026-03-01.ndjson`;
	const linesOf = async () => (await disk.read(path))?.toString().trimEnd().split("\n") ?? [];
	for (const requestId of ["req_1", "req_2"]) store.queryLog.append(queryRow(requestId, "a\nb"));
	t.same(await linesOf(), []);
	t.equal(ticks[0]?.intervalMs, 1_000);
	ticks[0]?.task();
	store.queryLog.append(queryRow("req_3", "c"));
	await store.close();
	const ids = (await linesOf()).map((line) => JSON.parse(line).requestId);
	t.same(ids, ["req_1", "req_2", "req_3"]);
	t.same(ticks, [], "nothing ticks in a closed store");
});

t.test("the query log keeps a bound on what it holds in memory", async (t) => {
	const disk = createFakeDisk();
	const store = await openOn(disk);
	for (const index of times(4_000, (i) => i)) {
		store.queryLog.append(queryRow(`req_${index}`, "q".repeat(1_000)));
	}
	await store.close();
	const { length } = (await disk.read(`${FOLDER}/queries/2026-03-01.ndjson`)) ?? "";
	t.ok(length > 1_000_000 && length < 2_200_000, `${length} bytes of 4 MB`);
});

t.test("what a crash left of documents is put in order at the next start", async (t) => {
	const folder = `${FOLDER}/documents`;
	const disk = createFakeDisk(
		new Map([
			[`${folder}/new/7`, Buffer.from("half a docu")],
			[`${folder}/${HOUR + 1}/art_1.${START_MS + 3_600_000}`, Buffer.from("earlier expiry")],
			[`${folder}/${HOUR + 2}/art_1.${START_MS + 7_200_000}`, Buffer.from("later expiry")],
			[`${folder}/${HOUR + 1}/no document.txt`, Buffer.from("somebody's notes")],
		]),
		new Set([folder, `${folder}/new`, `${folder}/${HOUR + 1}`, `${folder}/${HOUR + 2}`]),
	);
	const { documents } = await openOn(disk);
	t.equal(await documents.get("art_1"), "later expiry");
	t.same(
		disk.files().filter((path) => path.startsWith(folder)),
		[
			`${folder}/${HOUR + 1}/no document.txt`,
			`${folder}/${HOUR + 2}/art_1.${START_MS + 7_200_000}`,
		],
	);
	t.equal(await documents.sweep(START_MS + 9e9), 1);
	t.notOk((await disk.list(folder)).includes(String(HOUR + 2)), "an empty hour goes, too");
	await t.rejects(documents.put("art_2", "text", Number.NaN), { code: "INVALID_ARGUMENT" });
});
