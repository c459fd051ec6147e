import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { systemRandom } from "../../src/kernel/ids.js";
import { nodeFileSystem } from "../../store/journal/file-system.js";
import { openJournalStore } from "../../store/journal/journal-store.js";
import { sealTexts } from "../../store/sealed-texts.js";
import type { QueryLogRow, Store } from "../../store/store-port.js";
import { filesBelow, rawFilesWith } from "../support/files-below.js";

const MARK = "the archaeopteryx had feathers";
const [FIRST, SECOND] = [Buffer.alloc(32, "first"), Buffer.alloc(32, "second")];
const LATER = Date.now() + 86_400_000;

async function openStore(folder: string, keys?: readonly [Uint8Array, ...Uint8Array[]]) {
	const plain = await openJournalStore({ folder, clock: systemClock, fileSystem: nodeFileSystem });
	const unreadable: number[] = [];
	const onUnreadable = (rows: number) => unreadable.push(rows);
	const store: Store = keys
		? sealTexts<Store>(plain, { keys: () => keys, random: systemRandom, onUnreadable })
		: plain;
	return { store, unreadable };
}

const row = (requestId: string, query = MARK): QueryLogRow => ({
	at: Date.now(),
	requestId,
	owner: "tok_a",
	operationId: "graphs.search",
	transport: "rest",
	query,
	decision: "ANSWER",
	receiptId: undefined,
});

async function queriesOf({ queryLog }: Store) {
	const found = [];
	for await (const { query } of queryLog.readDays({})) found.push(query);
	return found;
}

function fileOf(folder: string, id: string): string {
	const found = filesBelow(join(folder, "documents")).find((path) => path.includes(`/${id}.`));
	if (found === undefined) throw new Error(`There is no file of ${id}.`);
	return found;
}

t.test(
	"texts lie encrypted, each under a nonce of its own, and are read as they were written",
	async (t) => {
		const root = t.testdir({});
		const [folder, copy] = [join(root, "store"), join(root, "copy")];
		const { store } = await openStore(folder, [FIRST]);
		for (const id of ["task_a", "art_b"]) await store.documents.put(id, `${MARK} 🪶`, LATER);
		await store.documents.put("empty", "", LATER);
		store.queryLog.append(row("req_1"));
		store.queryLog.append({ ...row("req_2"), query: undefined });
		t.equal(await store.documents.get("task_a"), `${MARK} 🪶`);
		t.equal(await store.documents.get("empty"), "");
		t.same(await queriesOf(store), [MARK, undefined]);
		t.not(
			readFileSync(fileOf(folder, "task_a"), "utf8"),
			readFileSync(fileOf(folder, "art_b"), "utf8"),
		);
		await store.backup(copy);
		await store.close();
		t.same(rawFilesWith(folder, "archaeopteryx"), []);
		t.same(rawFilesWith(copy, "archaeopteryx"), []);
		const { store: again } = await openStore(folder, [FIRST]);
		t.teardown(() => again.close());
		t.equal(await again.documents.get("task_a"), `${MARK} 🪶`);
		t.equal(await again.queryLog.erase("tok_a"), 2, "rows are erased as before");
		t.same(await queriesOf(again), []);
		await again.documents.delete("task_a");
		t.equal(await again.documents.get("task_a"), undefined);
	},
);

t.test("what was tampered with, or lies in another place, is not read", async (t) => {
	const folder = t.testdir({});
	const { store, unreadable } = await openStore(folder, [FIRST]);
	t.teardown(() => store.close());
	for (const id of ["one", "other", "third"]) await store.documents.put(id, id, LATER);
	const [one, other] = [fileOf(folder, "one"), fileOf(folder, "other")];
	renameSync(one, `${one}.away`);
	cpSync(other, one);
	cpSync(`${one}.away`, other);
	const refusal = { code: "UNAVAILABLE", retryable: false, message: /not what was written there/ };
	for (const id of ["one", "other"]) await t.rejects(store.documents.get(id), refusal, "swapped");
	const third = fileOf(folder, "third");
	const text = readFileSync(third, "utf8");
	for (const at of [text.length - 2, text.length - 30]) {
		const other = text[at] === "A" ? "B" : "A";
		writeFileSync(third, `${text.slice(0, at)}${other}${text.slice(at + 1)}`);
		await t.rejects(store.documents.get("third"), refusal, "one character was changed");
	}
	store.queryLog.append(row("req_1"));
	store.queryLog.append(row("req_2", "another one"));
	t.same(await queriesOf(store), [MARK, "another one"]);
	const [day = ""] = readdirSync(join(folder, "queries"));
	const path = join(folder, "queries", day);
	const lines = readFileSync(path, "utf8").split("\n");
	const changed = lines[0]?.replace("graphs.search", "graphs.resear") ?? "";
	writeFileSync(path, [changed, ...lines.slice(1)].join("\n"));
	t.same(await queriesOf(store), [undefined, "another one"], "the row stays, its text does not");
	t.same(unreadable, [1]);
});

t.test("texts from before are read, and sealed once they are written again", async (t) => {
	const folder = t.testdir({});
	const { store: before } = await openStore(folder);
	await before.documents.put("old", MARK, LATER);
	before.queryLog.append(row("req_1"));
	await before.close();
	t.equal(rawFilesWith(folder, MARK).length, 2);
	const { store } = await openStore(folder, [FIRST]);
	t.teardown(() => store.close());
	t.equal(await store.documents.get("old"), MARK);
	t.same(await queriesOf(store), [MARK]);
	await store.documents.put("old", MARK, LATER);
	t.match(rawFilesWith(folder, MARK), [/queries/]);
});

t.test("the newest key seals, older ones open, and without them nothing does", async (t) => {
	const folder = t.testdir({});
	const first = await openStore(folder, [FIRST]);
	await first.store.documents.put("old", MARK, LATER);
	await first.store.close();
	const both = await openStore(folder, [SECOND, FIRST]);
	await both.store.documents.put("new", MARK, LATER);
	t.equal(await both.store.documents.get("old"), MARK);
	await both.store.close();
	const { store } = await openStore(folder, [SECOND]);
	t.teardown(() => store.close());
	t.equal(await store.documents.get("new"), MARK);
	await t.rejects(store.documents.get("old"), { code: "UNAVAILABLE", message: /its key is gone/ });
	t.ok(existsSync(fileOf(folder, "old")), "and it is left as it is");
});

t.test("text from before that looks like a sealed one, but for its end, is read", async (t) => {
	const folder = t.testdir({});
	const texts = {
		behind: "tollgraph-sealed.1.0123abcd.AAAA is how they begin",
		before: "see tollgraph-sealed.1.0123abcd.AAAA",
		other: "tollgraph-sealed.2.0123abcd.AAAA",
		short: "tollgraph-sealed.1.0123abc.AAAA",
	};
	const { store: plain } = await openStore(folder);
	for (const [id, text] of Object.entries(texts)) await plain.documents.put(id, text, LATER);
	await plain.documents.put("sealed", "tollgraph-sealed.1.0123abcd.AAAA", LATER);
	await plain.close();
	const { store } = await openStore(folder, [FIRST]);
	t.teardown(() => store.close());
	for (const [id, text] of Object.entries(texts)) t.equal(await store.documents.get(id), text);
	await t.rejects(store.documents.get("sealed"), {
		...{ code: "UNAVAILABLE", retryable: false },
		message:
			'The text "sealed" is not what was written there, or its key is gone: put it and the folder "keys" back from a backup of the data folder.',
	});
});

t.test("sealed texts expire, and rows are read by their owner, as plain ones", async (t) => {
	const folder = t.testdir({});
	const { store, unreadable } = await openStore(folder, [FIRST]);
	t.teardown(() => store.close());
	await store.documents.put("art_1", MARK, LATER);
	await store.documents.sweep(LATER - 1);
	t.equal(await store.documents.get("art_1"), MARK);
	await store.documents.sweep(LATER + 1);
	t.equal(await store.documents.get("art_1"), undefined);
	store.queryLog.append(row("req_1"));
	store.queryLog.append({ ...row("req_2", "of another"), owner: "tok_b" });
	const found = [];
	for await (const { requestId, query } of store.queryLog.read("tok_b"))
		found.push([requestId, query]);
	t.same(found, [["req_2", "of another"]]);
	t.same(unreadable, [], "no one is called for nothing");
});
