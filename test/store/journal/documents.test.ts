import t from "tap";
import { openDocuments } from "../../../store/journal/documents.js";
import type { FileSystem } from "../../../store/journal/file-system.js";
import { createGate } from "../../support/gate.js";
import { createFakeDisk, diskError, type FakeDisk } from "../fake-disk.js";
import { START_MS, stillClock } from "../open-test-store.js";
import { turns, watch } from "./timed-clock.js";

const FOLDER = "/documents";
const HOUR_MS = 3_600_000;
const HOUR = START_MS / HOUR_MS;
const pathOf = (id: string, expiresAt: number) =>
	`${FOLDER}/${Math.floor(expiresAt / HOUR_MS)}/${id}.${expiresAt}`;

async function openOn(disk: FakeDisk, changes: Partial<FileSystem> = {}) {
	const clock = stillClock();
	const fileSystem = { ...disk, ...changes };
	return { clock, documents: await openDocuments({ fileSystem, clock, folder: FOLDER }) };
}

t.test("a text is in its hour's folder, and its names are on the disk", async (t) => {
	const disk = createFakeDisk();
	const { documents } = await openOn(disk);
	t.same(disk.operations, [{ name: "syncFolder", path: FOLDER }]);
	await documents.put("a_-1", "text ✓", START_MS + 1);
	const path = pathOf("a_-1", START_MS + 1);
	t.same(disk.files(), [path]);
	t.equal(path, `${FOLDER}/${HOUR}/a_-1.${START_MS + 1}`);
	t.equal(String(await disk.read(path)), "text ✓");
	const steps = disk.operations.slice(1).map(({ name, path }) => `${name} ${path}`);
	const [made, place] = [`${FOLDER}/new/0`, `${FOLDER}/${HOUR}`];
	t.same(steps, [
		`syncFolder ${FOLDER}`,
		`create ${made}`,
		`write ${made}`,
		`sync ${made}`,
		`rename ${path}`,
		`syncFolder ${place}`,
	]);
	t.same(documents.ids(), ["a_-1"]);
	await documents.delete("a_-1");
	t.same(disk.files(), []);
	t.same(documents.ids(), []);
	t.same(disk.operations.at(-1), { name: "syncFolder", path: place });
	const { length } = disk.operations;
	await documents.delete("a_-1");
	t.equal(disk.operations.length, length, "what is not there needs no deletion");
});

t.test("a text is shown up to its end, and swept after it", async (t) => {
	const disk = createFakeDisk();
	const { documents, clock } = await openOn(disk);
	await documents.put("doc", "text", START_MS + 10);
	clock.set(START_MS + 9);
	t.equal(await documents.get("doc"), "text");
	clock.set(START_MS + 10);
	t.equal(await documents.get("doc"), undefined);
	t.equal(await documents.open("doc", START_MS + 10), undefined);
	const opened = await documents.open("doc", START_MS + 9);
	t.equal(opened?.path, `${HOUR}/doc.${START_MS + 10}`);
	t.equal(opened?.file.bytes, 4);
	t.equal(await documents.open("missing", 0), undefined);
	t.equal(await documents.sweep(START_MS + 10), 0);
	t.equal(disk.files().length, 1);
	t.equal(await documents.sweep(START_MS + 11), 1);
	t.same(disk.files(), []);
});

t.test("of a text written again one file stays, also in the same hour", async (t) => {
	const disk = createFakeDisk();
	const { documents } = await openOn(disk);
	for (const expiresAt of [START_MS + 5, START_MS + 9, START_MS + HOUR_MS, START_MS + 1]) {
		await documents.put("doc", `until ${expiresAt}`, expiresAt);
		t.same(disk.files(), [pathOf("doc", expiresAt)]);
		t.equal(await documents.get("doc"), `until ${expiresAt}`);
	}
	await documents.put("doc", "again", START_MS + 1);
	t.equal(await documents.get("doc"), "again");
	t.equal(disk.files().length, 1);
});

t.test("an hour's folder goes once it is over and empty", async (t) => {
	const disk = createFakeDisk();
	const { documents } = await openOn(disk);
	await documents.put("doc", "text", START_MS + 1);
	await documents.put("late", "text", START_MS + 2 * HOUR_MS);
	await documents.delete("doc");
	await disk.makeFolder(`${FOLDER}/notes`);
	const folders = async () => await disk.list(FOLDER);
	await documents.sweep(START_MS + HOUR_MS - 1);
	t.ok((await folders()).includes(`${HOUR}`), "not over yet");
	await documents.sweep(START_MS + HOUR_MS);
	t.same(await folders(), [`${HOUR + 2}`, "new", "notes"]);
	const file = await disk.open(`${FOLDER}/${HOUR + 2}/somebody's`, "create");
	await file.close();
	await documents.sweep(START_MS + 9 * HOUR_MS);
	t.same(await folders(), [`${HOUR + 2}`, "new", "notes"], "what holds something stays");
});

t.test("what a crash left is put in order, and what is not ours is left alone", async (t) => {
	const text = (words: string) => Buffer.from(words);
	const strange = [
		`${FOLDER}/${HOUR}/.hidden.5`,
		`${FOLDER}/${HOUR}/n0.5x`,
		`${FOLDER}/${HOUR}/-n.5`,
		`${FOLDER}/notes/n1.7`,
		`${FOLDER}/12345678901/n2.8`,
		`${FOLDER}/x${HOUR}/n3.9`,
	];
	const [early, late] = [START_MS + 1, START_MS + HOUR_MS];
	const kept = [pathOf("doc", late), pathOf("other", late), pathOf("single", early)];
	const lost = [`${FOLDER}/new/3`, pathOf("doc", early), pathOf("other", late + 0 - HOUR_MS)];
	const files = new Map([...strange, ...kept, ...lost].map((path) => [path, text(path)]));
	const folders = [`${HOUR}`, `${HOUR + 1}`, "new", "notes", "12345678901", `x${HOUR}`];
	const disk = createFakeDisk(
		files,
		new Set([FOLDER, ...folders.map((name) => `${FOLDER}/${name}`)]),
	);
	const { documents } = await openOn(disk);
	t.same([...documents.ids()].sort(), ["doc", "other", "single"]);
	t.same(disk.files(), [...strange, ...kept].sort());
	t.equal(await documents.get("doc"), pathOf("doc", late));
	await documents.delete("doc");
	t.notOk(disk.files().includes(pathOf("doc", late)));
});

t.test("no id and no time is taken that could not be found again", async (t) => {
	const disk = createFakeDisk();
	const { documents } = await openOn(disk);
	const long = "x".repeat(129);
	const sentence = (id: string) =>
		`"${id}" cannot name a document; use 1 to 128 letters, digits, hyphens and underscores.`;
	for (const [id, shown] of [
		["", ""],
		["_a", "_a"],
		["a b", "a b"],
		["a/../b", "a/../b"],
		[long, "x".repeat(80)],
	] as const) {
		await t.rejects(documents.get(id), { code: "INVALID_ARGUMENT", message: sentence(shown) });
	}
	for (const time of [-1, 0.5, Number.NaN, 2 ** 53]) {
		const message = `A document cannot expire at "${time}".`;
		await t.rejects(documents.put("doc", "x", time), { code: "INVALID_ARGUMENT", message });
	}
	t.same(disk.files(), []);
	await documents.put("x".repeat(128), "text", 0);
	t.equal(disk.files().length, 1);
});

t.test("a disk that fails says which text it was, and the next call is tried", async (t) => {
	const disk = createFakeDisk();
	const { documents } = await openOn(disk, {
		read: (path) => (path.includes("/bad.") ? Promise.reject(diskError("EIO")) : disk.read(path)),
	});
	await documents.put("bad", "text", START_MS + 9);
	await documents.put("good", "text", START_MS + 9);
	const message =
		'The document "bad" could not be read or written (EIO: simulated). Try again in a moment.';
	const cause = { code: "EIO" };
	await t.rejects(documents.get("bad"), { code: "UNAVAILABLE", retryable: true, message, cause });
	t.equal(await documents.get("good"), "text");
	await documents.delete("bad");
	t.equal(await documents.get("bad"), undefined);
});

t.test("an hour's folder that is gone is no failure of a deletion, any other is", async (t) => {
	for (const code of ["ENOENT", "EIO"]) {
		const disk = createFakeDisk();
		const { documents } = await openOn(disk);
		await documents.put("doc", "text", START_MS + 9);
		disk.judge = ({ name }) => (name === "syncFolder" ? { error: diskError(code) } : "work");
		const deleted = documents.delete("doc");
		if (code === "ENOENT") await deleted;
		else await t.rejects(deleted, { code: "UNAVAILABLE", message: /EIO/ });
		t.same(disk.files(), []);
	}
});

t.test("what is done with one text waits for its turn, other texts do not", async (t) => {
	const disk = createFakeDisk();
	const gate = createGate();
	const { documents } = await openOn(disk, {
		async rename(from, to) {
			if (to.includes("/slow.")) await gate.pass();
			return disk.rename(from, to);
		},
	});
	const put = watch(documents.put("slow", "text", START_MS + 9));
	const got = documents.get("slow");
	const seen = watch(got);
	await documents.put("other", "text", START_MS + 9);
	t.same([put(), seen()], ["pending", "pending"]);
	const closed = watch(documents.close());
	await turns();
	t.equal(closed(), "pending");
	gate.open();
	t.equal(await got, "text");
	await turns();
	t.equal(closed(), "resolved");
	const refusal = { code: "UNAVAILABLE", message: /no more changes \(it is closed\)/ };
	await t.rejects(documents.put("doc", "text", START_MS + 9), refusal);
	await t.rejects(documents.delete("slow"), refusal);
	await t.rejects(documents.sweep(0), refusal);
	t.equal(await documents.get("slow"), "text", "reading goes on");
});

t.test("closing waits for a sweep under way", async (t) => {
	const disk = createFakeDisk();
	const gate = createGate();
	let isSlow = false;
	const { documents } = await openOn(disk, {
		async list(folder) {
			if (isSlow) await gate.pass();
			return disk.list(folder);
		},
	});
	isSlow = true;
	const swept = watch(documents.sweep(0));
	await gate.arrived;
	const closed = watch(documents.close());
	await turns();
	t.equal(closed(), "pending");
	gate.open();
	await turns();
	t.same([swept(), closed()], ["resolved", "resolved"]);
});

t.test("a sweep leaves what is being written, and removes what a failure left", async (t) => {
	const disk = createFakeDisk();
	const gate = createGate();
	let begin: (() => void) | undefined;
	const { documents } = await openOn(disk, {
		async list(folder) {
			if (folder.endsWith("/new")) {
				begin?.();
				if (begin) await gate.arrived;
			}
			return disk.list(folder);
		},
		async rename(from, to) {
			await gate.pass();
			return disk.rename(from, to);
		},
	});
	await (await disk.open(`${FOLDER}/new/99`, "create")).close();
	let put: Promise<void> | undefined;
	begin = () => {
		put = documents.put("doc", "text", START_MS + 9);
	};
	t.equal(await documents.sweep(0), 0);
	t.same(disk.files(), [`${FOLDER}/new/0`]);
	gate.open();
	await put;
	t.equal(await documents.get("doc"), "text");
	t.same(disk.files(), [pathOf("doc", START_MS + 9)]);
});

t.test("what a failure left of a text goes with the next sweep", async (t) => {
	const disk = createFakeDisk();
	let isStuck = false;
	const { documents } = await openOn(disk, {
		remove: (path) => (isStuck ? Promise.reject(diskError("EIO")) : disk.remove(path)),
	});
	disk.judge = ({ name, path }) =>
		name === "syncFolder" && path !== FOLDER ? { error: diskError("EIO") } : "work";
	await t.rejects(documents.put("doc", "text", START_MS + 9), { message: /EIO/ });
	t.same(disk.files(), [pathOf("doc", START_MS + 9)], "in place, and not known to be");
	t.equal(await documents.get("doc"), undefined);
	disk.judge = () => "work";
	t.equal(await documents.sweep(0), 0);
	t.same(disk.files(), []);
	disk.judge = ({ name }) => {
		isStuck = isStuck || name === "sync";
		return name === "sync" ? { error: diskError("EIO") } : "work";
	};
	await t.rejects(documents.put("doc", "text", START_MS + 9), { message: /EIO/ });
	t.same(disk.files(), [`${FOLDER}/new/1`]);
	disk.judge = () => "work";
	isStuck = false;
	await documents.sweep(0);
	t.same(disk.files(), []);
});

t.test("three calls for one text go one after the other", async (t) => {
	const disk = createFakeDisk();
	const gates = [createGate(), createGate(), createGate()];
	let reads = 0;
	const { documents } = await openOn(disk, {
		async read(path) {
			reads += 1;
			await gates[reads - 1]?.pass();
			return disk.read(path);
		},
	});
	await documents.put("doc", "text", START_MS + 9);
	const first = documents.get("doc");
	const second = documents.get("doc");
	await gates[0]?.arrived;
	gates[0]?.open();
	await first;
	await turns();
	const third = documents.get("doc");
	await turns();
	t.equal(reads, 2);
	gates[1]?.open();
	gates[2]?.open();
	t.same([await second, await third], ["text", "text"]);
});
