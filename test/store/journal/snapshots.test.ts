import { crc32 } from "node:zlib";
import t from "tap";
import {
	badSnapshot,
	createSnapshotScheduler,
	readNewestSnapshot,
	type Snapshot,
	snapshotPath,
} from "../../../store/journal/snapshots.js";
import { applyBody, copyState, createState } from "../../../store/journal/state.js";
import { times } from "../../support/times.js";
import { createFakeDisk, diskError } from "../fake-disk.js";
import { posting, tokenRow } from "../open-test-store.js";
import { openLog } from "./open-log.js";
import { turns } from "./timed-clock.js";

const FOLDER = "/snapshots";
const HOUR_MS = 3_600_000;
const [DUE, DUE_AT_CLOSE] = [4 * 1024 * 1024, 256 * 1024];

function snapshotOf(tokens: number, { label = "", sequence = 7 } = {}): Snapshot {
	const state = createState();
	const put = (index: number) =>
		({
			kind: "put",
			table: "tokens",
			row: tokenRow(`tok_${index}`, { label, expiresAt: HOUR_MS }),
		}) as const;
	const post = {
		kind: "post",
		transaction: posting("k", { "cash:manual": -5n, "cust:a": 5n }),
	} as const;
	applyBody(state, { at: HOUR_MS, transactions: [times(tokens, put), [post]] });
	state.keys.add("later", 2 * HOUR_MS);
	const head = { sequence, crc: 9, segment: 1, offset: 70 };
	const start = { sequence: 0, crc: 0 };
	const segments = [{ number: 1, start, bytes: 70, coldRange: { from: 1, to: 2 } }];
	return { head, segments, state: copyState(state) };
}

/** Takes snapshots of what it is given, on a disk of its own. */
async function openScheduler(
	snapshot: () => Promise<Snapshot>,
	{ newestBytes = 0, bytesSince = 0, files = new Map<string, Buffer>() } = {},
) {
	const disk = createFakeDisk(files);
	const { journal, markOf } = await openLog(disk);
	let taken = 0;
	const capture = () => {
		taken += 1;
		return snapshot();
	};
	const facts = { journal, capture, newestBytes, bytesSince };
	const scheduler = createSnapshotScheduler({ fileSystem: disk, folder: FOLDER, ...facts });
	const snapshots = () => disk.files().filter((path) => path.startsWith(FOLDER));
	return { disk, markOf, snapshots, taken: () => taken, ...scheduler };
}

t.test("a snapshot is lines of JSON with a checksum, and is read as it was", async (t) => {
	const snapshot = snapshotOf(501);
	const older = [snapshotPath(FOLDER, 3), `${FOLDER}/x.new`];
	const files = new Map(older.map((path) => [path, Buffer.from(path)]));
	const { disk, grew, snapshots, markOf } = await openScheduler(async () => snapshot, { files });
	grew(DUE);
	await turns(40);
	const path = `${FOLDER}/000000000007.snapshot`;
	t.same(snapshots(), [path], "it takes the place of the older ones");
	t.match(await markOf(), { snapshot: 7 });
	const text = String(await disk.read(path));
	const lines = text.split("\n");
	t.same(JSON.parse(lines[0] ?? ""), {
		head: snapshot.head,
		segments: snapshot.segments,
		transactions: 1,
	});
	const members = lines.slice(1, -2).map((line) => JSON.parse(line));
	t.same(
		members.map(({ table, rows, balances, hour, keys }) => [
			table ?? hour,
			(rows ?? balances ?? keys).length,
		]),
		[
			["tokens", 500],
			["tokens", 1],
			[undefined, 2],
			[1, 1],
			[2, 1],
		],
	);
	const end = text.lastIndexOf("end ");
	t.equal(text.slice(end), `end ${crc32(text.slice(0, end)).toString(16).padStart(8, "0")}\n`);
	const found = await readNewestSnapshot(disk, FOLDER);
	t.equal(found?.bytes, text.length);
	t.same(createStateOf(found?.snapshot), createStateOf(snapshot));
	t.same(found?.snapshot.head, snapshot.head);
	t.same(found?.snapshot.segments, snapshot.segments);
});

const createStateOf = (snapshot: Snapshot | undefined) =>
	snapshot && copyState(createState(snapshot.state));

t.test("keys of one hour are read as one, however many lines they take", async (t) => {
	const state = createState();
	for (const index of times(1_200, (i) => i)) state.keys.add(`k${index}`, HOUR_MS);
	const snapshot = { ...snapshotOf(0), state: copyState(state) };
	const { disk, grew } = await openScheduler(async () => snapshot);
	grew(DUE);
	await turns(40);
	t.same((await readNewestSnapshot(disk, FOLDER))?.snapshot.state.keys, snapshot.state.keys);
});

t.test("a snapshot is due after four mebibytes, or twice the last one", async (t) => {
	for (const [newestBytes, due] of [
		[0, DUE],
		[DUE / 2 + 1, DUE + 2],
	] as const) {
		const { grew, taken } = await openScheduler(async () => snapshotOf(0), { newestBytes });
		grew(due - 1);
		t.equal(taken(), 0);
		grew(1);
		t.equal(taken(), 1);
		grew(due);
		t.equal(taken(), 1, "one at a time");
		await turns(40);
		grew(1);
		t.equal(taken(), 2, "what came meanwhile counts for the next");
	}
	const found = await openScheduler(async () => snapshotOf(0), { bytesSince: DUE - 1 });
	found.grew(1);
	t.equal(found.taken(), 1, "and what was there at the start");
});

t.test(
	"at the end one is taken after a quarter of a mebibyte, or as much as the last",
	async (t) => {
		for (const [newestBytes, due] of [
			[0, DUE_AT_CLOSE],
			[DUE_AT_CLOSE + 1, DUE_AT_CLOSE + 1],
		] as const) {
			for (const bytes of [due - 1, due]) {
				const { grew, close, taken, snapshots } = await openScheduler(async () => snapshotOf(0), {
					newestBytes,
				});
				grew(bytes);
				await close();
				t.equal(taken(), bytes === due ? 1 : 0, `${bytes} after ${newestBytes}`);
				t.equal(snapshots().length, bytes === due ? 1 : 0);
			}
		}
	},
);

t.test("closing waits for one under way, and knows its size", async (t) => {
	const snapshot = snapshotOf(3, { label: "x".repeat(200_000) });
	for (const more of [-1, 0]) {
		const { disk, grew, close, taken, snapshots } = await openScheduler(async () => snapshot);
		grew(DUE);
		const closed = close();
		t.same(snapshots(), []);
		await closed;
		t.equal(snapshots().length, 1);
		t.equal(taken(), 1);
		const bytes = (await disk.size(snapshotPath(FOLDER, 7))) ?? 0;
		t.ok(bytes > 2 * DUE_AT_CLOSE);
		grew(bytes + more);
		await close();
		t.equal(taken(), more < 0 ? 1 : 2);
	}
});

t.test("a snapshot that fails costs nothing, and is not tried at once again", async (t) => {
	let isFailing = true;
	const { grew, taken, snapshots, close } = await openScheduler(async () => {
		if (isFailing) throw diskError("EIO");
		return snapshotOf(0);
	});
	grew(DUE + 5);
	await turns();
	grew(DUE - 1);
	t.equal(taken(), 1);
	t.same(snapshots(), []);
	isFailing = false;
	grew(1);
	await close();
	t.equal(taken(), 2);
	t.equal(snapshots().length, 1);
});

t.test("the newest snapshot is read, and what is none is passed over", async (t) => {
	const made = await openScheduler(async () => snapshotOf(1));
	made.grew(DUE);
	await turns(40);
	const path = snapshotPath(FOLDER, 7);
	const bytes = (await made.disk.read(path)) ?? Buffer.alloc(0);
	const disk = createFakeDisk(
		new Map([
			[path, bytes],
			[snapshotPath(FOLDER, 3), Buffer.from("older")],
			[`${path}.new`, Buffer.from("half")],
			[`${FOLDER}/x000000000009.snapshot`, Buffer.from("notes")],
		]),
	);
	t.equal((await readNewestSnapshot(disk, FOLDER))?.snapshot.head.sequence, 7);
	t.equal(await readNewestSnapshot(disk, "/nowhere"), undefined);
	const sum = "the checksum of what comes before does not match";
	for (const [damaged, offset, problem] of [
		[Buffer.alloc(0), 0, sum],
		[Buffer.from("end 0\n"), 0, sum],
		[bytes.subarray(0, -1), bytes.length - 1 - 13, sum],
		[Buffer.concat([Buffer.from("x"), bytes]), bytes.length + 1 - 13, sum],
	] as const) {
		disk.edit(path, () => damaged);
		const { message } = badSnapshot(path, offset, problem);
		await t.rejects(readNewestSnapshot(disk, FOLDER), { code: "UNAVAILABLE", message });
	}
	await disk.remove(path);
	disk.edit(snapshotPath(FOLDER, 3), () => bytes);
	await t.rejects(readNewestSnapshot(disk, FOLDER), {
		message: `The store is damaged: in "${snapshotPath(FOLDER, 3)}", at byte 0, it is the snapshot of frame 7. Nothing was changed. The journal holds everything: delete "${snapshotPath(FOLDER, 3)}", and the next start makes a new snapshot.`,
	});
});
