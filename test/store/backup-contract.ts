import type { Test } from "tap";
import type { CommittedTransaction, Store } from "../../store/store-port.js";
import { times } from "../support/times.js";
import { balanceOf, credit, posting, receiptRow, START_MS, tokenRow } from "./open-test-store.js";
import { type RestorableStore, refused } from "./store-under-test.js";

const WRITERS = 64;
const BACKUPS = 5;
/** Enough for several segments of a journal. */
const MEMO = "m".repeat(3_000);

type OpenRestorable = () => Promise<RestorableStore>;

export function backupContract(t: Test, open: OpenRestorable): void {
	t.test("conformance 9: a backup under load is a prefix of the history", async (t) => {
		const under = await open();
		const traffic = startTraffic(under.store);
		const made = [];
		for (const index of times(BACKUPS, (i) => i)) {
			await passes(1 + ((index * 7) % 11));
			const acknowledged = [...traffic.acknowledged];
			const held = await under.store.backup(`/backups/${index}`);
			made.push({ folder: `/backups/${index}`, acknowledged, begun: new Set(traffic.begun), held });
		}
		await traffic.stop();
		const all = await keysOf(under.store);
		t.ok(
			all.length > Math.max(...made.map(({ held }) => held.transactions)),
			"transactions went on to the end",
		);
		for (const { folder, acknowledged, begun, held } of made) {
			const restored = await under.restore(folder);
			const kept = await keysOf(restored);
			t.same(kept, all.slice(0, kept.length), "a prefix");
			const known = new Set(kept);
			t.ok(
				acknowledged.every((key) => known.has(key)),
				"all that was promised before it began",
			);
			t.ok(
				kept.every((key) => begun.has(key)),
				"nothing that began after it",
			);
			t.equal(held.transactions, kept.length);
			t.equal((await restored.verify()).transactions, kept.length);
			await assertSound(t, restored);
			await credit(restored, "cust:new", 1n, "work goes on");
			await restored.close();
		}
		t.ok(new Set(made.map(({ held }) => held.transactions)).size > 1, "of different moments");
	});

	t.test("a restored store knows its keys, rows, documents and what has expired", async (t) => {
		const under = await open();
		const { store, clock } = under;
		await credit(store, "cust:a", 5n, "the key");
		await store.transaction(async (tx) => {
			await tx.put("tokens", tokenRow("tok_a"));
			await tx.put("receipts", receiptRow("rcpt_1"));
		});
		await store.documents.put("art_1", "one \u2713", START_MS + 9_000_000);
		await store.documents.put("art_2", "two", START_MS + 1_000);
		clock.set(START_MS + 2_000);
		await store.backup("/backup");
		await store.documents.delete("art_1");
		const restored = await under.restore("/backup");
		await t.rejects(credit(restored, "cust:a", 5n, "the key"), refused("duplicate_key"));
		t.match(await restored.read((reader) => reader.get("tokens", "tok_a")), { id: "tok_a" });
		t.match(await restored.read((reader) => reader.get("receipts", "rcpt_1")), { id: "rcpt_1" });
		t.equal(await restored.documents.get("art_1"), "one \u2713");
		t.equal(await restored.documents.sweep(START_MS + 2_000), 0, "what had expired is not in it");
	});

	t.test("a backup takes an empty place only, and a store that is open", async (t) => {
		const under = await open();
		await credit(under.store, "cust:a", 1n);
		await under.store.backup("/backup");
		const again = under.store.backup("/backup");
		await t.rejects(again, { code: "INVALID_ARGUMENT", message: /not empty/ });
		t.equal(await balanceOf(await under.restore("/backup"), "cust:a"), 1n, "it is unharmed");
		await t.rejects(under.restore("/nowhere"), { code: "INVALID_ARGUMENT" });
		const empty = await (await open()).store.backup("/backup of nothing");
		t.equal(empty.transactions, 0);
		await under.reopen();
		await t.rejects(under.store.backup("/late"), { code: "UNAVAILABLE" });
	});
}

interface Traffic {
	/** Before anything was asked of the store for them. */
	readonly begun: ReadonlySet<string>;
	readonly acknowledged: ReadonlySet<string>;
	stop(): Promise<void>;
}

/** Buyers that go on until they are stopped: each is given money, and spends what it may not have. */
function startTraffic(store: Store): Traffic {
	const [begun, acknowledged] = [new Set<string>(), new Set<string>()];
	let isOver = false;
	const post = async (key: string, entries: Readonly<Record<string, bigint>>) => {
		begun.add(key);
		await store.transaction((tx) => tx.post(posting(key, entries, { memo: MEMO })));
		acknowledged.add(key);
	};
	const write = async (writer: number) => {
		for (let index = 0; !isOver; index++) {
			const account = `cust:${writer % 8}`;
			await post(`credit ${writer}.${index}`, { "cash:manual": -3n, [account]: 3n });
			// May be refused, because others spend from it, too.
			const spend = { [account]: -4n, "rev:per_call": 4n };
			await post(`spend ${writer}.${index}`, spend).catch(() => undefined);
		}
	};
	const writers = times(WRITERS, write);
	return {
		begun,
		acknowledged,
		async stop() {
			isOver = true;
			await Promise.all(writers);
		},
	};
}

async function passes(turns: number): Promise<void> {
	for (const _ of times(turns, () => undefined)) {
		await new Promise((resolve) => {
			setImmediate(resolve);
		});
	}
}

async function keysOf(store: Store): Promise<string[]> {
	const keys: string[] = [];
	for await (const { postings } of store.history())
		keys.push(...postings.map(({ key }) => `${key}`));
	return keys;
}

/** Balances add up to nothing, are those of the history, and no customer owes. */
async function assertSound(t: Test, store: Store): Promise<void> {
	const balances = await store.read((reader) => reader.balances());
	const sums = new Map<string, bigint>();
	for await (const { postings } of store.history()) addTo(sums, postings);
	t.same([...sums].sort(), [...balances].sort());
	t.equal(
		[...balances.values()].reduce((sum, amount) => sum + amount, 0n),
		0n,
	);
	const owing = [...balances].filter(([name, sum]) => /^(cust|held):/.test(name) && sum < 0n);
	t.same(owing, []);
}

function addTo(sums: Map<string, bigint>, postings: CommittedTransaction["postings"]): void {
	for (const { account, amountMicros } of postings.flatMap(({ entries }) => entries)) {
		sums.set(account, (sums.get(account) ?? 0n) + amountMicros);
	}
}
