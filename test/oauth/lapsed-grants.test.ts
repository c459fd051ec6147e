import t from "tap";
import { endLapsedGrants } from "../../src/accounts/oauth-grants.js";
import { OAUTH_LIMITS } from "../../src/accounts/oauth-limits.js";
import type { Store } from "../../store/store-port.js";
import { openOn } from "../store/open-test-store.js";
import { manualClock } from "../support/manual-clock.js";

const HOUR_MS = 3_600_000;

// The store's own timers keep no process alive, and its disk here is memory: without this one it may end in between.
const awake = setInterval(() => undefined, 1_000);
t.teardown(() => clearInterval(awake));

t.test("lapsed grants are ended some at a time, and others stay", async (t) => {
	const clock = manualClock("2026-03-10T12:00:00Z");
	const store = await openOn(undefined, { clock });
	t.teardown(() => store.close());
	const lapsed = Array.from(
		{ length: OAUTH_LIMITS.grantsPerTurn * 2 + 1 },
		(_, at) => `past_${at}`,
	);
	for (const name of lapsed) await grant(store, name, clock.now() + HOUR_MS);
	await grant(store, "used", clock.now() + 3 * HOUR_MS);
	await grant(store, "keyless", undefined);
	clock.advance(2 * HOUR_MS);
	const revoked = async () => {
		const keys = await store.read((reader) => reader.list("keys"));
		return keys.filter(({ status }) => status === "revoked").length;
	};
	const ended: number[] = [];
	const counting: Pick<Store, "read" | "transaction" | "documents"> = {
		read: (work) => store.read(work),
		documents: store.documents,
		async transaction(work, options) {
			const before = await revoked();
			const done = await store.transaction(work, options);
			ended.push((await revoked()) - before);
			return done;
		},
	};

	await endLapsedGrants(counting, clock);

	const rows = await store.read((reader) => reader.list("oauth_records"));
	t.same(
		rows.map(({ id }) => id),
		["grant_used"],
	);
	t.equal(await store.documents.get("grant_past_0"), undefined);
	t.ok(await store.documents.get("grant_used"));
	t.equal(await revoked(), lapsed.length);
	t.ok(Math.max(...ended) <= OAUTH_LIMITS.grantsPerTurn, ended.join());
	const times = ended.length;
	await endLapsedGrants(counting, clock);
	t.equal(ended.length, times, "where none lapsed, nothing is written");
});

t.test("a grant whose text could not be removed is ended the next time", async (t) => {
	const clock = manualClock("2026-03-10T12:00:00Z");
	const store = await openOn(undefined, { clock });
	t.teardown(() => store.close());
	const names = ["a", "b", "c"];
	for (const name of names) await grant(store, name, clock.now() + HOUR_MS);
	clock.advance(2 * HOUR_MS);
	let isBroken = true;
	const failing: Pick<Store, "read" | "transaction" | "documents"> = {
		read: (work) => store.read(work),
		transaction: (work, options) => store.transaction(work, options),
		documents: {
			...store.documents,
			delete: async (id) => {
				if (isBroken && id === "grant_b") throw new Error("out of order");
				await store.documents.delete(id);
			},
		},
	};
	const count = async () => {
		const texts = await Promise.all(names.map((name) => store.documents.get(`grant_${name}`)));
		const [rows, keys] = await store.read(async (reader) => [
			await reader.list("oauth_records"),
			await reader.list("keys"),
		]);
		const active = keys.filter(({ status }) => status === "active").length;
		return { texts: texts.filter((text) => text !== undefined).length, rows: rows.length, active };
	};
	await t.rejects(endLapsedGrants(failing, clock), /out of order/);
	t.same(await count(), { texts: 2, rows: 3, active: 0 }, "what is left is named, and of no use");
	isBroken = false;
	await endLapsedGrants(failing, clock);
	t.same(await count(), { texts: 0, rows: 0, active: 0 });
});

/** Without an end its key is gone already. */
async function grant(store: Store, name: string, expiresAt: number | undefined): Promise<void> {
	const [id, keyId] = [`grant_${name}`, `key_${name}`];
	const times = { createdAt: 0, expiresAt: Date.UTC(2027, 0) };
	await store.documents.put(id, "{}", times.expiresAt);
	await store.transaction(
		async (tx) => {
			await tx.put("oauth_records", { id, owner: "acc_a", kind: "grant", keyId, ...times });
			if (expiresAt === undefined) return;
			const key = { id: keyId, hash: name, accountId: "acc_a", label: "", createdAt: 0 };
			await tx.put("keys", { ...key, status: "active", expiresAt });
		},
		{ durability: "deferred" },
	);
}
