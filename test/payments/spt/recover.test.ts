import t from "tap";
import { createLedger } from "../../../payments/ledger.js";
import { recoverTokens } from "../../../payments/spt/spt-accounts.js";
import { createIds, systemRandom } from "../../../src/kernel/ids.js";
import type { TokenRow } from "../../../store/rows/account-rows.js";
import { credit, openOn, START_MS, stillClock, tokenRow } from "../../store/open-test-store.js";

const owner = "eip155:84532:0xabc";

t.test("a wallet takes along what no one else can spend, and nothing else", async (t) => {
	const clock = stillClock();
	const store = await openOn(undefined, { clock });
	const ledger = createLedger({ clock, ids: createIds({ clock, random: systemRandom }) });
	const used = { usedAt: START_MS - 5 };
	const earlier: Record<string, Partial<TokenRow>> = {
		unused: { origin: "purchase" },
		credited: { origin: "credit", ...used },
		expired: { origin: "purchase", expiresAt: START_MS - 1, ...used },
		closed: { origin: "purchase", status: "revoked", closedAt: START_MS - 1, ...used },
		"in use": { origin: "purchase", ...used },
		"revoked by an operator": { origin: "purchase", status: "revoked" },
		suspended: { origin: "purchase", status: "suspended" },
		"holding for a call": { origin: "credit" },
		delegated: { origin: "delegation", parentId: "elsewhere" },
		"of another wallet": { origin: "purchase", owner: "eip155:84532:0xdef" },
		"of nobody": { origin: "operator", owner: undefined },
	};
	for (const [id, changes] of Object.entries({ new: {}, ...earlier })) {
		await store.transaction((tx) => tx.put("tokens", tokenRow(id, { owner, ...changes })));
		if (id !== "new") await credit(store, `cust:${id}`, 10n);
	}
	await credit(store, "held:holding for a call", 1n);
	const recovered = await store.transaction((tx) =>
		recoverTokens(tx, { owner, intoId: "new" }, { ledger, now: START_MS }),
	);
	t.equal(recovered, 40n);
	const taken = ["unused", "credited", "expired", "closed"];
	for (const id of Object.keys(earlier)) {
		const [left, row] = await store.read(async (reader) => [
			await reader.balance(`cust:${id}`),
			await reader.get("tokens", id),
		]);
		const isTaken = taken.includes(id);
		t.equal(left, isTaken ? 0n : 10n, id);
		if (isTaken) t.equal((row as TokenRow).status, "revoked", id);
	}
	t.equal(await store.read((reader) => reader.balance("cust:new")), 40n);
	await store.close();
});
