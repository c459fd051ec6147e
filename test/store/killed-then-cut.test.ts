import { setImmediate as nextTurn } from "node:timers/promises";
import t from "tap";
import type { Store } from "../../store/store-port.js";
import { times } from "../support/times.js";
import { createFakeDisk, diskError, type FakeDisk } from "./fake-disk.js";
import { balanceOf, credit, FOLDER, openOn, tokenRow } from "./open-test-store.js";

/** A process that is killed leaves names that no folder was synced for; the next one builds on them. */

const BIG = "x".repeat(400_000);
/** Of two states of a name or a sector, always the one that was synced. */
const ALL_UNSYNCED_LOST = () => 0.9;

/** Fills a segment and takes a snapshot; the process dies before it syncs the folder. */
async function killBeforeSync(folder: "segments" | "snapshots"): Promise<FakeDisk> {
	const disk = createFakeDisk();
	const first = await openOn(disk);
	await fill(first, 2);
	await first.close();
	const store = await openOn(disk);
	const path = `${FOLDER}/${folder}`;
	let isKilled = false;
	disk.judge = (operation) => {
		if (operation.name !== "syncFolder" || operation.path !== path) return "work";
		isKilled = true;
		return { error: diskError("EIO") };
	};
	await fill(store, 14).catch(() => undefined);
	// The snapshot is written in the background, one line a turn.
	while (!isKilled) await nextTurn();
	disk.judge = () => "work";
	return disk;
}

async function fill(store: Store, rows: number): Promise<void> {
	for (const index of times(rows, (i) => i)) {
		const row = tokenRow(`tok_${index % 2}`, { label: BIG });
		await store.transaction((tx) => tx.put("tokens", row));
	}
}

for (const folder of ["segments", "snapshots"] as const) {
	t.test(`names in ${folder} that a killed process left outlive a power cut later`, async (t) => {
		const disk = await killBeforeSync(folder);
		const left = disk.files().filter((path) => path.startsWith(`${FOLDER}/${folder}/`));
		t.ok(left.length > 1, "there is a name that was not synced");

		const store = await openOn(disk);
		await credit(store, "cust:a", 7n);
		const restarted = await openOn(disk.afterPowerCut(ALL_UNSYNCED_LOST));
		t.equal(await balanceOf(restarted, "cust:a"), 7n);
		await restarted.verify();
	});
}
