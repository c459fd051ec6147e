import t from "tap";
import { createFakeDisk } from "./fake-disk.js";
import { openOn, stillClock } from "./open-test-store.js";
import { storeContract } from "./store-contract.js";

t.test("the journal store keeps the contract of every store", async (t) => {
	storeContract(t, async () => {
		const disk = createFakeDisk();
		const clock = stillClock();
		const first = await openOn(disk, { clock });
		let current = first;
		return {
			store: first,
			clock,
			async reopen() {
				await current.close();
				current = await openOn(disk, { clock });
				return current;
			},
		};
	});
});
