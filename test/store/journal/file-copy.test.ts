import { createHash } from "node:crypto";
import t from "tap";
import { assertSpace, copyOpened, hashFile, withFile } from "../../../store/journal/file-copy.js";
import type { FileSystem, ReadableFile } from "../../../store/journal/file-system.js";
import { createFakeDisk, diskError } from "../fake-disk.js";

const KIB = 1024;
const MIB = KIB * KIB;
const PART = 256 * KIB;
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
const TEXT = Buffer.alloc(2 * PART + 5, "some text ");

async function source(changes: Partial<ReadableFile> = {}) {
	const disk = createFakeDisk(new Map([["/from", TEXT]]));
	const opened = await disk.openForReading("/from");
	if (!opened) throw new Error("There is no such file.");
	const parts: number[] = [];
	const read = (position: number, length: number) => {
		parts.push(length);
		return opened.read(position, length);
	};
	let closed = 0;
	const fileSystem: FileSystem = {
		...disk,
		async open(path, how) {
			const file = await disk.open(path, how);
			const close = async () => {
				closed += 1;
			};
			return { ...file, close };
		},
	};
	return { disk, fileSystem, file: { ...opened, read, ...changes }, parts, closed: () => closed };
}

t.test("a file is copied in parts, synced and closed", async (t) => {
	const { disk, fileSystem, file, parts, closed } = await source();
	let asked = 0;
	const onPart = () => {
		asked += 1;
	};
	const copied = await copyOpened(fileSystem, file, { to: "/to", onPart });
	t.same(copied, { bytes: TEXT.length, sha256: sha256(TEXT) });
	t.ok((await disk.read("/to"))?.equals(TEXT));
	t.same(parts, [PART, PART, 5, 1], "the last one looks whether it has grown");
	t.equal(asked, 3);
	t.same(
		disk.operations.map(({ name }) => name),
		["create", "write", "write", "write", "sync"],
	);
	t.equal(closed(), 1);
});

t.test("of a file that grows its first bytes are copied", async (t) => {
	const { disk, fileSystem, file, parts } = await source();
	const copied = await copyOpened(fileSystem, file, { to: "/to", bytes: 9 });
	t.same(copied, { bytes: 9, sha256: sha256(TEXT.subarray(0, 9)) });
	t.same(parts, [9]);
	t.equal(String(await disk.read("/to")), "some text");
	const none = await copyOpened(fileSystem, file, { to: "/none", bytes: 0 });
	t.same(none, { bytes: 0, sha256: sha256(Buffer.alloc(0)) });
	t.equal(await disk.size("/none"), 0);
});

t.test("a file that is shorter or longer than it was makes no copy", async (t) => {
	const longer = await source({ bytes: 9 });
	await t.rejects(copyOpened(longer.fileSystem, longer.file, { to: "/to" }), {
		message: 'what became "/to" has grown beyond 9 bytes while it was copied',
	});
	t.equal(longer.closed(), 1);
	const bytes = TEXT.length + 1;
	const shorter = await source({ bytes });
	await t.rejects(copyOpened(shorter.fileSystem, shorter.file, { to: "/to" }), {
		message: `a file ends after ${TEXT.length} of ${bytes} bytes`,
	});
	t.equal(shorter.closed(), 1);
	const stopped = await source();
	const onPart = () => {
		throw new Error("the store is closed");
	};
	await t.rejects(copyOpened(stopped.fileSystem, stopped.file, { to: "/to", onPart }), {
		message: "the store is closed",
	});
	t.equal(await stopped.disk.size("/to"), 0);
	t.equal(stopped.closed(), 1);
});

t.test("a file is hashed whole, and one that is missing is none", async (t) => {
	const { disk } = await source();
	t.same(await hashFile(disk, "/from"), { bytes: TEXT.length, sha256: sha256(TEXT) });
	t.equal(await hashFile(disk, "/missing"), undefined);
	let closed = 0;
	const fileSystem: FileSystem = {
		...disk,
		async openForReading(path) {
			const file = await disk.openForReading(path);
			const close = async () => {
				closed += 1;
			};
			return file && { ...file, close };
		},
	};
	t.equal(await withFile(fileSystem, "/from", async ({ bytes }) => bytes), TEXT.length);
	t.equal(await withFile(fileSystem, "/missing", async () => t.fail("there is none")), undefined);
	const failed = withFile(fileSystem, "/from", async () => Promise.reject(diskError("EIO")));
	await t.rejects(failed, { code: "EIO" });
	t.equal(closed, 2);
});

t.test("what is to be copied must fit, with a reserve, to the byte", async (t) => {
	const BESIDE = 8 * KIB;
	const at = (free: number, total: number, bytes = MIB, files = 2) =>
		assertSpace({ space: async () => ({ free, total }) }, "/backup", { bytes, files });
	const large = 10_000 * MIB;
	const needed = MIB + 2 * BESIDE;
	await at(64 * MIB + needed, large);
	await t.rejects(at(64 * MIB + needed - 1, large), {
		code: "UNAVAILABLE",
		message:
			'No backup was made: the disk of "/backup" has 65.0 MiB free; what is still to be copied takes 1.0 MiB, and 64.0 MiB must stay free so that a service on that disk goes on. Free some space or name a folder on another disk, and run it again.',
	});
	await at(5 * MIB + needed, 100 * MIB);
	await t.rejects(at(5 * MIB + needed - 1, 100 * MIB), { message: /5\.0 MiB must stay free/ });
	await at(5 * MIB, 100 * MIB, 0, 0);
	await assertSpace({ space: async () => undefined }, "/backup", { bytes: MIB, files: 1 });
});
