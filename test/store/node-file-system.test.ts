import { chmod, mkdir, readFile, stat, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import {
	nodeFileSystem as disk,
	replaceFile,
	writeDurably,
	writeFully,
} from "../../store/journal/file-system.js";

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
const isLinux = process.platform === "linux";

t.test("folders and files are made for their owner alone, and once", async (t) => {
	const folder = join(t.testdir({}), "a", "b");
	await disk.makeFolder(folder);
	await disk.makeFolder(folder);
	t.equal(await modeOf(folder), 0o700);
	await t.rejects(disk.makeNewFolder(folder), { code: "EEXIST" });
	await disk.makeNewFolder(join(folder, "c"));
	t.equal(await modeOf(join(folder, "c")), 0o700);
	const path = join(folder, "file");
	await t.rejects(disk.open(path, "existing"), { code: "ENOENT" });
	const file = await disk.open(path, "create");
	t.equal(await modeOf(path), 0o600);
	await t.rejects(disk.open(path, "create"), { code: "EEXIST" });
	await file.close();
	await (await disk.open(path, "existing")).close();
	t.same(await disk.list(folder), ["c", "file"], "sorted");
	t.same(await disk.list(join(folder, "missing")), []);
});

t.test("what is written durably and what is not stands where it was put", async (t) => {
	const path = join(t.testdir({}), "file");
	const file = await disk.open(path, "create");
	await writeFully(file, Buffer.from("0123456789"), 0);
	await writeDurably(file, Buffer.from("ab"), 3);
	t.equal(await file.write(Buffer.from("Z"), 9), 1);
	t.equal(await file.writeDurably(Buffer.from("Y"), 8), 1);
	await file.sync();
	t.equal(await readFile(path, "utf8"), "012ab567YZ");
	await file.truncate(4);
	t.equal(await disk.size(path), 4);
	await file.close();
	await t.rejects(file.sync(), { code: "EBADF" });
	const short = { ...file, write: async () => 1, writeDurably: async () => 0 };
	await t.rejects(writeFully(short, Buffer.from("ab"), 0), { message: /1 of 2 bytes/ });
	await t.rejects(writeDurably(short, Buffer.from("ab"), 0), { message: /0 of 2 bytes/ });
});

t.test("reading goes as far as there is something, of the file that was opened", async (t) => {
	const folder = t.testdir({ file: "0123456789" });
	const [path, missing] = [join(folder, "file"), join(folder, "missing")];
	t.equal(String(await disk.readPart(path, 2, 3)), "234");
	t.equal(String(await disk.readPart(path, 8, 10)), "89");
	t.equal((await disk.readPart(path, 20, 5)).length, 0);
	t.equal(String(await disk.read(path)), "0123456789");
	t.equal(await disk.read(missing), undefined);
	t.equal(await disk.size(missing), undefined);
	t.equal(await disk.openForReading(missing), undefined);
	await t.rejects(disk.readPart(missing, 0, 1), { code: "ENOENT" });
	const file = await disk.openForReading(path);
	t.equal(file?.bytes, 10);
	await unlink(path);
	await writeFile(path, "another one");
	t.equal(String(await file?.read(5, 20)), "56789", "the same one to its end");
	await file?.close();
	await t.rejects(async () => file?.read(0, 1), { code: "EBADF" });
});

t.test("names are told apart and removed alone", async (t) => {
	const folder = t.testdir({ file: "x", full: { inside: "y" }, empty: {} });
	const at = (name: string) => join(folder, name);
	await symlink(at("full"), at("to-folder"));
	await symlink(at("nowhere"), at("to-nothing"));
	const kinds = ["file", "full", "to-folder", "to-nothing", "missing"].map((name) =>
		disk.kindOf(at(name)),
	);
	t.same(await Promise.all(kinds), ["file", "folder", "link", "link", undefined]);
	await disk.link(at("file"), at("second"));
	await t.rejects(disk.link(at("file"), at("second")), { code: "EEXIST" });
	await disk.rename(at("second"), at("third"));
	t.equal(String(await disk.read(at("third"))), "x");
	await t.rejects(disk.remove(at("full")), { code: /ENOTEMPTY|EEXIST/ });
	for (const name of ["to-folder", "to-nothing", "empty", "file", "third"])
		t.equal(await disk.remove(at(name)), true, name);
	t.equal(await disk.remove(at("file")), false);
	t.same(await disk.list(folder), ["full"]);
	t.equal(await readFile(at("full/inside"), "utf8"), "y", "a link's target is left alone");
	await disk.syncFolder(folder);
});

t.test("the room on a disk is known where the system reports it", async (t) => {
	const folder = t.testdir({});
	const space = await disk.space(folder);
	t.ok(space && space.free > 1_000_000 && space.total >= space.free && space.total < 1e18);
	t.equal(await disk.space(join(folder, "missing")), undefined);
	t.equal(await disk.isMountPoint(folder), false);
	t.equal(await disk.isMountPoint(join(folder, "missing")), false);
	if (isLinux) t.equal(await disk.isMountPoint("/proc"), true);
});

t.test("a file is replaced whole, or stays as it was", async (t) => {
	const folder = t.testdir({ file: "before", beside: "left behind" });
	const [path, temporaryPath] = [join(folder, "file"), join(folder, "beside")];
	const chunks = [Buffer.from("af"), Buffer.from("ter")];
	await replaceFile(disk, { path, temporaryPath, chunks });
	t.equal(await readFile(path, "utf8"), "after");
	const broken = async function* () {
		yield Buffer.from("half");
		throw new Error("The source is gone.");
	};
	const failed = replaceFile(disk, { path, temporaryPath, chunks: broken() });
	await t.rejects(failed, { message: "The source is gone." });
	t.equal(await readFile(path, "utf8"), "after");
	t.same(await disk.list(folder), ["file"], "and nothing lies beside it");
});

t.test(
	"a refusal of the system is no missing file",
	{ skip: process.getuid?.() === 0 && "Root may read everything." },
	async (t) => {
		const folder = join(t.testdir({ closed: { file: "x" } }), "closed");
		await mkdir(join(folder, "in"));
		await chmod(folder, 0o000);
		t.teardown(() => chmod(folder, 0o700));
		await t.rejects(disk.read(join(folder, "file")), { code: "EACCES" });
		await t.rejects(disk.size(join(folder, "file")), { code: "EACCES" });
	},
);
