import { existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { ServiceError } from "../../src/kernel/errors.js";
import { systemRandom as random } from "../../src/kernel/ids.js";
import { buildBeside, removeTree } from "../../store/journal/built-beside.js";
import { type FileSystem, nodeFileSystem } from "../../store/journal/file-system.js";
import { seededRandom } from "../support/seeded-random.js";
import { times } from "../support/times.js";
import { createFakeDisk, diskError } from "./fake-disk.js";

const write = (folder: string, name: string, text = name) => {
	writeFileSync(join(folder, name), text);
};

t.test("a tree is removed without a look through its links", async (t) => {
	const root = t.testdir({ live: { "a.txt": "books" }, tree: { below: {} } });
	symlinkSync(join(root, "live"), join(root, "tree", "below", "journal"));
	symlinkSync(join(root, "nowhere"), join(root, "tree", "dangling"));
	await removeTree(nodeFileSystem, join(root, "tree"));
	t.same(readdirSync(root), ["live"]);
	t.same(readdirSync(join(root, "live")), ["a.txt"]);
	symlinkSync(join(root, "live"), join(root, "link"));
	await removeTree(nodeFileSystem, join(root, "link"));
	t.same(readdirSync(join(root, "live")), ["a.txt"], "nor through the first");
});

t.test("a folder that somebody fills meanwhile is his, whatever becomes of ours", async (t) => {
	const root = t.testdir({});
	const place = join(root, "place");
	for (const fails of [true, false]) {
		const made = buildBeside({ fileSystem: nodeFileSystem, random }, place, async (folder) => {
			write(folder, "ours");
			mkdirSync(place, { recursive: true });
			write(place, "theirs");
			if (fails) throw diskError("ENOSPC");
		});
		await t.rejects(made, { code: fails ? "UNAVAILABLE" : "INVALID_ARGUMENT" });
		t.same(readdirSync(root), ["place"]);
		t.same(readdirSync(place), ["theirs"]);
		await removeTree(nodeFileSystem, place);
	}
});

t.test("of several that make one folder exactly one does, and it is whole", async (t) => {
	const root = t.testdir({});
	const place = join(root, "2026", "11", "21");
	const makers = times(5, (index) =>
		buildBeside({ fileSystem: nodeFileSystem, random }, place, async (folder) => {
			for (const name of ["a", "b", "c"]) write(folder, name, String(index));
		}),
	);
	const outcomes = await Promise.allSettled(makers);
	t.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
	t.same(readdirSync(place), ["a", "b", "c"]);
	t.same(readdirSync(join(root, "2026", "11")), ["21"], "nothing is left beside it");
});

t.test("a folder is for its owner only, and takes the place of an empty one", async (t) => {
	const root = t.testdir({ empty: {} });
	await buildBeside({ fileSystem: nodeFileSystem, random }, join(root, "empty"), async (folder) => {
		write(folder, "a");
	});
	t.equal(lstatSync(join(root, "empty")).mode & 0o777, 0o700);
	t.same(readdirSync(root), ["empty"]);
});

t.test("a link is not replaced, and what it leads to is named", async (t) => {
	const root = t.testdir({ real: {} });
	symlinkSync(join(root, "real"), join(root, "link"));
	const made = buildBeside(
		{ fileSystem: nodeFileSystem, random },
		join(root, "link"),
		async () => undefined,
	);
	await t.rejects(made, { code: "INVALID_ARGUMENT", message: /is a link/ });
	t.ok(lstatSync(join(root, "link")).isSymbolicLink());
});

t.test(
	"where a disk is mounted nothing is begun, and a folder within it is asked for",
	async (t) => {
		t.equal(await nodeFileSystem.isMountPoint(t.testdir({})), false);
		t.equal(await nodeFileSystem.isMountPoint("/nowhere at all"), false);
		if (existsSync("/proc/self")) t.equal(await nodeFileSystem.isMountPoint("/proc"), true);
		const disk = createFakeDisk();
		await disk.makeFolder("/mnt/disk");
		const fileSystem = { ...disk, isMountPoint: async (folder: string) => folder === "/mnt/disk" };
		const made = buildBeside({ fileSystem, random }, "/mnt/disk", async () => t.fail("begun"));
		await t.rejects(made, { code: "INVALID_ARGUMENT", message: /mounted.*within it/ });
		await buildBeside({ fileSystem, random }, "/mnt/disk/copy", async () => undefined);
		t.equal(await disk.kindOf("/mnt/disk/copy"), "folder");
	},
);

t.test("a failure leaves an empty folder and a missing one as they were", async (t) => {
	const root = t.testdir({ empty: {} });
	const failing: FileSystem = {
		...nodeFileSystem,
		rename: async () => Promise.reject(diskError("EBUSY")),
	};
	for (const name of ["empty", "new/below/it"]) {
		const made = buildBeside({ fileSystem: failing, random }, join(root, name), async (folder) => {
			write(folder, "a");
		});
		await t.rejects(made, { code: "UNAVAILABLE", message: /mount point/ });
		t.same(readdirSync(root), ["empty"]);
	}
	t.ok(existsSync(join(root, "empty")));
});

t.test("where nothing is renamed over an empty folder, that folder is put back", async (t) => {
	for (const isRefused of [true, false]) {
		const disk = createFakeDisk();
		await disk.makeFolder("/place");
		const windows: FileSystem = {
			...disk,
			async rename(from, to) {
				if ((await disk.kindOf(to)) !== undefined) throw diskError("EPERM");
				if (isRefused) throw diskError("EACCES");
				return disk.rename(from, to);
			},
		};
		const made = buildBeside({ fileSystem: windows, random }, "/place", async (folder) => {
			await disk.open(join(folder, "a"), "create");
		});
		if (isRefused) await t.rejects(made, { code: "UNAVAILABLE", message: /EACCES/ });
		else await made;
		t.equal(await disk.kindOf("/place"), "folder");
		t.same(disk.files(), isRefused ? [] : ["/place/a"]);
		t.same(await disk.list("/"), ["place"]);
	}
});

t.test("a folder in place is not taken back, and doubt about its name is reported", async (t) => {
	const disk = createFakeDisk();
	const doubtful: FileSystem = {
		...disk,
		async syncFolder(path) {
			if ((await disk.kindOf("/place")) === "folder") throw diskError("EIO");
			return disk.syncFolder(path);
		},
	};
	const made = buildBeside({ fileSystem: doubtful, random }, "/place", async (folder) => {
		await disk.open(join(folder, "a"), "create");
	});
	await t.rejects(made, { message: /"\/place" is in place, whole, but .* power cut/ });
	t.same(disk.files(), ["/place/a"]);
});

t.test("what cannot be removed after a failure is named", async (t) => {
	const disk = createFakeDisk();
	const stuck: FileSystem = { ...disk, remove: async () => Promise.reject(diskError("EIO")) };
	const made = buildBeside({ fileSystem: stuck, random }, "/place", async () => {
		throw diskError("ENOSPC");
	});
	await t.rejects(made, { message: /left in "\/place\.making-[0-9a-f]{12}".*delete it/ });
});

t.test("a folder in place survives a power cut, with the new ones above it", async (t) => {
	const disk = createFakeDisk();
	await buildBeside({ fileSystem: disk, random }, "/2026/11/21", async (folder) => {
		const file = await disk.open(join(folder, "a"), "create");
		await file.writeDurably(Buffer.from("a"), 0);
	});
	for (const seed of times(40, (index) => index)) {
		t.same(disk.afterPowerCut(seededRandom(seed)).files(), ["/2026/11/21/a"]);
	}
});

t.test("the disk of these tests forgets what was not synced", async (t) => {
	const found = new Set<string>();
	for (const seed of times(40, (index) => index)) {
		const disk = createFakeDisk();
		await disk.makeFolder("/one/two");
		const file = await disk.open("/one/two/a", "create");
		await file.writeDurably(Buffer.from("a"), 0);
		await disk.syncFolder("/one/two");
		await disk.syncFolder("/one");
		if (seed % 2 === 0) {
			await disk.syncFolder("/");
			await disk.rename("/one", "/other");
		}
		found.add(`${seed % 2}: ${disk.afterPowerCut(seededRandom(seed)).files()}`);
	}
	t.same(
		[...found].sort(),
		["0: /one/two/a", "0: /other/two/a", "1: ", "1: /one/two/a"],
		"a folder's name, and its new name",
	);
});

t.test("a folder above that another process makes first is its own", async (t) => {
	for (const fails of [false, true]) {
		const disk = createFakeDisk();
		const racing: FileSystem = {
			...disk,
			async makeNewFolder(path) {
				await disk.makeNewFolder(path);
				if (path === "/2026") throw diskError("EEXIST");
			},
		};
		const made = buildBeside({ fileSystem: racing, random }, "/2026/11/21", async () => {
			if (fails) throw diskError("ENOSPC");
		});
		if (fails) await t.rejects(made, { code: "UNAVAILABLE" });
		else await made;
		t.same(await disk.list("/"), ["2026"]);
		t.same(await disk.list("/2026"), fails ? [] : ["11"]);
	}
});

t.test("a folder above that cannot be made is reported, with what to do", async (t) => {
	const disk = createFakeDisk();
	const closed: FileSystem = {
		...disk,
		makeNewFolder: async () => Promise.reject(diskError("EACCES")),
	};
	const made = buildBeside({ fileSystem: closed, random }, "/2026/11", async () => undefined);
	await t.rejects(made, {
		...{ code: "UNAVAILABLE", retryable: true },
		message:
			'"/2026/11" could not be made (EACCES: simulated). It is built beside and renamed, so the folder above must be writable and have room; a mount point itself cannot be renamed: name a folder within it.',
	});
	t.same(await disk.list("/"), []);
});

t.test("only where the system renames over no folder it is tried again", async (t) => {
	for (const [code, tries] of [
		["EBUSY", 1],
		["EPERM", 2],
	] as const) {
		const disk = createFakeDisk();
		let renames = 0;
		const failing: FileSystem = {
			...disk,
			async rename() {
				renames += 1;
				throw diskError(code);
			},
		};
		const made = buildBeside({ fileSystem: failing, random }, "/place", async () => undefined);
		await t.rejects(made, { message: new RegExp(`could not be made \\(${code}: simulated\\)`) });
		t.equal(renames, tries, code);
		t.same(await disk.list("/"), [], "no folder was there, and none is left");
	}
});

t.test("a place that cannot be asked whether a disk is mounted there is none", async (t) => {
	const disk = createFakeDisk();
	const unasked: FileSystem = {
		...disk,
		kindOf: (path) => (path === "/place" ? Promise.reject(diskError("EACCES")) : disk.kindOf(path)),
		isMountPoint: async () => Promise.reject(diskError("EACCES")),
	};
	t.equal(
		await buildBeside({ fileSystem: unasked, random }, "/place", async () => "built"),
		"built",
	);
});

t.test("what the builder refuses keeps its words, and what is left is added", async (t) => {
	const refusal = new ServiceError("INVALID_ARGUMENT", "No such backup.", { retryable: true });
	for (const isStuck of [false, true]) {
		const disk = createFakeDisk();
		const remove = async () => Promise.reject(diskError("EIO"));
		const fileSystem: FileSystem = { ...disk, ...(isStuck && { remove }) };
		const made = buildBeside({ fileSystem, random }, "/place", async () => {
			throw refusal;
		});
		const error: unknown = await made.catch((thrown: unknown) => thrown);
		if (!isStuck) t.equal(error, refusal);
		t.match(error, {
			...{ code: "INVALID_ARGUMENT", retryable: true },
			message: isStuck
				? /^No such backup\. What was written is left in "\/place\.making-[0-9a-f]{12}" \(EIO: simulated\): delete it\.$/
				: "No such backup.",
		});
	}
});
