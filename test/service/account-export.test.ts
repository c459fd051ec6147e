import t from "tap";
import { openAccount } from "../auth/open-account.js";

t.test("an account exports itself once at a time, and keeps no other from it", async (t) => {
	const shop = await openAccount(t, { settings: { catalog: "none" } });
	const { account_id: otherId } = await shop.app.operator.createKey({ label: "other" });
	const { signal } = new AbortController();
	const open = (accountId: string) => {
		const access = { accountId, isManager: true, keepsNoText: false };
		return shop.app.service.owner.accountExport(access, signal)[Symbol.asyncIterator]();
	};
	const stalled = open(shop.accountId);
	t.equal((await stalled.next()).value, "{");
	for (let again = 0; again < 3; again++) {
		await t.rejects(open(shop.accountId).next(), { code: "RATE_LIMITED", retryAfterSeconds: 60 });
	}
	const other = open(otherId);
	t.equal((await other.next()).value, "{");
	await Promise.all([stalled.return?.(), other.return?.()]);
	t.equal((await open(shop.accountId).next()).value, "{");
});
