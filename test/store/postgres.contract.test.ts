import t from "tap";
import { openPostgresStore } from "../../store/postgres/postgres.js";
import type { Store } from "../../store/store-port.js";
import { startPostgres, WITHOUT_POSTGRES } from "../support/postgres-cluster.js";
import { startTcpProxy } from "../support/tcp-proxy.js";
import { stillClock } from "./open-test-store.js";
import { storeContract } from "./store-contract.js";

/** Of the stores that tests leave open; the server has a hundred connections. */
const KEPT_OPEN = 6;

t.test(
	"the PostgreSQL store keeps the contract of every store",
	{ skip: WITHOUT_POSTGRES },
	async (t) => {
		const cluster = await startPostgres();
		const proxy = await startTcpProxy(cluster.port);
		const stores: Store[] = [];
		let opened = 0;
		storeContract(
			t,
			async () => {
				opened += 1;
				for (const store of stores.splice(0, stores.length - KEPT_OPEN)) await store.close();
				const [schema, clock] = [`s${opened}`, stillClock()];
				const url = cluster.urlAt(proxy.port);
				const openAgain = async () => {
					const store = await openPostgresStore({ url, clock, schema, connections: 8 });
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
					/** Of the process alone; postgres-crash.test cuts the power of the server. */
					async crash() {
						// As the others take it for ended.
						const id = current.processes.ownId();
						await cluster.sql(`SELECT ${schema}.end_process('${id}')`);
						current = await openAgain();
						return current;
					},
					cost: () => ({ entries: 0, ...proxy.counted() }),
				};
			},
			{ share: 0.2 },
		);
		t.teardown(async () => {
			for (const store of stores) await store.close();
			await proxy.close();
			await cluster.stop();
		});
	},
);
