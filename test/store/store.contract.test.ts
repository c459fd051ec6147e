import t from "tap";
import { restoreJournal } from "../../store/journal/restore.js";
import { backupContract } from "./backup-contract.js";
import { countOn } from "./counting-disk.js";
import { createFakeDisk } from "./fake-disk.js";
import { openOn, stillClock } from "./open-test-store.js";
import { storeContract } from "./store-contract.js";

t.test("the journal store keeps the contract of every store", async (t) => {
	const open = async () => {
		let disk = createFakeDisk();
		let counting = countOn(disk);
		const clock = stillClock();
		const first = await openOn(counting, { clock });
		let current = first;
		const openAgain = async () => {
			current = await openOn(counting, { clock });
			return current;
		};
		return {
			store: first,
			clock,
			async reopen() {
				await current.close();
				return openAgain();
			},
			crash() {
				disk = disk.afterPowerCut(() => 0.3);
				counting = countOn(disk);
				return openAgain();
			},
			async restore(from: string) {
				const to = `/restored from ${from.replaceAll("/", " ")}`;
				await restoreJournal({ fileSystem: counting, clock, from, to });
				return openOn(counting, { clock, folder: to });
			},
			cost: () => ({ entries: current.memoryEntries(), ...counting.counted() }),
		};
	};
	storeContract(t, open);
	backupContract(t, open);
});
