import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { createApp } from "../../src/app.js";
import { restoreData } from "../../src/data-restore.js";
import { testSettings } from "../support/start-app.js";

const silent = { info: () => undefined, error: () => undefined };
const open = (folder: string) =>
	createApp({ settings: testSettings(folder, { model: "none" }), logger: silent });

t.test("a restored data folder is the one that was backed up, keys included", async (t) => {
	const root = t.testdir({});
	const [data, copy, other] = [join(root, "data"), join(root, "copy"), join(root, "other")];
	const app = await open(data);
	const { token } = await app.operator.issueSpt({ usd: "3" });
	const made = await app.operator.backUp({ folder: copy });
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
});

t.test("a place that would do harm is refused, and nothing is left there", async (t) => {
	const root = t.testdir({ full: { "a.txt": "somebody's" } });
	const [data, copy] = [join(root, "data"), join(root, "copy")];
	const app = await open(data);
	t.teardown(() => app.close());
	symlinkSync(data, join(root, "link"));
	for (const [folder, message] of [
		["relative/folder", /relative/],
		[data, /inside the data folder/],
		[join(data, "backup"), /inside the data folder/],
		[join(root, "link", "backup"), /inside the data folder/],
		[root, /inside the data folder, or around it/],
		[join(root, "full"), /not empty.*a\.txt/],
		[join(root, "full", "a.txt"), /no folder/],
	] as const) {
		await t.rejects(app.operator.backUp({ folder }), { code: "INVALID_ARGUMENT", message }, folder);
	}
	await t.rejects(app.operator.backUp({ folder: join(root, "full", "a.txt", "b") }), {
		message: /no folder|was not made/,
	});
	t.same(readdirSync(root).sort(), ["data", "full", "link"]);

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

t.test("a data folder that has lost its keys is told apart from one without any", async (t) => {
	const root = t.testdir({});
	const app = await open(join(root, "data"));
	t.teardown(() => app.close());
	rmSync(join(root, "data", "keys", "pepper"));
	await t.rejects(app.operator.backUp({ folder: join(root, "copy") }), {
		code: "UNAVAILABLE",
		message: /keys\/pepper.*missing/,
	});
	t.same(readdirSync(root), ["data"], "nothing is left of it");
});
