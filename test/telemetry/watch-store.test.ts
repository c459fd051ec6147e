import t from "tap";
import { createLedger } from "../../payments/ledger.js";
import { systemClock } from "../../src/kernel/clock.js";
import { createIds, systemRandom } from "../../src/kernel/ids.js";
import { watchStore } from "../../src/telemetry/watch-store.js";
import type { Store } from "../../store/store-port.js";
import { createMemoryStore } from "../a2a/memory-store.js";
import { createNotes } from "./noted-recorder.js";

const ids = createIds({ clock: systemClock, random: systemRandom });
const ledger = createLedger({ clock: systemClock, ids });

async function openBooks(over: (store: Store) => Store = (store) => store) {
	const notes = createNotes();
	const deps = { recorder: notes.recorder, clock: systemClock };
	const store = watchStore(deps, over(createMemoryStore()));
	await store.transaction((tx) =>
		ledger.credit(tx, {
			owner: "ann",
			source: "cash:manual",
			amountMicros: 9_000_000n,
			key: "ann",
		}),
	);
	const hold = () =>
		store.transaction((tx) =>
			ledger.authorize(tx, {
				owner: "ann",
				from: "cust:ann",
				rail: "spt",
				operationId: "graphs.search",
				amountMicros: 500_000n,
				billingType: "per_call",
				idempotencyId: undefined,
			}),
		);
	return { ...notes, store, hold };
}

t.test("what the ledger moved is counted by kind, and captures by their sum", async (t) => {
	const { counts, store, hold } = await openBooks();
	const [first, second] = [await hold(), await hold()];
	await store.transaction((tx) => ledger.capture(tx, first, 300_000n));
	await store.transaction((tx) => ledger.release(tx, second, "client_gone"));
	t.equal(counts.get("tollgraph_holds_total {}"), 2);
	t.equal(counts.get("tollgraph_captures_total {}"), 1);
	t.equal(counts.get("tollgraph_captured_usd_total {}"), 0.3);
	t.equal(counts.get('tollgraph_releases_total {"reason":"client_gone"}'), 1);
	const timed = `tollgraph_store_transaction_duration_seconds ${JSON.stringify({ store: store.health().kind, durability: "durable" })}`;
	t.equal(counts.get(timed), 5);
});

t.test("work that is rolled back counts for nothing, and passes its failure on", async (t) => {
	const { counts, store } = await openBooks();
	const failure = new Error("rolled back");
	await t.rejects(
		store.transaction(async (tx) => {
			await ledger.transfer(tx, { from: "ann", to: "bob", amountMicros: 1n });
			await tx.post({
				...{ id: "txn_1", kind: "release", at: 0, ref: "hold_1", memo: "whatever it says" },
				entries: [],
			});
			throw failure;
		}),
		failure,
	);
	t.equal(
		[...counts.keys()].find((key) => key.includes("releases")),
		undefined,
	);
});

t.test("a memo that is no reason of ours is no label", async (t) => {
	const { counts, store } = await openBooks();
	await store.transaction((tx) =>
		tx.post({
			...{ id: "txn_1", kind: "release", at: 0, ref: "hold_1", memo: "whatever it says" },
			entries: [],
		}),
	);
	t.equal(counts.get('tollgraph_releases_total {"reason":"other"}'), 1);
});

t.test("work that a store runs twice counts once", async (t) => {
	const { counts, hold } = await openBooks((store) => ({
		...store,
		// As a database does with work that met another's.
		transaction: async (work, options) => {
			const lost = new Error("lost its locks");
			await store
				.transaction(async (tx) => {
					await work(tx);
					throw lost;
				}, options)
				.catch((error: unknown) => {
					if (error !== lost) throw error;
				});
			return store.transaction(work, options);
		},
	}));
	await hold();
	t.equal(counts.get("tollgraph_holds_total {}"), 1);
});

t.test("a store that has stopped is exported as one", async (t) => {
	let status: "ok" | "stopped" = "ok";
	const { sources } = await openBooks((store) => ({
		...store,
		health: () => ({ ...store.health(), status }),
	}));
	const [read] = sources;
	t.match(await read?.(), [{ metric: "tollgraph_store_serving", value: 1 }]);
	status = "stopped";
	t.match(await read?.(), [{ metric: "tollgraph_store_serving", value: 0 }]);
});
