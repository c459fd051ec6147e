import { EventEmitter, once } from "node:events";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { openKeyFolder } from "../../src/accounts/key-folder.js";
import { type App, createApp } from "../../src/app/create-app.js";
import { systemRandom } from "../../src/kernel/ids.js";
import { createDataBackup, restoreData } from "../../src/operator/data/data-backup.js";
import { testSettings } from "../support/start-app.js";

const silent = { info: () => undefined, error: () => undefined };
const open = (folder: string) =>
	createApp({ settings: testSettings(folder, { model: "none" }), logger: silent });

/** A backup that waits, as for an import, until it is let go. */
function waitingBackup({ store }: App, folder: string) {
	const gate = new EventEmitter();
	const isOpen = once(gate, "open");
	const importer = {
		import: () => Promise.reject(new Error("nothing is imported here")),
		whileNoneRuns: <T>(work: () => Promise<T>) => isOpen.then(work),
	};
	const keys = openKeyFolder(join(folder, "keys"), systemRandom);
	const rotation = { whileNoneChanges: <T>(work: () => Promise<T>) => work() };
	const backUp = createDataBackup({ store, importer, rotation, keys, folder });
	return { backUp, letGo: () => gate.emit("open") };
}

t.test("a restored data folder is the one that was backed up, keys included", async (t) => {
	const root = t.testdir({});
	const [data, copy, other] = [join(root, "data"), join(root, "copy"), join(root, "other")];
	const app = await open(data);
	const { token } = await app.operator.issueSpt({ usd: "3" });
	const told: { done: number; total: number }[] = [];
	const made = await app.operator.backUp({ folder: copy }, (progress) => told.push(progress));
	t.same(
		told.map(({ done }) => done),
		told.map((_, index) => index + 1),
		"each file is told of, keys too",
	);
	t.ok(told.length >= 6 && told.at(-1)?.done === told.at(-1)?.total);
	await app.operator.issueSpt({ usd: "4" });
	await app.close();
	const back = await restoreData({ from: copy, data: other });
	t.match(back, { profile: "demo", transactions: made.transactions, created_at: made.created_at });
	const again = await open(other);
	t.teardown(() => again.close());
	t.same(
		(await again.operator.listSpts()).items.map(({ balance_usd }) => balance_usd),
		["3.00"],
		"what came later is not in it",
	);
	t.equal(again.adminToken, app.adminToken);
	const caller = await again.service.identify({ scheme: "spt", token });
	t.match(caller, { owner: /^tok_/, rail: "spt" }, "the pepper is the same");
	t.match(await again.operator.verifyLedger(), { status: "ok", failures: [] });
	t.match(
		(await again.operator.listAudit({ command: "restore" })).items,
		[{ actor: "command line", outcome: "done", after: { backup_of: made.created_at } }],
		"the log says that the books went back to an earlier moment",
	);
	t.match(await again.operator.verifyAudit(), { status: "ok" });
});

t.test("a place that would do harm is refused, and nothing is left there", async (t) => {
	const root = t.testdir({ full: { "a.txt": "somebody's" } });
	const [data, copy] = [join(root, "data"), join(root, "copy")];
	const app = await open(data);
	t.teardown(() => app.close());
	symlinkSync(data, join(root, "link"));
	symlinkSync(join(data, "keys", "inside"), join(root, "nothing"));
	for (const [folder, message] of [
		["relative/folder", /relative/],
		[data, /inside the data folder/],
		[join(data, "backup"), /inside the data folder/],
		[join(root, "link", "backup"), /inside the data folder/],
		[root, /inside the data folder, or around it/],
		[join(root, "full"), /not empty.*a\.txt/],
		[join(root, "full", "a.txt"), /no folder/],
		[join(root, "full", "a.txt", "b"), /no folder/],
		[join(root, "nothing"), /link to nothing/],
		[join(root, "nothing", "within"), /link to nothing/],
	] as const) {
		await t.rejects(app.operator.backUp({ folder }), { code: "INVALID_ARGUMENT", message }, folder);
	}
	await t.rejects(app.operator.backUp({ folder: `${root}/a\0b` }), { code: "INVALID_ARGUMENT" });
	t.same(readdirSync(root).sort(), ["data", "full", "link", "nothing"]);

	mkdirSync(copy);
	await app.operator.backUp({ folder: copy });
	for (const [request, message] of [
		[{ from: join(root, "full"), data: join(root, "new") }, /no whole backup/],
		[{ from: join(root, "nowhere"), data: join(root, "new") }, /no whole backup/],
		[{ from: copy, data }, /not empty/],
		[{ from: copy, data: join(copy, "new") }, /inside the backup/],
		[{ from: join(copy, "journal"), data: join(root, "new") }, /holds a "tollgraph journal"/],
	] as const) {
		await t.rejects(restoreData(request), { code: "INVALID_ARGUMENT", message });
	}
	for (const path of ["profile", "keys/pepper", "journal/manifest.json", "journal/mark"]) {
		const spoiled = join(root, `spoiled ${path.replaceAll("/", " ")}`);
		await app.operator.backUp({ folder: spoiled });
		writeFileSync(join(spoiled, path), "{}");
		await t.rejects(restoreData({ from: spoiled, data: join(root, "new") }), {
			code: "UNAVAILABLE",
			message: new RegExp(`${path}.*Nothing was restored`),
		});
	}
	t.notOk(readdirSync(root).some((name) => name.startsWith("new")));
});

t.test("a backup that fails takes nothing away that is not its own", async (t) => {
	const root = t.testdir({ shared: {} });
	const [data, older, shared] = [join(root, "data"), join(root, "older"), join(root, "shared")];
	const app = await open(data);
	await app.operator.issueSpt({ usd: "3" });
	await app.operator.backUp({ folder: older });

	const place = join(root, "place");
	const late = waitingBackup(app, data);
	const outcome = late.backUp({ folder: place });
	await restoreData({ from: older, data: place });
	late.letGo();
	await t.rejects(outcome, { code: "INVALID_ARGUMENT", message: /not empty/ });

	const linked = waitingBackup(app, data);
	const refused = linked.backUp({ folder: shared });
	symlinkSync(join(data, "journal"), join(shared, "journal"));
	linked.letGo();
	await t.rejects(refused, { code: "INVALID_ARGUMENT", message: /not empty/ });
	await app.operator.issueSpt({ usd: "4" });
	await app.close();

	t.same(readdirSync(root).sort(), ["data", "older", "place", "shared"], "nor is anything left");
	for (const [folder, balances] of [
		[place, ["3.00"]],
		[data, ["3.00", "4.00"]],
	] as const) {
		const opened = await open(folder);
		const { items } = await opened.operator.listSpts();
		t.same(items.map(({ balance_usd }) => balance_usd).sort(), balances);
		await opened.close();
	}
});

t.test("of two backups into one place exactly one is made, and it is whole", async (t) => {
	const root = t.testdir({});
	const data = join(root, "data");
	const app = await open(data);
	t.teardown(() => app.close());
	await app.operator.issueSpt({ usd: "3" });
	const first = waitingBackup(app, data);
	const second = waitingBackup(app, data);
	const target = { folder: join(root, "copy") };
	const both = Promise.allSettled([first.backUp(target), second.backUp(target)]);
	await t.rejects(first.backUp({ folder: join(root, "elsewhere") }), {
		code: "UNAVAILABLE",
		message: /being made already/,
	});
	first.letGo();
	second.letGo();
	const made = (await both).filter(({ status }) => status === "fulfilled");
	t.equal(made.length, 1);
	t.same(readdirSync(root).sort(), ["copy", "data"]);
	await restoreData({ from: target.folder, data: join(root, "new") });
	t.ok(existsSync(join(root, "new", "journal")));
	await first.backUp({ folder: join(root, "later") });
});

t.test("a backup that fills the disk says whether sales go on", async (t) => {
	const root = t.testdir({});
	const [data, folder] = [join(root, "data"), join(root, "copy")];
	const app = await open(data);
	t.teardown(() => app.close());
	for (const [reason, message] of [
		[undefined, /ENOSPC.*Sales go on/],
		["the disk is full", /ENOSPC.*stopped.*the disk is full/],
	] as const) {
		const store = {
			...app.store,
			backup: () => Promise.reject(new Error("ENOSPC")),
			health: () => ({ ...app.store.health(), reason }),
		};
		const full = waitingBackup({ ...app, store }, data);
		full.letGo();
		await t.rejects(full.backUp({ folder }), { code: "UNAVAILABLE", message });
	}
	t.same(readdirSync(root), ["data"]);
});
