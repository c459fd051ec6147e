import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { systemRandom } from "../../src/kernel/ids.js";
import { type FileSystem, nodeFileSystem } from "../../store/journal/file-system.js";
import { type JournalStore, openJournalStore } from "../../store/journal/journal-store.js";
import { type ProcessName, takeLock } from "../../store/journal/lock.js";
import { seededRandom } from "../support/seeded-random.js";
import { times } from "../support/times.js";
import { createFakeDisk } from "./fake-disk.js";
import { credit, receiptRow, START_MS, stillClock } from "./open-test-store.js";

const WRITER = fileURLToPath(new URL("./journal-writer.js", import.meta.url));

function openIn(folder: string): Promise<JournalStore> {
	return openJournalStore({ folder, clock: systemClock, fileSystem: nodeFileSystem });
}

t.test("a second process is refused at once and the first one goes on", async (t) => {
	const folder = join(t.testdir({}), "store");
	const store = await openIn(folder);
	const second = spawn(process.execPath, [WRITER, folder], { stdio: "pipe" });
	let said = "";
	second.stdout.setEncoding("utf8").on("data", (chunk: string) => {
		said += chunk;
	});
	await once(second, "close");
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

t.test("no one but the owner may read anything", async (t) => {
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

/** A disk whose every answer comes any number of turns late, so that processes overtake each other anywhere. */
function lateDisk(fileSystem: FileSystem, random: () => number): FileSystem {
	const late = async () => {
		for (let turns = Math.floor(random() * 6); turns > 0; turns--) {
			await new Promise<void>((resolve) => {
				setImmediate(resolve);
			});
		}
	};
	const slowed = <A extends unknown[], R>(method: (...args: A) => Promise<R>) => {
		return async (...args: A): Promise<R> => {
			await late();
			const result = await method(...args);
			await late();
			return result;
		};
	};
	return {
		...fileSystem,
		read: slowed(fileSystem.read),
		list: slowed(fileSystem.list),
		rename: slowed(fileSystem.rename),
		link: slowed(fileSystem.link),
		remove: slowed(fileSystem.remove),
		open: slowed(async (path: string, how: "create" | "existing") => {
			const file = await fileSystem.open(path, how);
			return { ...file, write: slowed(file.write), sync: slowed(file.sync) };
		}),
	};
}

const DEAD = 1;

function processOf(pid: number) {
	const self: ProcessName = { pid, host: "test", started: "" };
	const stateOf = (process: ProcessName) => (process.pid <= DEAD ? "gone" : "running");
	return { self: () => self, stateOf } as const;
}

t.test("of processes that open one folder at once, exactly one gets it", async (t) => {
	const dead = (nonce: number) => `{"pid":${DEAD},"host":"test","started":"","nonce":"${nonce}"}\n`;
	const leftovers: readonly (readonly string[])[] = [
		[],
		[""],
		[dead(1)],
		// Its taker died as well, and the one who took over from him.
		[dead(1), dead(2)],
		[dead(1), dead(2), dead(3)],
	];
	for (const seed of times(150, (index) => index + 1)) {
		const disk = createFakeDisk();
		const texts = leftovers[seed % leftovers.length] ?? [];
		for (const [index, text] of texts.entries()) {
			const before = createHash("sha256").update(texts[index - 1] ?? "");
			const right = `takeover-${before.digest("hex").slice(0, 24)}`;
			await writeOn(disk, index === 0 ? "/store/lock" : `/store/lock.${right}`, text);
		}
		const random = seededRandom(seed);
		let elapsedMs = 0;
		const clock = { ...stillClock(), monotonicMs: () => (elapsedMs += 5) };
		const fileSystem = lateDisk(disk, random);
		const outcomes = await Promise.allSettled(
			times(4, (index) =>
				takeLock({
					fileSystem,
					clock,
					random: systemRandom,
					processes: processOf(DEAD + 1 + index),
					path: "/store/lock",
				}),
			),
		);
		const winners = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
		if (winners.length !== 1) t.fail(`seed ${seed}: ${winners.length} hold the lock`);
		t.same(disk.files(), ["/store/lock"], "nothing else is left");
		await winners[0]?.();
		t.same(disk.files(), []);
	}
});

async function writeOn(disk: FileSystem, path: string, text: string): Promise<void> {
	const file = await disk.open(path, "create");
	await file.write(Buffer.from(text), 0);
}
