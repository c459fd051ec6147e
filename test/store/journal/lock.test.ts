import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import t from "tap";
import type { FileSystem } from "../../../store/journal/file-system.js";
import { nodeProcessTable, type ProcessName, takeLock } from "../../../store/journal/lock.js";
import { createFakeDisk, diskError, type FakeDisk } from "../fake-disk.js";
import { stillClock } from "../open-test-store.js";

const LOCK = "/store/lock";
/** Numbers of processes: this one, one that runs and one that has ended. */
const [SELF, RUNNING, DEAD] = [10, 20, 30];
const NONCE = "07".repeat(9);

const claimOf = (pid: number, host = "here") =>
	`${JSON.stringify({ pid, host, started: "s", nonce: NONCE })}\n`;

function take(disk: FakeDisk, changes: Partial<FileSystem> = {}) {
	let nowMs = 0;
	const asked: ProcessName[] = [];
	const processes = {
		self: () => ({ pid: SELF, host: "here", started: "s" }),
		stateOf(process: ProcessName) {
			asked.push(process);
			if (process.host !== "here") return "unknown" as const;
			return process.pid === DEAD ? ("gone" as const) : ("running" as const);
		},
	};
	const clock = { ...stillClock(), monotonicMs: () => (nowMs += 10) };
	const random = { bytes: (count: number) => new Uint8Array(count).fill(7) };
	const fileSystem = { ...disk, ...changes };
	const taken = takeLock({ fileSystem, clock, random, processes, path: LOCK });
	return { taken, asked, elapsedMs: () => nowMs };
}

const diskWith = (files: Readonly<Record<string, string>>) =>
	createFakeDisk(
		new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])),
		new Set(["/store"]),
	);
const rightOver = (text: string) =>
	`${LOCK}.takeover-${createHash("sha256").update(text).digest("hex").slice(0, 24)}`;

t.test("a free folder is taken with a claim that is whole before it is seen", async (t) => {
	const disk = diskWith({});
	const release = await take(disk).taken;
	const own = `${LOCK}.${SELF}.${NONCE}`;
	t.same(
		disk.operations.map(({ name, path }) => `${name} ${path}`),
		[`create ${own}`, `write ${own}`, `sync ${own}`, `link ${LOCK}`],
	);
	t.equal(String(await disk.read(LOCK)), claimOf(SELF));
	t.same(disk.files(), [LOCK]);
	await release();
	t.same(disk.files(), []);
});

t.test("a lock that is another's by now is not released", async (t) => {
	const disk = diskWith({});
	const release = await take(disk).taken;
	disk.edit(LOCK, () => Buffer.from(claimOf(RUNNING)));
	await release();
	t.equal(String(await disk.read(LOCK)), claimOf(RUNNING));
	await disk.remove(LOCK);
	await release();
	t.same(disk.files(), []);
});

t.test("who uses the folder is named, with what to do", async (t) => {
	for (const [text, message] of [
		[
			claimOf(RUNNING),
			`The store is in use by process 20 (lock "${LOCK}"). Stop it first, or choose another data folder.`,
		],
		[
			claimOf(DEAD, "there"),
			`The store is in use by process 30 on the machine "there" (lock "${LOCK}"). If no process there uses this folder any more, delete "${LOCK}" and start again.`,
		],
	] as const) {
		const disk = diskWith({ [LOCK]: text });
		const { taken, asked } = take(disk);
		await t.rejects(taken, { code: "UNAVAILABLE", message });
		t.match(asked, [{ started: "s" }]);
		t.same(disk.files(), [LOCK], "our claim is gone");
		t.equal(String(await disk.read(LOCK)), text);
	}
});

t.test("the lock of a process that is gone, or of none, is taken over", async (t) => {
	const none = ["", "{", "null", '{"pid":"1","host":"here"}', '{"pid":1}', '{"host":"here"}', "[]"];
	for (const text of [claimOf(DEAD), ...none]) {
		const disk = diskWith({ [LOCK]: text });
		await take(disk).taken;
		t.equal(String(await disk.read(LOCK)), claimOf(SELF), text);
		t.same(disk.files(), [LOCK]);
	}
	const disk = diskWith({ [LOCK]: '{"pid":30,"host":"here"}' });
	const { taken, asked } = take(disk);
	await taken;
	t.same(asked[0], { pid: DEAD, host: "here", started: "" }, "a claim that says no start");
});

t.test("while another takes it over it is waited for, for less than a second", async (t) => {
	const lock = claimOf(DEAD);
	const right = rightOver(lock);
	const disk = diskWith({ [LOCK]: lock, [right]: claimOf(RUNNING) });
	const { taken, elapsedMs } = take(disk);
	await t.rejects(taken, {
		code: "UNAVAILABLE",
		message: `The lock "${LOCK}" could not be taken: another process is opening the store. Try again in a moment.`,
	});
	t.ok(elapsedMs() >= 8 * 50 && elapsedMs() < 1_000, `${elapsedMs()} ms`);
	t.same(disk.files(), [LOCK, right]);
	t.equal(String(await disk.read(LOCK)), lock);
	const far = diskWith({ [LOCK]: lock, [right]: claimOf(DEAD, "there") });
	await t.rejects(take(far).taken, { message: /on the machine "there".*takeover-/ });
});

t.test("what took the lock's place in the meantime is not removed for it", async (t) => {
	const lock = claimOf(DEAD);
	/** Something happens to the lock between the look at it and the right to remove it. */
	const taking = (disk: FakeDisk, meanwhile: () => unknown) =>
		take(disk, {
			async link(from, to) {
				await disk.link(from, to);
				if (to === rightOver(lock)) await meanwhile();
			},
		}).taken;
	const held = diskWith({ [LOCK]: lock });
	const inUse = taking(held, () => held.edit(LOCK, () => Buffer.from(claimOf(RUNNING))));
	await t.rejects(inUse, { message: /^The store is in use by process 20 / });
	t.equal(String(await held.read(LOCK)), claimOf(RUNNING));
	t.same(held.files(), [LOCK]);
	const freed = diskWith({ [LOCK]: lock });
	await taking(freed, () => freed.remove(LOCK));
	t.equal(String(await freed.read(LOCK)), claimOf(SELF));
	t.same(freed.files(), [LOCK]);
});

t.test("who died while taking over is taken over as well", async (t) => {
	const lock = claimOf(DEAD);
	const right = rightOver(lock);
	for (const text of [claimOf(DEAD).replace("07", "08"), "nothing of ours"]) {
		const disk = diskWith({ [LOCK]: lock, [right]: text });
		await take(disk).taken;
		t.equal(String(await disk.read(LOCK)), claimOf(SELF));
		t.notOk(disk.files().includes(rightOver(text)));
	}
});

t.test("what dead processes left beside the lock goes, and nothing else does", async (t) => {
	const kept = [`${LOCK}.20.aa`, `${LOCK}.notes`, `${LOCK}-30`, "/store/lock30.x", "/store/mark"];
	const texts = [claimOf(RUNNING), "notes", claimOf(DEAD), claimOf(DEAD), claimOf(DEAD)];
	const files = kept.map((path, index) => [path, texts[index] ?? ""] as const);
	const disk = diskWith({ ...Object.fromEntries(files), [`${LOCK}.30.bb`]: claimOf(DEAD) });
	await take(disk).taken;
	t.same(disk.files(), [...kept, LOCK].sort());
	const stuck = diskWith({ [`${LOCK}.30.bb`]: claimOf(DEAD) });
	const list = async () => Promise.reject(diskError("EIO"));
	await take(stuck, { list }).taken;
	t.same(stuck.files(), [LOCK, `${LOCK}.30.bb`], "they do no harm");
});

t.test("a disk that fails is no lock of another's, and leaves no claim", async (t) => {
	const disk = diskWith({});
	disk.judge = ({ name }) => (name === "link" ? { error: diskError("EPERM") } : "work");
	await t.rejects(take(disk).taken, { code: "EPERM" });
	t.same(disk.files(), []);
	disk.judge = ({ name }) => (name === "write" ? "short" : "work");
	await t.rejects(take(disk).taken, { code: "SHORT_WRITE" });
});

t.test("the claim is closed once it is written, or not", async (t) => {
	for (const verdict of ["work", "short"] as const) {
		const disk = diskWith({});
		let closed = 0;
		disk.judge = ({ name }) => (name === "write" ? verdict : "work");
		const { taken } = take(disk, {
			async open(path, how) {
				const file = await disk.open(path, how);
				const close = async () => {
					closed += 1;
				};
				return { ...file, close };
			},
		});
		await taken.catch(() => undefined);
		t.equal(closed, 1);
	}
});

t.test("a process is known by number, machine and start", async (t) => {
	const self = nodeProcessTable.self();
	t.match(self, { pid: process.pid, host: hostname() });
	const stateOf = (changes: Partial<ProcessName>) =>
		nodeProcessTable.stateOf({ ...self, ...changes });
	t.equal(stateOf({}), "running");
	t.equal(stateOf({ started: "" }), "running", "where no start is known the number counts");
	t.equal(stateOf({ host: `${self.host} too` }), "unknown");
	const ended = spawn(process.execPath, ["-e", ""]);
	await once(ended, "close");
	t.equal(stateOf({ pid: ended.pid ?? 0, started: "" }), "gone");
	t.equal(stateOf({ pid: ended.pid ?? 0 }), "gone");
	if (process.platform !== "linux") return;
	t.equal(stateOf({ started: `${self.started}1` }), "gone", "another one has the number now");
	const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
	t.match(self.started, new RegExp(`^${boot}/\\d+$`));
	const ticks = readFileSync("/proc/self/stat", "utf8")
		.replace(/^.*\) /s, "")
		.split(" ")[19];
	t.equal(self.started, `${boot}/${ticks}`);
});

t.test("a process of another user, who may not be signaled, runs", async (t) => {
	const self = nodeProcessTable.self();
	const kill = (code: string) => () => {
		throw diskError(code);
	};
	for (const [code, state] of [
		["EPERM", "running"],
		["ESRCH", "gone"],
	] as const) {
		const restore = t.intercept(process, "kill", { value: kill(code) }).restore;
		t.equal(nodeProcessTable.stateOf(self), state);
		restore();
	}
});
