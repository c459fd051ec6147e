import {
	cpSync,
	existsSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import t from "tap";
import { createApp } from "../../src/app/create-app.js";
import { restoreData } from "../../src/operator/data/data-backup.js";
import { openBackupFolder } from "../../store/journal/backup-folder.js";
import { nodeFileSystem } from "../../store/journal/file-system.js";
import { testSettings } from "../support/start-app.js";

const silent = { info: () => undefined, error: () => undefined };
const open = (folder: string) =>
	createApp({ settings: testSettings(folder, { model: "none" }), logger: silent });

t.test("a backup is refused while a key is missing or is none", async (t) => {
	const root = t.testdir({});
	const [data, keys] = [join(root, "data"), join(root, "data", "keys")];
	const app = await open(data);
	t.teardown(() => app.close());
	const lasting = [
		"pepper",
		"admin-token",
		"card-signing.jwk.json",
		"receipt-signing.jwk.json",
	] as const;
	for (const name of lasting) {
		const path = join(keys, name);
		const text = readFileSync(path, "utf8");
		rmSync(path);
		const message = new RegExp(`keys/${name}.*missing`);
		await t.rejects(app.operator.backUp({ folder: join(root, "copy") }), { message });
		writeFileSync(path, text);
	}
	for (const name of [...lasting, "settler-key", "demo-wallet.json", "facilitator-token"]) {
		const path = join(keys, name);
		const text = existsSync(path) ? readFileSync(path, "utf8") : undefined;
		for (const spoiled of name === "facilitator-token" ? ["", "\n"] : ["", "{}"]) {
			writeFileSync(path, spoiled);
			const problem = { code: "UNAVAILABLE", message: new RegExp(`keys/${name}.*damaged`) };
			await t.rejects(app.operator.backUp({ folder: join(root, "copy") }), problem, name);
		}
		rmSync(path);
		if (text !== undefined) writeFileSync(path, text);
	}
	symlinkSync(join(root, "not-mounted"), join(keys, "settler-key"));
	await t.rejects(app.operator.backUp({ folder: join(root, "copy") }), {
		code: "UNAVAILABLE",
		message: /settler-key.*link to nothing/,
	});
	t.same(readdirSync(root), ["data"], "nothing is left of it");
	writeFileSync(join(root, "not-mounted"), `0x${"1".repeat(64)}\n`);
	await app.operator.backUp({ folder: join(root, "copy") });
	t.match(readFileSync(join(root, "copy", "keys", "settler-key"), "utf8"), "0x1111");
});

function manifestOf(backup: string) {
	const text = readFileSync(join(backup, "manifest.json"), "utf8");
	const { files, ...facts } = JSON.parse(text) as { files: { path: string }[] };
	return { files, facts };
}

t.test("a start and a restore want the same keys", async (t) => {
	const root = t.testdir({});
	const data = join(root, "data");
	const app = await open(data);
	await app.operator.backUp({ folder: join(root, "copy") });
	await app.close();
	await t.test("nor does a manifest do that leaves the journal out", async (t) => {
		const backup = await openBackupFolder(nodeFileSystem, join(root, "no journal"));
		const { facts, files } = manifestOf(join(root, "copy"));
		for (const { path } of files) {
			if (!path.startsWith("journal/")) await backup.copy(join(root, "copy", path), path);
		}
		await backup.finish(facts);
		await t.rejects(restoreData({ from: join(root, "no journal"), data: join(root, "new") }), {
			code: "UNAVAILABLE",
			message: /no "journal".*Nothing was restored/,
		});
	});
	for (const name of ["pepper", "admin-token", "receipt-signing.jwk.json"]) {
		const [path, without] = [join(data, "keys", name), join(root, `without ${name}`)];
		const text = readFileSync(path, "utf8");
		writeFileSync(path, "");
		await t.rejects(open(data), { code: "UNAVAILABLE", message: new RegExp(`${name}.*damaged`) });
		writeFileSync(path, text);

		const { facts, files } = manifestOf(join(root, "copy"));
		const kept = files.filter((file) => file.path !== `keys/${name}`);
		const backup = await openBackupFolder(nodeFileSystem, without);
		for (const file of kept) await backup.copy(join(root, "copy", file.path), file.path);
		cpSync(join(root, "copy", "journal"), join(without, "journal"), { recursive: true });
		await backup.finish(facts);
		await t.rejects(restoreData({ from: without, data: join(root, "new") }), {
			code: "UNAVAILABLE",
			message: new RegExp(`no "keys/${name}".*Nothing was restored`),
		});
	}
	await (await open(data)).close();
});

t.test(
	"a key that is lost or altered is not made anew, and comes back from a backup",
	async (t) => {
		const data = join(t.testdir({}), "data");
		const first = await open(data);
		const { token } = await first.operator.issueSpt({ usd: "5.00" });
		await first.close();
		const names = ["pepper", "card-signing.jwk.json", "receipt-signing.jwk.json"];
		for (const name of names) {
			const path = join(data, "keys", name);
			const text = readFileSync(path, "utf8");
			rmSync(path);
			const refusal = (why: RegExp) => ({ code: "UNAVAILABLE", message: why });
			await t.rejects(open(data), refusal(new RegExp(`keys/${name}" is missing.*from a backup`)));
			t.notOk(existsSync(path), "no other takes its place");
			const other = name === "pepper" ? "ab".repeat(32) : text.replace(/[a-f](?=[^a-f]*$)/, "0");
			writeFileSync(path, other);
			await t.rejects(open(data), refusal(/another than it was|damaged/), name);
			writeFileSync(path, text);
		}
		const again = await open(data);
		t.teardown(() => again.close());
		const balances = await again.operator.listSpts({});
		t.match(JSON.stringify(balances), /5\.00/, token.slice(0, 8));
	},
);
