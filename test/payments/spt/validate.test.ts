import t from "tap";
import { createLedger } from "../../../payments/ledger.js";
import { createSptBalance } from "../../../payments/spt/spt-balance.js";
import { createSptIssuer } from "../../../payments/spt/spt-issuer.js";
import { createIds, systemRandom } from "../../../src/kernel/ids.js";
import { createSecret, hashSecret } from "../../../src/kernel/secrets.js";
import type { Store, StoreReader } from "../../../store/store-port.js";
import { openOn, START_MS, stillClock } from "../../store/open-test-store.js";

const UNKNOWN = {
	active: false,
	balance_usd: null,
	held_usd: null,
	expires_at: null,
	environment: null,
};

/** The store, recording which questions it was asked. */
function overheard(store: Store): { readonly store: Store; readonly asked: string[] } {
	const asked: string[] = [];
	const listen = (reader: StoreReader): StoreReader =>
		new Proxy(reader, {
			get(target, name) {
				const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
				return (...args: unknown[]) => {
					asked.push(`${String(name)} ${name === "findBy" ? args.slice(0, 2).join(" ") : ""}`);
					return method.apply(target, args);
				};
			},
		});
	return {
		store: { ...store, read: (work) => store.read((reader) => work(listen(reader))) },
		asked,
	};
}

async function openIssuer() {
	const clock = stillClock();
	const { store, asked } = overheard(await openOn(undefined, { clock }));
	const [ids, pepper] = [createIds({ clock, random: systemRandom }), new Uint8Array(32)];
	const ledger = createLedger({ clock, ids });
	const keys = { ledger, clock, pepper, environment: "test" as const };
	const spts = createSptIssuer({ ...keys, store, random: systemRandom, ids });
	const method = createSptBalance(keys);
	return { store, asked, clock, pepper, spts, method };
}

t.test("whatever does not pay is checked in the same steps and answered alike", async (t) => {
	const { store, asked, clock, pepper, spts, method } = await openIssuer();
	const [revoked, expired] = [
		await spts.issue({ amountMicros: 5n }),
		await spts.issue({ amountMicros: 5n, expiresAt: START_MS + 1 }),
	];
	await spts.revoke(revoked.id);
	clock.set(START_MS + 2);
	const foreign = createSecret("spt_live_", systemRandom);
	const row = await store.read((reader) => reader.get("tokens", expired.id));
	if (!row) throw new Error("The token was not written.");
	await store.transaction((tx) =>
		tx.put("tokens", {
			...row,
			id: "tok_live",
			environment: "live",
			expiresAt: undefined,
			hash: hashSecret(foreign, pepper),
		}),
	);
	const secrets = {
		unknown: createSecret("spt_test_", systemRandom),
		revoked: revoked.token,
		expired: expired.token,
		"of the other environment": foreign,
		mistyped: `${revoked.token.slice(0, -1)}!`,
		malformed: "spt_x",
		empty: "",
	};
	const steps = new Set<string>();
	for (const [kind, secret] of Object.entries(secrets)) {
		asked.length = 0;
		t.same(await spts.validate(secret), UNKNOWN, kind);
		steps.add(asked.join(", "));
		const identified = method.identify(store, { scheme: "spt", token: secret });
		await t.rejects(identified, { code: "UNAUTHENTICATED" }, kind);
	}
	t.same([...steps], ["findBy tokens hash, balance , balance "]);
	await store.close();
});

t.test("a token shows its balance, and one whose parent stopped shows nothing", async (t) => {
	const { store, spts } = await openIssuer();
	const parent = await spts.issue({ amountMicros: 5_000_000n });
	const child = await store.transaction((tx) =>
		spts.issueFrom(tx, `cust:${parent.id}`, { amountMicros: 2_000_000n, parentId: parent.id }),
	);
	t.match(await spts.validate(parent.token), { active: true, balance_usd: "3.00" });
	t.match(await spts.validate(child.token), { active: true, balance_usd: "2.00" });
	await store.transaction(async (tx) => {
		const row = await tx.get("tokens", parent.id);
		if (row) await tx.put("tokens", { ...row, status: "suspended" });
	});
	t.same(await spts.validate(child.token), UNKNOWN);
	await store.close();
});
