import t from "tap";
import { restoreJournal } from "../../store/journal/restore.js";
import { createFakeDisk } from "./fake-disk.js";
import { balanceOf, credit, openOn, stillClock } from "./open-test-store.js";

t.test("smoke", async (t) => {
	const disk = createFakeDisk();
	const store = await openOn(disk);
	await credit(store, "cust:a", 5n);
	t.match(await store.backup("/backup"), { transactions: 1 });
	await credit(store, "cust:a", 5n, "later");
	const found = await restoreJournal({
		fileSystem: disk,
		clock: stillClock(),
		from: "/backup",
		to: "/restored",
	});
	t.match(found, { transactions: 1, accounts: 2 });
	const again = await openOn(disk, { folder: "/restored" });
	t.equal(await balanceOf(again, "cust:a"), 5n);
	t.comment(disk.files().join("\n"));
});
