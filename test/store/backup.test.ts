import t, { type Test } from "tap";
import { ServiceError } from "../../src/kernel/errors.js";
import type { FileSystem } from "../../store/journal/file-system.js";
import { CHAIN_START, createFrameEncoder, HEADER_BYTES } from "../../store/journal/frame.js";
import { walkFrames } from "../../store/journal/segments.js";
import type { Store } from "../../store/store-port.js";
import { seededRandom } from "../support/seeded-random.js";
import { times } from "../support/times.js";
import { failAt } from "./failing-disk.js";
import { diskError, type FakeDisk } from "./fake-disk.js";
import { BIG, backupsOn, filledDisk, isInDoubt, remainsOf, restoreOn } from "./filled-disk.js";
import { credit, openOn } from "./open-test-store.js";

const MIB = 1024 * 1024;

async function keysOf(store: Store): Promise<string[]> {
	const keys: string[] = [];
	for await (const { postings } of store.history())
		keys.push(...postings.map(({ key }) => `${key}`));
	return keys;
}

interface Attempt {
	readonly acknowledged: readonly string[];
	readonly isBackedUp: boolean;
	/** Not reported as made, because the last sync failed, and yet there. */
	readonly isInDoubt: boolean;
}

/** A payment, a backup beside further payments, and whatever comes of it on a disk that fails. */
async function backUpBesideSales(store: Store): Promise<Attempt> {
	const acknowledged: string[] = times(4, (index) => `before ${index}`);
	const sell = async (key: string) => {
		await credit(store, "cust:a", 1n, key);
		acknowledged.push(key);
	};
	const backup = store.backup("/backup").then(
		() => ({ isBackedUp: true, isInDoubt: false }),
		(error: unknown) => ({ isBackedUp: false, isInDoubt: isInDoubt(error) }),
	);
	const sales = times(6, (index) => `during ${index}`).map(sell);
	const [outcome] = await Promise.all([backup, Promise.allSettled(sales)]);
	return { acknowledged, ...outcome };
}

/** What is wrong with the source or with what was restored; empty for nothing. */
async function faultOf(disk: FakeDisk, { acknowledged, isBackedUp }: Attempt): Promise<string> {
	const source = await openOn(disk.copy());
	const kept = await keysOf(source);
	await source.verify();
	if (!acknowledged.every((key) => kept.includes(key))) return "the source lost a payment";
	try {
		await restoreOn(disk);
	} catch (error) {
		if (!(error instanceof ServiceError)) return `restoring threw ${String(error)}`;
		if (isBackedUp) return `a backup that was reported is refused: ${error.message}`;
		return remainsOf(disk).length > 0 ? "a refused restore left something" : "";
	}
	const restored = await openOn(disk, { folder: "/restored" });
	const found = await keysOf(restored);
	await restored.verify();
	if (found.length < 4) return "the backup is short";
	return `${found}` === `${kept.slice(0, found.length)}` ? "" : "the backup is no prefix";
}

/** A small store, tried at every call, and one of several segments, tried at every ninth. */
for (const { size, label, step } of [
	{ size: "a small store", label: "", step: 1 },
	{ size: "a store of several segments", label: BIG, step: 9 },
]) {
	t.test(`a power cut at any moment of a backup leaves a whole one or none: ${size}`, async (t) => {
		const base = await filledDisk(label);
		const outcomes = { whole: 0, none: 0 };
		let isLongEnough = false;
		for (let cut = 1; !isLongEnough; cut += step) {
			const disk = base.copy();
			const store = await openOn(disk);
			const cutAt = disk.operations.length + cut;
			disk.judge = () =>
				disk.operations.length > cutAt ? { error: diskError("EIO"), unsynced: true } : "work";
			const attempt = await backUpBesideSales(store);
			isLongEnough = disk.operations.length <= cutAt;
			for (const seed of [cut, cut + 1_000]) {
				const found = disk.afterPowerCut(seededRandom(seed));
				const fault = await faultOf(found, attempt);
				if (fault) t.fail(`cut ${cut}, seed ${seed}: ${fault}`);
				outcomes[remainsOf(found).length > 0 ? "whole" : "none"] += 1;
			}
		}
		t.ok(outcomes.none > 40 / step && outcomes.whole > 0, `${JSON.stringify(outcomes)}`);
	});

	t.test(`whichever call fails amid a backup, nothing passes for it: ${size}`, async (t) => {
		const base = await filledDisk(label);
		let failed = 0;
		const faults: string[] = [];
		for (let call = 1; ; call += step) {
			const disk = base.copy();
			const failing = failAt(disk, call, { error: diskError("ENOSPC") });
			const store = await openOn(failing).catch(() => undefined);
			if (!store || failing.calls() >= call) continue;
			const attempt = await backUpBesideSales(store);
			if (failing.calls() < call) break;
			const left = backupsOn(disk);
			if (!attempt.isBackedUp) failed += 1;
			const mayBeThere = attempt.isBackedUp || attempt.isInDoubt;
			if (mayBeThere !== left.length > 0) faults.push(`call ${call} left "${left}"`);
			faults.push((await faultOf(disk, attempt)) && `call ${call}`);
		}
		t.same(faults.filter(Boolean), [], "the source is unharmed, and what was written is gone");
		t.ok(failed > 40 / step, `${failed} failures`);
	});
}

t.test("any byte that is not what was backed up is refused, with the file's name", async (t) => {
	const base = await filledDisk();
	const store = await openOn(base);
	await store.backup("/backup");
	const files = base.files().filter((path) => path.startsWith("/backup/"));
	t.ok(files.length >= 6, "segments, mark, document, query text, manifest");
	const damages: readonly (readonly [string, (bytes: Buffer) => Buffer])[] = [
		["a flip at the start", (bytes) => flip(bytes, 0)],
		["a flip in the middle", (bytes) => flip(bytes, bytes.length >> 1)],
		["a flip at the end", (bytes) => flip(bytes, bytes.length - 1)],
		["the last byte lost", (bytes) => bytes.subarray(0, -1)],
		["a byte more", (bytes) => Buffer.concat([bytes, Buffer.from("0")])],
	];
	for (const path of files) {
		for (const [title, damage] of damages) {
			const disk = base.copy();
			disk.edit(path, damage);
			await assertRefused(t, disk, { path, title });
		}
		const disk = base.copy();
		await disk.remove(path);
		await assertRefused(t, disk, {
			path: path.endsWith("manifest.json") ? "manifest.json" : path,
			title: "gone",
		});
	}
	const disk = base.copy();
	const [one = "", other = ""] = files.filter((path) => path.includes("/segments/"));
	disk.exchange(one, other);
	await assertRefused(t, disk, { path: one, title: "exchanged" });
	t.match(await restoreOn(base), { transactions: 4, accounts: 2 }, "the backup itself is sound");
});

function flip(bytes: Buffer, at: number): Buffer {
	const flipped = Buffer.from(bytes);
	flipped[at] = (flipped[at] ?? 0) ^ 1;
	return flipped;
}

async function assertRefused(
	t: Test,
	disk: FakeDisk,
	{ path, title }: { path: string; title: string },
) {
	const error: unknown = await restoreOn(disk).catch((thrown: unknown) => thrown);
	const isTold =
		error instanceof ServiceError &&
		error.message.includes(path) &&
		/use another backup/i.test(error.message);
	if (!isTold) t.fail(`${path}, ${title}: ${String(error)}`);
	if (remainsOf(disk).length > 0) t.fail(`${path}, ${title}: something is left`);
}

t.test("what was damaged in the source does not become a backup", async (t) => {
	const disk = await filledDisk();
	const store = await openOn(disk);
	const [first = ""] = disk.files().filter((path) => path.endsWith(".journal"));
	disk.edit(first, (bytes) => flip(bytes, 100_000));
	await t.rejects(store.backup("/backup"), { code: "UNAVAILABLE", message: /00000001\.journal/ });
	t.same(backupsOn(disk), []);
	await credit(store, "cust:a", 1n);
	t.equal(store.health().status, "ok", "sales go on");
});

t.test("a disk without room for a backup and a reserve is not begun with", async (t) => {
	const disk = await filledDisk();
	const bytes = 6 * MIB;
	for (const [space, reserve] of [
		[{ free: bytes + 63 * MIB, total: 10_000 * MIB }, /64\.0 MiB must stay free/],
		[{ free: bytes + 4 * MIB, total: 100 * MIB }, /5\.0 MiB must stay free/],
	] as const) {
		disk.room = space;
		const store = await openOn(disk);
		const made = disk.operations.filter(({ name }) => name === "create").length;
		await t.rejects(store.backup("/backup"), { code: "UNAVAILABLE", message: reserve });
		const created = disk.operations.filter(({ name }) => name === "create").length;
		t.ok(created - made <= 1, "nothing but query text was written");
		t.same(backupsOn(disk), []);
		await store.close();
	}
	disk.room = { free: bytes + 66 * MIB, total: 10_000 * MIB };
	t.match(await (await openOn(disk)).backup("/backup"), { transactions: 4 });
});

const unsound = (path: string, problem: string) => ({
	...{ code: "UNAVAILABLE", retryable: false },
	message: `No backup was made: what was read of "${path}" is not what was written there (${problem}). Run "tollgraph ledger verify"; if it finds the journal damaged, keep the older backups.`,
});

t.test("a segment that is gone, or another one, is named, and no backup is made", async (t) => {
	const disk = await filledDisk("");
	const path = "/store/segments/00000001.journal";
	const store = await openOn(disk);
	const { sequence } = store.head();
	const whole = (await disk.read(path)) ?? Buffer.alloc(0);
	await disk.remove(path);
	await t.rejects(store.backup("/backup"), unsound(path, "the file is missing"));
	const last = whole.lastIndexOf(0x0a, whole.length - 2) + 1;
	const text = whole.toString("utf8", last).replace("tok_a", "tok_b").slice(0, -1);
	const json = text.slice(HEADER_BYTES);
	let link = CHAIN_START;
	walkFrames(whole.subarray(0, last), CHAIN_START, (frame) => {
		({ link } = frame);
	});
	const { bytes } = createFrameEncoder()(json, link);
	await writeOn(disk, path, Buffer.concat([whole.subarray(0, last), bytes]));
	const other = `it ends with frame ${sequence} instead of frame ${sequence}`;
	await t.rejects(store.backup("/backup"), unsound(path, other));
	t.same(backupsOn(disk), []);
});

async function writeOn(disk: FakeDisk, path: string, bytes: Buffer): Promise<void> {
	const file = await disk.open(path, "create");
	await file.write(bytes, 0);
}

t.test("a failure of the backup's disk says whether the store goes on", async (t) => {
	for (const isStopped of [false, true]) {
		const disk = await filledDisk("");
		let store: Store | undefined;
		const fileSystem: FileSystem = {
			...disk,
			async open(path, how) {
				if (!path.startsWith("/backup")) return disk.open(path, how);
				if (isStopped && store) {
					disk.judge = () => ({ error: diskError("EIO") });
					await credit(store, "cust:a", 1n, "during").catch(() => undefined);
				}
				throw diskError("ENOSPC");
			},
		};
		store = await openOn(fileSystem);
		await t.rejects(store.backup("/backup"), {
			code: "UNAVAILABLE",
			message: isStopped
				? "The backup was not made (ENOSPC: simulated). The store has stopped, too: EIO: simulated. Free some space on its disk and start it again."
				: "The backup was not made (ENOSPC: simulated). The store goes on; free some space or name another folder, and run it again.",
		});
		t.same(backupsOn(disk), []);
	}
});

t.test("a backup says how far it is, and takes no text that was deleted meanwhile", async (t) => {
	for (const isDeleted of [false, true]) {
		const disk = await filledDisk("");
		const store = await openOn(disk);
		const progress: unknown[] = [];
		const made = await store.backup("/backup", {
			onProgress(one) {
				if (isDeleted && progress.length === 0) void store.documents.delete("art_1");
				progress.push(one);
			},
		});
		t.same(
			progress,
			times(3, (index) => ({ done: index + 1, total: 3 })),
			"a segment, query text and a document",
		);
		const copied = backupsOn(disk).filter((path) => path.includes("/documents/"));
		t.equal(copied.length, isDeleted ? 0 : 1);
		t.match(made, { files: isDeleted ? 3 : 4, transactions: 4, manifest: "manifest.json" });
	}
});
