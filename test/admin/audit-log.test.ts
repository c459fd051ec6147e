import t from "tap";
import { createApp } from "../../src/app/create-app.js";
import { systemClock } from "../../src/kernel/clock.js";
import { createAuditLog } from "../../src/operator/access/audit-log.js";
import { readSettings } from "../../src/settings/read-settings.js";
import type { AuditRow } from "../../store/rows/operator-rows.js";
import { startApp } from "../support/start-app.js";

const EMPTY = { model: "none", catalog: "none" } as const;

async function openShop(t: Parameters<typeof startApp>[0], folder?: string) {
	const shop = await startApp(t, { settings: EMPTY, ...(folder && { folder }) });
	const send = (method: string, path: string, body?: object, more: object = {}) =>
		shop.send(`/v1/admin${path}`, {
			method,
			headers: {
				Authorization: `Bearer ${shop.app.adminToken}`,
				"Content-Type": "application/json",
				...more,
			},
			...(body && { body: JSON.stringify(body) }),
		});
	const audit = async (query = "") => (await send("GET", `/audit${query}`)).body;
	return { ...shop, command: send, audit };
}

t.test("a change is on the log with who, what, before and after, and no secret", async (t) => {
	const shop = await openShop(t);
	const made = (await shop.command("POST", "/keys", { usd: "5", label: "Jane Doe" })).body;
	const { account_id } = made;
	await shop.command("POST", "/accounts/set", { account_id, has_payment_method: true });
	await shop.command("POST", "/keys/revoke", { id: "key_none" });
	const { items, next } = await shop.audit();
	t.equal(next, null);
	t.match(items, [
		{ command: "revokeKey", outcome: "failed", code: "NOT_FOUND", target: "key/key_none" },
		{
			command: "setAccount",
			outcome: "done",
			actor: "admin token",
			role: "owner",
			target: `account/${account_id}`,
			before: { has_payment_method: false },
			after: { has_payment_method: true },
		},
		{ command: "createKey", outcome: "done", target: `key/${made.id}`, after: { id: made.id } },
	]);
	t.notMatch(JSON.stringify(items), /sk_live_|Jane/);
	t.same((await shop.audit("?command=createKey")).items.length, 1);
	t.same((await shop.audit(`?target=account/${account_id}`)).items.length, 1);
	t.same((await shop.audit("?actor=Ada")).items, []);
	t.same((await shop.audit("?to=2000-01-01T00:00:00Z")).items, []);
	const first = await shop.audit("?limit=2");
	const rest = await shop.audit(`?limit=2&cursor=${first.next}`);
	t.same([...first.items, ...rest.items], items);
	t.equal(rest.next, null);
	for (const query of ["?cursor=x", "?from=never", "?limit=0", "?colour=red"]) {
		t.equal((await shop.command("GET", `/audit${query}`)).status, 400, query);
	}
});

t.test("a command that a role does not give is on the log as failed", async (t) => {
	const shop = await openShop(t);
	const { key } = (await shop.command("POST", "/operators", { name: "Ada", role: "reader" })).body;
	const Authorization = `Bearer ${key}`;
	const refused = await shop.command("POST", "/spts", { usd: "5" }, { Authorization });
	t.equal(refused.status, 403);
	t.match((await shop.audit()).items[0], {
		command: "issueSpt",
		actor: "Ada",
		role: "reader",
		outcome: "failed",
		code: "SCOPE_FORBIDDEN",
	});
});

t.test("an entry that is gone or changed breaks the chain", async (t) => {
	const shop = await openShop(t);
	for (let count = 0; count < 3; count++) await shop.command("POST", "/spts", { usd: "1" });
	t.match((await shop.command("GET", "/audit/verification")).body, { status: "ok", entries: 6 });
	const { store } = shop.app;
	const rows = await store.read((reader) => reader.list("audit"));
	const attempt = async (tamper: () => Promise<unknown>, sequence: number) => {
		await tamper();
		const { body } = await shop.command("GET", "/audit/verification");
		t.match(body, { status: "broken", sequence });
		await store.transaction(async (tx) => {
			for (const row of rows) await tx.put("audit", row);
		});
	};
	const third = rows[2];
	const last = rows.at(-1);
	if (!third || !last) throw new Error("There are six.");
	await attempt(() => store.transaction((tx) => tx.delete("audit", third.id)), 3);
	await attempt(() => store.transaction((tx) => tx.delete("audit", last.id)), 6);
	await attempt(() => store.transaction((tx) => tx.put("audit", { ...third, actor: "no one" })), 3);
	t.match((await shop.command("GET", "/audit/verification")).body, { status: "ok" });
});

t.test(
	"a change whose process ended before its outcome was written is named as interrupted",
	async (t) => {
		const first = await openShop(t);
		const log = createAuditLog({ store: first.app.store, clock: systemClock });
		await first.app.store.transaction((tx) =>
			log.begin(tx, {
				actor: { name: "Ada", role: "owner" },
				command: "issueSpt",
				target: "spt/new",
			}),
		);
		t.match((await first.audit()).items, [{ outcome: "begun" }], "under way");
		await first.close();
		const second = await openShop(t, first.folder);
		t.match((await second.audit()).items, [
			{ outcome: "interrupted", actor: "Ada", command: "issueSpt" },
		]);
		t.match((await second.command("GET", "/audit/verification")).body, {
			status: "ok",
			entries: 2,
		});
	},
);

t.test("a start that sells something else, or lets others in, is on the log", async (t) => {
	const folder = t.testdir();
	const nothing = { model: "none", judge: "none", facilitator: "off", catalog: "none" };
	const flags = { data: folder, ...nothing };
	const logger = { info: () => undefined, error: () => undefined };
	const lines: AuditRow[][] = [];
	for (const more of [{}, {}, { accounts: "open" }]) {
		const settings = readSettings({ flags: { ...flags, ...more }, environment: {}, folder });
		const app = await createApp({ settings, logger, isServing: true });
		lines.push([...(await app.store.read((reader) => reader.list("audit")))]);
		await app.close();
	}
	const [first = [], second, third = []] = lines;
	t.match(first, [{ actor: "settings", command: "serve", target: "settings", outcome: "done" }]);
	t.same(
		second?.map(({ hash }) => hash),
		first.map(({ hash }) => hash),
		"the same start changes nothing",
	);
	t.equal(third.length, 2);
	t.match(JSON.parse(third[1]?.before ?? ""), { accounts: "closed", graphs: [] });
	t.match(JSON.parse(third[1]?.after ?? ""), { accounts: "open" });
});

t.test("a dry run says what would change, and changes nothing", async (t) => {
	const shop = await openShop(t);
	const { account_id } = (await shop.command("POST", "/keys", { usd: "5" })).body;
	const entries = (await shop.audit()).items.length;
	const credit = { account_id, usd: "2.5", dry_run: true };
	t.match((await shop.command("POST", "/accounts/credit", credit)).body, {
		dry_run: true,
		command: "creditAccount",
		target: `account/${account_id}`,
		before: { balance_usd: "5.00" },
		after: { balance_usd: "7.50" },
	});
	t.match((await shop.command("POST", "/spts", { usd: "9", dry_run: true })).body, {
		after: { balance_usd: "9.00" },
	});
	t.match((await shop.command("GET", `/accounts/${account_id}`)).body, { balance_usd: "5.00" });
	t.same((await shop.command("GET", "/spts")).body.items, []);
	t.equal((await shop.audit()).items.length, entries);
	for (const [path, body, status] of [
		["/accounts/credit", { account_id: "acc_none", usd: "1", dry_run: true }, 404],
		["/accounts/credit", { ...credit, dry_run: "yes" }, 400],
		["/backups", { folder: "/nowhere", dry_run: true }, 400],
	] as const) {
		t.equal((await shop.command("POST", path, body)).status, status, path);
	}
});

t.test("a retry key is answered with the same reply, and refused for another input", async (t) => {
	const shop = await openShop(t);
	const key = { "Idempotency-Key": "order 17" };
	const first = await shop.command("POST", "/spts", { usd: "5" }, key);
	const again = await shop.command("POST", "/spts", { usd: "5" }, key);
	t.same(again.body, first.body, "the secret included");
	t.equal(again.headers.get("idempotent-replayed"), "true");
	t.equal((await shop.command("GET", "/spts")).body.items.length, 1);
	const other = await shop.command("POST", "/spts", { usd: "6" }, key);
	t.equal(other.status, 409);
	t.match(other.body.error, { code: "CONFLICT", message: /another input/ });
	// One that failed did nothing, and may be tried again.
	const missing = { account_id: "acc_none", usd: "1" };
	for (let tries = 0; tries < 2; tries++) {
		t.equal((await shop.command("POST", "/accounts/credit", missing, key)).status, 404);
	}
	t.equal(
		(await shop.command("POST", "/spts", { usd: "5" }, { "Idempotency-Key": "é" })).status,
		400,
	);
});

t.test(
	"a command that names an ETag is refused when what it changes is another by now",
	async (t) => {
		const shop = await openShop(t);
		const { account_id } = (await shop.command("POST", "/keys", {})).body;
		const path = `/accounts/${account_id}`;
		const etag = (await shop.command("GET", path)).headers.get("etag") ?? "";
		const stale = { "If-Match": etag };
		const changed = await shop.command("PATCH", path, { has_payment_method: true }, stale);
		t.equal(changed.status, 200);
		const fresh = changed.headers.get("etag") ?? "";
		t.not(fresh, etag);
		t.equal((await shop.command("GET", path)).headers.get("etag"), fresh);
		const refused = await shop.command("PATCH", path, { has_payment_method: false }, stale);
		t.equal(refused.status, 412);
		t.match(refused.body.error, { code: "PRECONDITION_FAILED" });
		t.match((await shop.command("GET", path)).body, { has_payment_method: true });
		const any = { "If-Match": `"x", ${fresh}` };
		t.equal((await shop.command("PATCH", path, { has_payment_method: false }, any)).status, 200);
		const none = { "If-Match": "*" };
		t.equal((await shop.command("PATCH", "/accounts/acc_none", {}, none)).status, 412);
	},
);
