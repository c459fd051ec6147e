import t from "tap";
import { openPostgresStore } from "../../store/postgres/postgres.js";
import { startPostgres, WITHOUT_POSTGRES } from "../support/postgres-cluster.js";
import type { Store } from "../../store/store-port.js";
import { exportContract } from "./export-contract.js";
import { holdContract } from "./hold-contract.js";
import { idempotencyContract } from "./idempotency-contract.js";
import { ledgerContract } from "./ledger-contract.js";
import { modelContract } from "./model-contract.js";
import { stillClock } from "./open-test-store.js";
import { tableContract } from "./table-contract.js";
import { textContract } from "./text-contract.js";

/** Of the stores that tests leave open; the server has a hundred connections. */
const KEPT_OPEN = 6;

t.test("the PostgreSQL store keeps the contract of every store", { skip: WITHOUT_POSTGRES }, async (t) => {
	const cluster = await startPostgres();
	const stores: Store[] = [];
	let opened = 0;
	const open = async () => {
		opened += 1;
		for (const store of stores.splice(0, stores.length - KEPT_OPEN)) await store.close();
		const schema = `s${opened}`;
		const clock = stillClock();
		const openAgain = async () => {
			const store = await openPostgresStore({ url: cluster.url, clock, schema, connections: 8 });
			stores.push(store);
			return store;
		};
		let current = await openAgain();
		return {
			store: current,
			clock,
			async reopen() {
				await current.close();
				current = await openAgain();
				return current;
			},
			async crash() {
				current = await openAgain();
				return current;
			},
			restore: async () => current,
			cost: () => ({ entries: 0, calls: 0, bytesRead: 0, bytesWritten: 0 }),
		};
	};
	ledgerContract(t, open);
	tableContract(t, open);
	textContract(t, open);
	modelContract(t, open);
	idempotencyContract(t, open);
	holdContract(t, open);
	exportContract(t, open);
	t.teardown(() => cluster.stop());
});
