import t from "tap";
import { endLapsedGrants } from "../../src/auth/lapsed-grants.js";
import { OAUTH_LIMITS } from "../../src/core/oauth-limits.js";
import type { Store } from "../../store/store.js";
import { openOn } from "../store/open-test-store.js";
import { manualClock } from "../support/manual-clock.js";

const HOUR_MS = 3_600_000;

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
