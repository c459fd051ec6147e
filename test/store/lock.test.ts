import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { systemClock } from "../../src/core/clock.js";
import { nodeFileSystem } from "../../store/journal/file-system.js";
import { type JournalStore, openJournalStore } from "../../store/journal/journal-store.js";
import { credit, receiptRow, START_MS } from "./open-test-store.js";

const WRITER = new URL("./journal-writer.ts", import.meta.url).pathname;

function openIn(folder: string): Promise<JournalStore> {
	return openJournalStore({ folder, clock: systemClock, fileSystem: nodeFileSystem });
}

t.test("a second process is refused at once and the first one goes on", async (t) => {
	const folder = join(t.testdir({}), "store");
	const store = await openIn(folder);
	const second = spawn(process.execPath, ["--import", "tsx", WRITER, folder], { stdio: "pipe" });
	let said = "";
	let startedMs = 0;
	second.stdout.setEncoding("utf8").on("data", (chunk: string) => {
		said += chunk;
		if (chunk.includes("opening")) startedMs = systemClock.monotonicMs();
	});
	await once(second, "close");
	t.ok(systemClock.monotonicMs() - startedMs < 2_000);
	t.match(said, new RegExp(`refused UNAVAILABLE.*in use by process ${process.pid} .*lock"`));
	await credit(store, "cust:a", 1n);
	await store.close();
	await (await openIn(folder)).close();
});

t.test("the same process cannot open a folder twice either", async (t) => {
	const folder = join(t.testdir({}), "store");
	const store = await openIn(folder);
	await t.rejects(openIn(folder), { code: "UNAVAILABLE" });
	await credit(store, "cust:a", 1n);
	await store.close();
});

t.test("the lock of a dead process is taken over, that of another machine is not", async (t) => {
	const folder = t.testdir({});
	const lock = join(folder, "lock");
	const store = await openIn(folder);
	const self = JSON.parse(readFileSync(lock, "utf8"));
	await store.close();
	t.notOk(readdirSync(folder).includes("lock"), "a closed store leaves no lock");

	const dead = spawn(process.execPath, ["-e", ""]);
	await once(dead, "close");
	const takenOver = [
		JSON.stringify({ ...self, pid: dead.pid, started: "" }),
		JSON.stringify({ ...self, started: "another boot/1" }),
		"",
		"{",
	];
	for (const text of takenOver) {
		writeFileSync(lock, text);
		const again = await openIn(folder);
		await credit(again, "cust:a", 1n, `after ${text}`);
		await again.close();
	}
	t.same(
		readdirSync(folder).filter((name) => name.startsWith("lock")),
		[],
	);

	writeFileSync(lock, JSON.stringify({ ...self, pid: dead.pid, host: "elsewhere" }));
	const message = /on the machine "elsewhere".*delete ".*lock" and start again/;
	await t.rejects(openIn(folder), { code: "UNAVAILABLE", message });
});

t.test("nobody but the owner may read anything", async (t) => {
	const folder = join(t.testdir({}), "store");
	const store = await openIn(folder);
	await credit(store, "cust:a", 1n);
	await store.transaction((tx) => tx.put("receipts", receiptRow("rcpt_1")));
	await store.documents.put("art_1", "text", 9e12);
	const row = { requestId: "req_1", owner: "tok_a", operationId: "o", transport: "rest" };
	const rest = { query: "q", decision: undefined, receiptId: undefined };
	store.queryLog.append({ at: START_MS, ...row, ...rest });
	for (let index = 0; index < 5; index++) {
		await credit(store, "cust:a", 1n, `${index}${"k".repeat(100_000)}`);
	}
	await store.close();
	const seen = { files: 0, folders: 0 };
	const look = (path: string) => {
		const stat = statSync(path);
		const isFolder = stat.isDirectory();
		if ((stat.mode & 0o777) !== (isFolder ? 0o700 : 0o600)) t.fail(`${path} has another mode`);
		seen[isFolder ? "folders" : "files"] += 1;
		if (isFolder) for (const name of readdirSync(path)) look(join(path, name));
	};
	look(folder);
	t.same(seen, { files: 5, folders: 7 }, "mark, segment, snapshot, document and query log");
});
