import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import t from "tap";
import { ServiceError } from "../../src/kernel/errors.js";
import type { FileSystem } from "../../store/journal/file-system.js";
import { restoreJournal } from "../../store/journal/restore.js";
import { seededRandom } from "../support/seeded-random.js";
import { times } from "../support/times.js";
import { failAt } from "./failing-disk.js";
import { diskError, type FakeDisk } from "./fake-disk.js";
import { filledDisk, isInDoubt, remainsOf, restoreOn } from "./filled-disk.js";
import { openOn, stillClock } from "./open-test-store.js";

async function attemptOn(fileSystem: FileSystem, to: string): Promise<unknown> {
	try {
		await restoreJournal({ fileSystem, clock: stillClock(), from: "/backup", to });
		return "restored";
	} catch (error) {
		return error;
	}
}

/** Undefined when the whole store is in the folder. */
async function faultIn(disk: FakeDisk, folder: string): Promise<string | undefined> {
	if (!disk.files().some((path) => path.startsWith(`${folder}/`))) return "nothing there";
	const store = await openOn(disk, { folder });
	const { transactions } = await store.verify();
	if (transactions !== 4) return `${transactions} transactions`;
	return (await store.documents.get("art_1")) === "one" ? undefined : "text is missing";
}

/** Undefined when a refused restore left nothing, or the whole store where it said so. */
async function faultAfter(disk: FakeDisk, outcome: unknown): Promise<string | undefined> {
	if (!(outcome instanceof ServiceError)) return String(outcome);
	const besides = remainsOf(disk).filter((path) => !path.startsWith("/restored/"));
	if (besides.length > 0) return `it left ${besides}`;
	const fault = await faultIn(disk.copy(), "/restored");
	if (isInDoubt(outcome)) return fault;
	return fault === "nothing there" ? undefined : "it left a store";
}

t.test("a restore that fails leaves its place as it was", async (t) => {
	const base = await filledDisk("");
	await (await openOn(base)).backup("/backup");
	let [failed, inDoubt] = [0, 0];
	for (let call = 1; ; call++) {
		const disk = base.copy();
		const failing = failAt(disk, call, { error: diskError("EIO") });
		const outcome = await attemptOn(failing, "/restored");
		if (failing.calls() < call) break;
		if (outcome === "restored") continue;
		failed += 1;
		if (isInDoubt(outcome)) inDoubt += 1;
		const fault = await faultAfter(disk, outcome);
		if (fault) t.fail(`call ${call}: ${fault}`);
	}
	t.equal(inDoubt, 1, "only the last sync comes after the folder has its name");
	t.ok(failed > 60, `${failed} failures`);
});

t.test("a power cut at any moment of a restore leaves the whole place or none", async (t) => {
	const base = await filledDisk("");
	await (await openOn(base)).backup("/backup");
	const to = "/2026/11/21";
	const outcomes = { whole: 0, none: 0 };
	let isRestored = false;
	for (let cut = 1; !isRestored; cut++) {
		const disk = base.copy();
		const cutAt = disk.operations.length + cut;
		disk.judge = () =>
			disk.operations.length > cutAt ? { error: diskError("EIO"), unsynced: true } : "work";
		isRestored = (await attemptOn(disk, to)) === "restored";
		for (const seed of times(6, (index) => cut + index * 1_000)) {
			const found = disk.afterPowerCut(seededRandom(seed));
			const fault = await faultIn(found, to);
			outcomes[fault === "nothing there" ? "none" : "whole"] += 1;
			if (fault && (isRestored || fault !== "nothing there")) t.fail(`seed ${seed}: ${fault}`);
		}
	}
	t.ok(outcomes.none > 100 && outcomes.whole >= 6, `${JSON.stringify(outcomes)}`);
});

t.test("a journal that ends otherwise than its manifest says is refused", async (t) => {
	const disk = await filledDisk("");
	await (await openOn(disk)).backup("/backup");
	disk.edit("/backup/manifest.json", (bytes) => {
		const end = bytes.lastIndexOf(',"crc32":"');
		const facts = bytes
			.toString("utf8", 0, end)
			.replace(/"crc":(\d+)/, (_all, crc) => `"crc":${+crc ^ 1}`);
		const sum = crc32(facts).toString(16).padStart(8, "0");
		return Buffer.from(`${facts},"crc32":"${sum}"}\n`);
	});
	await t.rejects(restoreOn(disk), { code: "UNAVAILABLE", message: /last frame has checksum/ });
	t.same(remainsOf(disk), []);
});

/** Changes the facts of the backup's manifest, and gives it the checksum that belongs to them. */
function restate(disk: FakeDisk, change: (facts: string) => string): void {
	disk.edit("/backup/manifest.json", (bytes) => {
		const facts = change(bytes.toString("utf8", 0, bytes.lastIndexOf(',"crc32":"')));
		return Buffer.from(`${facts},"crc32":"${crc32(facts).toString(16).padStart(8, "0")}"}\n`);
	});
}

const damagedBackup = (problem: string) => ({
	...{ code: "UNAVAILABLE", retryable: false },
	message: `The backup is damaged: "/backup": ${problem}. Nothing was restored; use another backup.`,
});

t.test(
	"a journal that differs from what its manifest says is refused in whole words",
	async (t) => {
		const base = await filledDisk("");
		const store = await openOn(base);
		await store.backup("/backup");
		const { sequence, crc } = store.head();
		const counted = `its journal has 4 transactions up to frame ${sequence}, its manifest says`;
		for (const [from, to, problem] of [
			[`"sequence":${sequence}`, '"sequence":99', `${counted} 4 up to 99`],
			['"transactions":4', '"transactions":5', `${counted} 5 up to ${sequence}`],
			[`"crc":${crc},`, '"crc":1,', `its last frame has checksum ${crc}, its manifest says 1`],
			[`"crc":${crc},`, "", `its last frame has checksum ${crc}, its manifest says none`],
		] as const) {
			const disk = base.copy();
			restate(disk, (facts) => facts.replace(from, to));
			await t.rejects(restoreOn(disk), damagedBackup(problem));
			t.same(remainsOf(disk), []);
		}
	},
);

t.test("a backup of a damaged journal is named by its own folder", async (t) => {
	const disk = await filledDisk("");
	await (await openOn(disk)).backup("/backup");
	const path = "/backup/segments/00000001.journal";
	const sha256Of = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
	const whole = (await disk.read(path)) ?? Buffer.alloc(0);
	const spoiled = Buffer.from(whole);
	spoiled[60] = (spoiled[60] ?? 0) ^ 1;
	disk.edit(path, () => spoiled);
	restate(disk, (facts) => facts.replace(sha256Of(whole), sha256Of(spoiled)));
	const problem = `The store is damaged: in "${path}", at byte 0, the checksum does not match`;
	await t.rejects(restoreOn(disk), damagedBackup(problem));
	t.same(remainsOf(disk), []);
});

t.test(
	"what was restored is counted, reported file by file, and sound before it counts",
	async (t) => {
		const disk = await filledDisk("");
		const made = await (await openOn(disk)).backup("/backup");
		const progress: unknown[] = [];
		const sound: unknown[] = [];
		const restored = await restoreJournal({
			...{ fileSystem: disk, clock: stillClock(), from: "/backup", to: "/restored" },
			onProgress: (one) => progress.push(one),
			async onSound(store, { createdAt }) {
				sound.push(createdAt);
				await store.documents.put("art_new", "new", 9e15);
			},
		});
		const { manifest: _, ...facts } = made;
		t.strictSame(restored, { ...facts, accounts: 2 });
		t.same(sound, [made.createdAt]);
		t.same(
			progress,
			times(made.files, (index) => ({ done: index + 1, total: made.files })),
		);
		const store = await openOn(disk, { folder: "/restored" });
		t.equal(await store.documents.get("art_new"), "new");
		await store.close();
		const failed = restoreJournal({
			...{ fileSystem: disk, clock: stillClock(), from: "/backup", to: "/other" },
			onSound: async () => Promise.reject(new RangeError("a fault")),
		});
		await t.rejects(failed, {
			code: "UNAVAILABLE",
			message: /^"\/other" could not be made \(a fault\)/,
		});
		t.same(await disk.list("/other"), []);
	},
);

t.test("a frame that is missing from a restored folder is missed", async (t) => {
	const disk = await filledDisk("");
	await (await openOn(disk)).backup("/backup");
	await restoreOn(disk);
	for (const path of remainsOf(disk)) if (path.endsWith(".snapshot")) await disk.remove(path);
	const store = await openOn(disk.copy(), { folder: "/restored" });
	const { sequence } = store.head();
	const copy = disk.copy();
	for (const path of disk.files().filter((one) => one.startsWith("/backup/")))
		await copy.rename(path, path.replace("/backup/", "/by-hand/"));
	copy.edit("/by-hand/segments/00000001.journal", (bytes) =>
		bytes.subarray(0, bytes.lastIndexOf(0x0a, bytes.length - 2) + 1),
	);
	await t.rejects(openOn(copy, { folder: "/by-hand" }), {
		message: new RegExp(
			`the journal ends after frame ${sequence - 1}, although frame ${sequence} was on the disk already`,
		),
	});
});
