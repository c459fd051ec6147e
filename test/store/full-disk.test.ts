import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { nodeFileSystem } from "../../store/journal/file-system.js";
import { openJournalStore } from "../../store/journal/journal-store.js";
import { findAndRename, findByAny } from "../../store/store-port.js";
import { times } from "../support/times.js";
import { createFakeDisk, diskError, type FakeDisk, type Verdict } from "./fake-disk.js";
import {
	balanceOf,
	credit,
	FOLDER,
	openOn,
	receiptRow,
	steppedClock,
	tokenRow,
} from "./open-test-store.js";

const FULL: readonly (readonly [string, Verdict])[] = [
	["ENOSPC", { error: diskError("ENOSPC") }],
	["a quota (EDQUOT)", { error: diskError("EDQUOT") }],
	["a short write", "short"],
];

function fillAt(disk: FakeDisk, verdict: Verdict, names: readonly string[] = ["writeDurably"]) {
	let tries = 0;
	disk.judge = ({ name, path }) => {
		if (!names.includes(name) || !path.startsWith(`${FOLDER}/segments`)) return "work";
		tries += 1;
		return verdict;
	};
	return () => tries;
}

for (const [title, verdict] of FULL) {
	t.test(
		`after ${title} the store goes on once there is room, and nothing is lost or doubled`,
		async (t) => {
			const disk = createFakeDisk();
			const clock = steppedClock();
			const seen: string[] = [];
			const store = await openOn(disk, {
				clock,
				onStop: () => seen.push("stopped"),
				onFull: () => seen.push("full"),
				onResume: () => seen.push("resumed"),
			});
			await credit(store, "cust:a", 1n, "before");
			const tries = fillAt(disk, verdict);
			const during = times(8, (index) => credit(store, "cust:a", 1n, `during ${index}`));
			const deferred = { durability: "deferred" } as const;
			await store.transaction((tx) => tx.put("receipts", receiptRow("rcpt_1")), deferred);
			for (const { status } of await Promise.allSettled(during)) t.equal(status, "rejected");
			t.match(store.health(), { status: "full", reason: /the disk is full/ });
			await t.rejects(credit(store, "cust:a", 1n, "refused"), {
				code: "UNAVAILABLE",
				retryable: true,
			});
			await t.rejects(
				store.verify(),
				{ code: "UNAVAILABLE" },
				"what waits for it all does not hang",
			);
			t.equal(await balanceOf(store, "cust:a"), 9n, "reading goes on");
			await untilTried(tries, 2, clock);
			t.equal(store.health().status, "full", "as long as there is no room");
			disk.judge = () => "work";
			await untilResumed(seen, clock);
			t.same(seen, ["full", "resumed"]);
			t.match(store.health(), { status: "ok", reason: undefined });
			await credit(store, "cust:a", 1n, "after");
			const again = await credit(store, "cust:a", 1n, "during 3").catch((error: unknown) => error);
			t.match(again, { reason: "duplicate_key" }, "what was refused then was kept");
			t.ok(await store.read((reader) => reader.get("receipts", "rcpt_1")));
			await store.verify();
			const found = await openOn(disk.afterPowerCut(() => 0));
			t.equal(await balanceOf(found, "cust:a"), 10n, "durable, once each");
			await found.verify();
		},
	);
}

t.test("a segment that could not be begun on a full disk is begun later", async (t) => {
	for (const names of [["create"], ["syncFolder"], ["truncate"], ["sync"]]) {
		const disk = createFakeDisk();
		const clock = steppedClock();
		const seen: string[] = [];
		const store = await openOn(disk, { clock, onResume: () => seen.push("resumed") });
		fillAt(disk, { error: diskError("ENOSPC") }, names);
		const label = "x".repeat(900_000);
		let kept = 0;
		const put = (id: string) =>
			store.transaction((tx) =>
				tx.put("accounts", { id, label, plan: "free", hasPaymentMethod: false, createdAt: 0 }),
			);
		while (store.health().status === "ok") {
			const isKept = await put(`acc_${kept}`).then(
				() => true,
				() => false,
			);
			if (isKept) kept += 1;
		}
		t.ok(kept > 3, "the first segment took its part");
		disk.judge = () => "work";
		await untilResumed(seen, clock);
		await put("acc_after");
		const found = await openOn(disk.afterPowerCut(() => 0));
		const rows = await found.read((reader) => reader.list("accounts"));
		t.equal(rows.length, kept + 2, "what waited for the segment, and what came later");
		await found.verify();
	}
});

t.test("who is known by an older hash is let in while the disk is full", async (t) => {
	const disk = createFakeDisk();
	const clock = steppedClock();
	const seen: string[] = [];
	const store = await openOn(disk, { clock, onResume: () => seen.push("resumed") });
	await store.transaction((tx) => tx.put("tokens", tokenRow("tok_a", { hash: "older" })));
	const look = () =>
		findAndRename(store, {
			find: (reader) => findByAny(reader, "tokens", "hash", ["newer", "older"]),
			isNewest: ({ hash }) => hash === "newer",
			rename: (tx, row) => tx.put("tokens", { ...row, hash: "newer" }),
		});
	fillAt(disk, { error: diskError("ENOSPC") });
	await t.rejects(credit(store, "cust:a", 1n, "refused"), { code: "UNAVAILABLE" });
	t.match(await look(), { id: "tok_a" });
	disk.judge = () => "work";
	await untilResumed(seen, clock);
	t.match(await look(), { id: "tok_a" });
	t.match(await store.read((reader) => reader.get("tokens", "tok_a")), { hash: "newer" });
});

t.test("a store that is closed while its disk is full leaves what a crash would", async (t) => {
	const disk = createFakeDisk();
	const clock = steppedClock();
	const store = await openOn(disk, { clock });
	await credit(store, "cust:a", 1n, "before");
	const tries = fillAt(disk, { error: diskError("ENOSPC") });
	await t.rejects(credit(store, "cust:a", 1n, "during"), { code: "UNAVAILABLE" });
	await store.close();
	t.equal(tries(), 1, "nothing more is written");
	t.equal(store.health().status, "stopped");
	disk.judge = () => "work";
	clock.pass();
	t.equal(await balanceOf(await openOn(disk.copy()), "cust:a"), 1n);
});

t.test("a real disk that is full and then has room", { skip: mountProblem() }, async (t) => {
	const mount = mkdtempSync(join(tmpdir(), "tollgraph-full-"));
	execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", mount]);
	t.teardown(() => {
		execFileSync("umount", ["-l", mount]);
		rmSync(mount, { recursive: true });
	});
	const seen: string[] = [];
	const open = () =>
		openJournalStore({
			folder: join(mount, "journal"),
			// A second is over soon.
			clock: { ...systemClock, after: (ms, ...more) => systemClock.after(ms / 20, ...more) },
			fileSystem: nodeFileSystem,
			onFull: () => seen.push("full"),
			onResume: () => seen.push("resumed"),
		});
	const store = await open();
	const ballast = join(mount, "ballast");
	fillUp(ballast);
	let acknowledged = 0n;
	let asked = 0n;
	while (store.health().status === "ok") {
		asked += 1n;
		await credit(store, "cust:a", 1n, `${asked} ${"x".repeat(20_000)}`).then(
			() => {
				acknowledged += 1n;
			},
			() => undefined,
		);
	}
	t.match(store.health().reason, /ENOSPC|short write/);
	t.equal(asked, acknowledged + 1n);
	rmSync(ballast);
	await untilResumed(seen);
	await credit(store, "cust:a", 1n, "after");
	await store.verify();
	await store.close();
	t.same(seen, ["full", "resumed"]);
	const again = await open();
	t.equal(await balanceOf(again, "cust:a"), asked + 1n, "the one that was refused was kept, once");
	await again.close();
});

/** Why no small disk can be mounted here. */
function mountProblem(): string | false {
	if (process.platform !== "linux" || process.getuid?.() !== 0) return "only root mounts a disk";
	const probe = mkdtempSync(join(tmpdir(), "tollgraph-mount-"));
	try {
		execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", probe], { stdio: "pipe" });
		execFileSync("umount", [probe]);
		return false;
	} catch {
		return "this system lets no disk be mounted";
	} finally {
		rmSync(probe, { recursive: true });
	}
}

/** Takes all that is left but some pages. */
function fillUp(path: string): void {
	const LEFT = 48 * 1_024;
	let size = 4 * 1_024 * 1_024;
	for (; size > LEFT; size -= 16 * 1_024) {
		try {
			writeFileSync(path, Buffer.alloc(size));
			break;
		} catch {
			rmSync(path, { force: true });
		}
	}
	writeFileSync(path, Buffer.alloc(statSync(path).size - LEFT));
}

async function untilTried(
	tries: () => number,
	count: number,
	clock: { pass(): void },
): Promise<void> {
	while (tries() < count) {
		clock.pass();
		await new Promise((resolve) => setImmediate(resolve));
	}
}

/** Waits of the store pass meanwhile. */
async function untilResumed(seen: readonly string[], clock?: { pass(): void }): Promise<void> {
	while (!seen.includes("resumed")) {
		clock?.pass();
		await new Promise((resolve) => setTimeout(resolve, 2));
	}
}
