import t, { type Test } from "tap";
import { createOAuthRecords } from "../../src/accounts/oauth-records.js";
import type { KeyRow } from "../../store/rows/account-rows.js";
import { openOn } from "../store/open-test-store.js";
import { manualClock } from "../support/manual-clock.js";

const DAY_MS = 24 * 3_600_000;
const CLIENTS_MAX = 12;

t.test("clients without a consent make room, and are forgotten after a month", async (t) => {
	const { records, clock, register, consent } = await open(t);
	await register("used");
	await consent("used");
	for (let index = 0; index < CLIENTS_MAX; index++) await register(`client-${index}`);
	t.ok(await records.find("client", "used"), "the oldest, but somebody uses it");
	t.notOk(await records.find("client", "client-0"));
	t.ok(await records.find("client", "client-1"));
	clock.advance(30 * DAY_MS);
	t.notOk(await records.find("client", "client-1"));
	t.ok(await records.find("client", "used"));
});

t.test("a client whose grants are over makes room too; one that is used does not", async (t) => {
	const { records, register, consent, revoke, documents } = await open(t);
	for (let index = 0; index < CLIENTS_MAX; index++) {
		await register(`client-${index}`);
		await consent(`client-${index}`);
	}
	await t.rejects(register("newcomer"), { code: "UNAVAILABLE" }, "it is refused at once");
	t.notOk(await records.find("client", "newcomer"));
	await revoke("client-5");
	await revoke("client-3");
	await register("newcomer");
	t.ok(await records.find("client", "newcomer"));
	t.notOk(await records.find("client", "client-3"), "the one that was used longest ago");
	t.ok(await records.find("client", "client-5"));
	await register("another");
	t.ok(await records.find("client", "another"), "in the place of an unused one");
	t.notOk(await records.find("client", "newcomer"));
	t.ok(await records.find("client", "client-5"));
	t.equal(await documents(), 2 * CLIENTS_MAX, "no more clients, and the grants of each");
});

for (const end of ["the key was revoked", "the account was erased"] as const) {
	t.test(`a request under way while ${end} leaves nothing behind`, async (t) => {
		const { store, records, clock, register, consent, revoke, documents } = await open(t);
		await register("client");
		await consent("client");
		if (end === "the key was revoked") await revoke("client");
		else {
			await store.transaction(async (tx) => {
				const account = await tx.get("accounts", "acc_client");
				if (account) await tx.put("accounts", { ...account, closedAt: clock.now() });
			});
		}
		for (const kind of ["refresh_token", "code", "grant"] as const) {
			const isKept = await records.put({
				kind,
				id: "late",
				accountId: "acc_client",
				clientId: "client",
				keyId: "key_client",
				payload: {},
				expiresAt: clock.now() + DAY_MS,
			});
			t.notOk(isKept, kind);
		}
		t.equal(await documents(), 2, "of the client and of its grant");
		const rows = await store.read((reader) =>
			reader.findBy("oauth_records", "owner", "acc_client"),
		);
		t.equal(rows.length, 1);
	});
}

async function open(t: Test) {
	const clock = manualClock("2026-03-10T12:00:00Z");
	const store = await openOn(undefined, { clock });
	t.teardown(() => store.close());
	const pepper = Buffer.alloc(32, 7);
	const records = createOAuthRecords({ store, clock, pepper, clientsMax: CLIENTS_MAX });
	const putKey = (name: string, change: Partial<KeyRow>) =>
		store.transaction(async (tx) => {
			const key: KeyRow = {
				id: `key_${name}`,
				hash: name,
				accountId: `acc_${name}`,
				label: "",
				status: "active",
				createdAt: clock.now(),
				isManager: false,
			};
			await tx.put("keys", { ...key, ...change });
		});
	return {
		store,
		records,
		clock,
		register(id: string) {
			clock.advance(1_000);
			const noOne = { accountId: undefined, clientId: undefined, keyId: undefined };
			const expiresAt = clock.now() + 30 * DAY_MS;
			return records.put({ kind: "client", id, ...noOne, payload: { client_id: id }, expiresAt });
		},
		/** An account of its own gives it access, for a year. */
		async consent(clientId: string) {
			clock.advance(1_000);
			const [accountId, keyId] = [`acc_${clientId}`, `key_${clientId}`];
			const account = { label: "", plan: "free", hasPaymentMethod: false } as const;
			await store.transaction((tx) =>
				tx.put("accounts", { id: accountId, ...account, createdAt: clock.now() }),
			);
			await putKey(clientId, {});
			const expiresAt = clock.now() + 365 * DAY_MS;
			const grant = { accountId, clientId, keyId, payload: {}, expiresAt };
			await records.put({ kind: "grant", id: keyId, ...grant });
		},
		revoke: (clientId: string) => putKey(clientId, { status: "revoked" }),
		/** How many are kept, and none from now on. */
		documents: () => store.documents.sweep(clock.now() + 1_000 * DAY_MS),
	};
}
