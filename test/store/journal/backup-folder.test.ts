import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import t from "tap";
import {
	assertEmpty,
	assertUnspoiled,
	copyChecked,
	openBackupFolder,
	readManifest,
	syncOwnName,
} from "../../../store/journal/backup-folder.js";
import { createFakeDisk, diskError, type FakeDisk } from "../fake-disk.js";

const BACKUP = "/backups/one";
const MANIFEST = `${BACKUP}/manifest.json`;
const KIND = { kind: "a kind", version: 2 };
const FACTS = { ...KIND, created_at: "2026-03-01T12:00:00.000Z", sequence: 3, transactions: 0 };
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const fileOf = (path: string, text: string) => ({ path, bytes: text.length, sha256: sha256(text) });
const damage = (path: string, problem: string) =>
	`The backup is damaged: "${path}": ${problem}. Nothing was restored; use another backup.`;

/** A backup of three files, one of which lies deeper. */
async function backUp(disk = createFakeDisk(new Map([["/from", Buffer.from("0123456789")]]))) {
	const target = await openBackupFolder(disk, BACKUP);
	await target.copy("/from", "segments/a", 4);
	await target.copy("/from", "documents/7/b");
	await target.add("mark", async (path) => {
		const file = await disk.open(path, "create");
		await file.write(Buffer.from("mark"), 0);
	});
	const totals = await target.finish(FACTS);
	return { disk, totals };
}

/** Gives the manifest other facts and the checksum that belongs to them. */
function rewrite(disk: FakeDisk, change: (text: string) => string): void {
	disk.edit(MANIFEST, (bytes) => {
		const text = change(bytes.toString("utf8", 0, bytes.lastIndexOf(',"crc32":"')));
		return Buffer.from(`${text},"crc32":"${crc32(text).toString(16).padStart(8, "0")}"}\n`);
	});
}

t.test("a backup's last file names all others, each with its hash", async (t) => {
	const { disk, totals } = await backUp();
	t.same(totals, { files: 3, bytes: 18 });
	const files = [
		fileOf("segments/a", "0123"),
		fileOf("documents/7/b", "0123456789"),
		fileOf("mark", "mark"),
	];
	const lines = files.map((file) => JSON.stringify(file)).join(",\n");
	const covered = `${JSON.stringify(FACTS).slice(0, -1)},"files":[\n${lines}\n]`;
	const sum = crc32(covered).toString(16).padStart(8, "0");
	t.equal(String(await disk.read(MANIFEST)), `${covered},"crc32":"${sum}"}\n`);
	t.match(await readManifest(disk, BACKUP, KIND), { ...FACTS, files });
	const names = disk.operations.map(({ name, path }) => `${name} ${path}`);
	const places = ["/documents/7", "/documents", "/segments", ""].map((name) => `${BACKUP}${name}`);
	t.same(
		names.filter((name) => name.startsWith("syncFolder")),
		[...places, "/backups", BACKUP].map((path) => `syncFolder ${path}`),
		"the innermost first",
	);
	t.same(names.slice(-3), [`sync ${MANIFEST}.new`, `rename ${MANIFEST}`, `syncFolder ${BACKUP}`]);
});

t.test("a file that is missing is none of the backup", async (t) => {
	const disk = createFakeDisk();
	const target = await openBackupFolder(disk, BACKUP);
	t.equal(await target.copy("/missing", "a"), false);
	await t.rejects(target.takeIn("b"), { message: '"b" is missing' });
	t.same(await target.finish(FACTS), { files: 0, bytes: 0 });
	t.same((await readManifest(disk, BACKUP, KIND)).files, []);
});

t.test("each part and each file is asked for before it is copied", async (t) => {
	const disk = createFakeDisk(new Map([["/from", Buffer.alloc(600 * 1024)]]));
	let parts = 0;
	const onPart = () => {
		parts += 1;
	};
	const target = await openBackupFolder(disk, BACKUP, { onPart });
	t.equal(await target.copy("/from", "a"), true);
	t.equal(parts, 3);
	disk.room = { free: 0, total: 10 ** 12 };
	await t.rejects(target.copy("/from", "b"), { message: /takes 0\.6 MiB/ });
	const opened = await disk.openForReading("/from");
	if (opened) await t.rejects(target.copyOpened(opened, "c"), { code: "UNAVAILABLE" });
	t.same(disk.files(), [`${BACKUP}/a`, "/from"]);
});

t.test("a place that holds something, or is none, is not taken", async (t) => {
	const disk = createFakeDisk(
		new Map([
			["/full/b", Buffer.alloc(1)],
			["/full/a", Buffer.alloc(1)],
		]),
	);
	const code = "INVALID_ARGUMENT";
	await t.rejects(openBackupFolder(disk, "/full"), {
		code,
		message: 'The folder "/full" is not empty (it holds "a"); name an empty or a new one.',
	});
	const list = async () => Promise.reject(diskError("ENOTDIR"));
	await t.rejects(assertEmpty({ ...disk, list }, "/file"), {
		code,
		message:
			'"/file" is no folder that can be used (ENOTDIR: simulated); name an empty or a new one.',
	});
	await assertEmpty(disk, "/missing");
});

t.test("a folder's own name is synced, unless the folder above is closed to us", async (t) => {
	const disk = createFakeDisk();
	await syncOwnName(disk, "/a/b");
	t.same(disk.operations, [{ name: "syncFolder", path: "/a" }]);
	disk.judge = () => ({ error: diskError("EACCES") });
	await syncOwnName(disk, "/a/b");
	disk.judge = () => ({ error: diskError("EIO") });
	await t.rejects(syncOwnName(disk, "/a/b"), { code: "EIO" });
});

t.test("what is no backup, or another one, is distinguished from a damaged one", async (t) => {
	const { disk } = await backUp();
	const code = "INVALID_ARGUMENT";
	await t.rejects(readManifest(disk, "/nowhere", KIND), {
		code,
		message:
			'"/nowhere" is no whole backup: it has no manifest.json, which is written last. Use another backup.',
	});
	const read = async () => Promise.reject(diskError("ENOTDIR"));
	await t.rejects(readManifest({ ...disk, read }, BACKUP, KIND), {
		code,
		message: `"${MANIFEST}" cannot be read (ENOTDIR: simulated); name the folder of a backup.`,
	});
	for (const other of [
		{ ...KIND, kind: "another" },
		{ ...KIND, version: 1 },
	]) {
		await t.rejects(readManifest(disk, BACKUP, other), {
			code,
			message: `"${BACKUP}" holds a "a kind" backup of version 2; this command restores "${other.kind}" of version ${other.version}. Use the tollgraph that made it.`,
		});
	}
});

t.test("a manifest of which a byte, or a fact, is wrong is damaged", async (t) => {
	const { disk } = await backUp();
	const spoiled = {
		code: "UNAVAILABLE",
		retryable: false,
		message: damage(MANIFEST, "its contents are not what was backed up"),
	};
	const bytes = (await disk.read(MANIFEST)) ?? Buffer.alloc(0);
	for (const text of [
		"",
		"{}",
		String(bytes).slice(0, -1),
		`${bytes} `,
		String(bytes).replace("mark", "nark"),
	]) {
		disk.edit(MANIFEST, () => Buffer.from(text));
		await t.rejects(readManifest(disk, BACKUP, KIND), spoiled);
	}
	const wrong: readonly [string, string][] = [
		['"2026-03-01T12:00:00.000Z"', '"today"'],
		['"2026-03-01T12:00:00.000Z"', "5"],
		['"sequence":3', '"sequence":-1'],
		['"sequence":3', '"sequence":"3"'],
		['"transactions":0', '"transactions":0.5'],
		['"files":[', '"fills":['],
		['"files":[', '"files":[null,'],
		['"files":[', '"files":[{},'],
		['"segments/a"', '"segments/../a"'],
		['"segments/a"', '"./a"'],
		['"segments/a"', '"segments//a"'],
		['"segments/a"', '"/segments"'],
		['"segments/a"', '"segments\\\\a"'],
		['"segments/a"', '"segments\\u0000a"'],
		['"segments/a"', "7"],
		['"bytes":4,', '"bytes":-4,'],
		['"bytes":4,"sha256":"', '"bytes":4,"sha":"'],
		["{", "{{"],
	];
	for (const [from, to] of wrong) {
		disk.edit(MANIFEST, () => bytes);
		rewrite(disk, (text) => text.replace(from, to));
		await t.rejects(readManifest(disk, BACKUP, KIND), spoiled, `${from} as ${to}`);
	}
	disk.edit(MANIFEST, () => bytes);
	rewrite(disk, (text) => text.replace('"sequence":3', '"sequence":0'));
	t.match(await readManifest(disk, BACKUP, KIND), { sequence: 0 });
	disk.edit(MANIFEST, () => Buffer.from(`null,"crc32":"${crc32("null").toString(16)}"}\n`));
	await t.rejects(readManifest(disk, BACKUP, KIND), spoiled);
});

t.test("files are copied to the same places, checked and synced, innermost first", async (t) => {
	const { disk } = await backUp();
	const manifest = await readManifest(disk, BACKUP, KIND);
	let files = 0;
	const onFile = () => {
		files += 1;
	};
	const from = disk.operations.length;
	await copyChecked(disk, { from: BACKUP, to: "/to", manifest, onFile });
	t.equal(files, 3);
	t.equal(String(await disk.read("/to/documents/7/b")), "0123456789");
	t.equal(String(await disk.read("/to/segments/a")), "0123");
	t.equal(String(await disk.read("/to/mark")), "mark");
	const synced = disk.operations.slice(from).filter(({ name }) => name === "syncFolder");
	t.same(
		synced.map(({ path }) => path),
		["/to/documents/7", "/to/documents", "/to/segments", "/to"],
	);
	await copyChecked(disk, { from: BACKUP, to: "/again", manifest });
	t.equal(String(await disk.read("/again/mark")), "mark");
});

t.test("a file that is not what was backed up is named, with what is wrong", async (t) => {
	const { disk } = await backUp();
	const manifest = await readManifest(disk, BACKUP, KIND);
	const path = `${BACKUP}/mark`;
	const [file] = manifest.files.filter((one) => one.path === "mark");
	if (!file) throw new Error("The mark is missing.");
	const copy = (to: string) => copyChecked(disk, { from: BACKUP, to, manifest });
	await assertUnspoiled(disk, BACKUP, file);
	disk.edit(path, () => Buffer.from("bark"));
	const changed = { message: damage(path, "its contents are not what was backed up") };
	await t.rejects(copy("/a"), changed);
	await t.rejects(assertUnspoiled(disk, BACKUP, file), changed);
	disk.edit(path, () => Buffer.from("marks"));
	await t.rejects(copy("/b"), { message: damage(path, "it has 5 bytes instead of 4") });
	await disk.remove(path);
	const missing = { message: damage(path, "the file is missing") };
	await t.rejects(copy("/c"), missing);
	await t.rejects(assertUnspoiled(disk, BACKUP, file), missing);
});

t.test("a file that goes while it is restored is no longer what was backed up", async (t) => {
	const { disk } = await backUp();
	const manifest = await readManifest(disk, BACKUP, KIND);
	const going = { ...disk, openForReading: async () => undefined };
	await t.rejects(copyChecked(going, { from: BACKUP, to: "/to", manifest }), {
		message: damage(`${BACKUP}/segments/a`, "its contents are not what was backed up"),
	});
});
