import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, flattenedVerify } from "jose";
import t from "tap";
import { type App, createApp } from "../../src/app/create-app.js";
import { toCanonicalJson } from "../../src/kernel/json.js";
import { restoreData } from "../../src/operator/data/data-backup.js";
import { filesBelow } from "../support/files-below.js";
import { startApp, testSettings } from "../support/start-app.js";

const silent = { info: () => undefined, error: () => undefined };
const open = (folder: string) =>
	createApp({ settings: testSettings(folder, { model: "none", catalog: "none" }), logger: silent });
const audited = (app: App) => app.commands.as({ name: "ann", role: "owner" });

/** One credential of each kind that is known by a hash alone. */
async function issueAll(app: App) {
	const { token } = await app.operator.issueSpt({ usd: "5.00" });
	const { key, account_id } = await app.operator.createKey({});
	const connection = await app.operator.createToken({ account_id });
	return { token, key, connection: connection.token };
}

async function whoIsKnown(app: App, issued: Awaited<ReturnType<typeof issueAll>>) {
	const isKnown = (credential: Parameters<App["service"]["identify"]>[0]) =>
		app.service.identify(credential).then(
			() => true,
			() => false,
		);
	return {
		token: await isKnown({ scheme: "spt", token: issued.token }),
		key: await isKnown({ scheme: "api_key", key: issued.key }),
		connection: await isKnown({ scheme: "connection", token: issued.connection }),
	};
}

const EVERYONE = { token: true, key: true, connection: true };
const isActive = async (app: App, token: string) => (await app.money.spts.validate(token)).active;

t.test(
	"what was shown since a rotation outlives the older pepper, and nothing else does",
	async (t) => {
		const data = join(t.testdir({}), "data");
		const app = await open(data);
		const shown = await issueAll(app);
		const { token: unshown } = await app.operator.issueSpt({ usd: "2.00" });
		const older = async (one: App) => (await one.operator.getSecret({ name: "pepper" })).older;
		t.match(await older(app), { tokens: 0, keys: 0, connections: 0 });
		t.match(await audited(app).rotateSecret({ name: "pepper" }), { in_force: 2, retired: 0 });
		t.match(await older(app), { tokens: 2, keys: 1, connections: 1 });
		const { token: later } = await app.operator.issueSpt({ usd: "1.00" });
		t.same(await whoIsKnown(app, shown), EVERYONE, "known by the older pepper");
		t.match(await older(app), { tokens: 1, keys: 0, connections: 0 }, "and by the newest now");
		await t.rejects(audited(app).retireSecret({ name: "pepper" }), {
			code: "CONFLICT",
			message: /open nothing any more: 1 Shared Payment Token\. Nothing was done/,
		});
		await app.close();

		const again = await open(data);
		t.same(await whoIsKnown(again, shown), EVERYONE, "over a restart, too");
		t.equal(await isActive(again, later), true);
		const retired = await audited(again).retireSecret({ name: "pepper", confirm: true });
		t.match(retired, { in_force: 1, retired: 1 });
		t.equal(await isActive(again, unshown), false, "no one had shown it");
		const log = await again.operator.listAudit({ target: "secret/pepper" });
		const outcomes = log.items.map(({ command, outcome, code }) => [command, outcome, code]);
		t.same(
			outcomes.filter(([, outcome]) => outcome !== "begun"),
			[
				["retireSecret", "done", null],
				["retireSecret", "failed", "CONFLICT"],
				["rotateSecret", "done", null],
			],
		);
		await again.close();
		const last = await open(data);
		t.teardown(() => last.close());
		t.same(await whoIsKnown(last, shown), EVERYONE);
		t.equal(await isActive(last, later), true);
		t.equal(await isActive(last, unshown), false);
		await t.rejects(last.operator.retireSecret({ name: "pepper" }), { message: /no older key/ });
	},
);

t.test(
	"a running server signs with the new key, and what older ones signed still verifies",
	async (t) => {
		const shop = await startApp(t, { settings: { model: "none" } });
		const { token } = await shop.issueSpt("5.00");
		const sold = await shop.search({ token });
		const receiptId = sold.body.meta.cost.receipt_id;
		const receipt = async () => {
			const path = `/v1/receipts/${receiptId}`;
			return (await shop.send(path, { headers: { "X-Pay-SPT": token } })).body.data.jws as string;
		};
		const card = async () => (await shop.send("/.well-known/agent-card.json")).body;
		const keySet = async () => (await shop.send("/.well-known/jwks.json")).body;
		const verify = async (jws: string) => {
			const headers = { "Content-Type": "application/json" };
			const body = JSON.stringify({ jws });
			return (await shop.send("/v1/receipts/verify", { method: "POST", headers, body })).body.data
				.valid;
		};
		const before = { receipt: await receipt(), card: await card() };
		const published = async () => createLocalJWKSet(await keySet());
		for (const name of ["card", "receipts", "access-tokens"] as const) {
			t.match(await audited(shop.app).rotateSecret({ name }), { in_force: 2 }, name);
		}
		t.equal((await keySet()).keys.length, 4, "the older ones stay published");
		const after = { receipt: await receipt(), card: await card() };
		const kidOf = (jws: string) => decodeProtectedHeader(jws).kid;
		t.not(kidOf(after.receipt), kidOf(before.receipt));
		for (const jws of [before.receipt, after.receipt]) {
			t.equal(await verify(jws), true);
			t.ok(await compactVerify(jws, await published()), "offline, too");
		}
		const isSigned = async ({
			signatures,
			...unsigned
		}: {
			signatures: { protected: string; signature: string }[];
		}) => {
			const whole = signatures.at(-1);
			const payload = Buffer.from(toCanonicalJson(unsigned)).toString("base64url");
			return flattenedVerify(
				{ protected: "", signature: "", ...whole, payload },
				await published(),
			);
		};
		t.ok(await isSigned(before.card));
		t.ok(await isSigned(after.card));
		t.not(before.card.signatures[0].protected, after.card.signatures[0].protected);

		await audited(shop.app).retireSecret({ name: "receipts", confirm: true });
		t.equal(await verify(before.receipt), false, "until it is retired");
		t.equal(await verify(after.receipt), true);
		t.equal((await keySet()).keys.length, 3);
		const file = readFileSync(join(shop.folder, "keys", "receipt-signing.jwk.json"), "utf8");
		t.equal(file.trim().split("\n").length, 1, "nor is its secret half kept");
		await shop.close();
		const again = await startApp(t, { folder: shop.folder, settings: { model: "none" } });
		t.equal((await again.send("/.well-known/jwks.json")).body.keys.length, 3);
	},
);

const ROTATOR = fileURLToPath(new URL("./rotating-process.js", import.meta.url));

t.test("a rotation that is killed at any step has happened or has not", async (t) => {
	const root = t.testdir({});
	const data = join(root, "data");
	const app = await open(data);
	const issued = await issueAll(app);
	await app.close();
	const seen: number[] = [];
	for (const nth of [1, 4, 5, 7]) {
		const copy = join(root, `killed ${nth}`);
		cpSync(data, copy, { recursive: true });
		const child = spawn(process.execPath, [ROTATOR, copy, "pepper", String(nth)], {
			stdio: ["ignore", "ignore", "inherit"],
		});
		const [, signal] = await once(child, "close");
		t.equal(signal, "SIGKILL");
		const again = await open(copy);
		const { in_force } = await again.operator.getSecret({ name: "pepper" });
		seen.push(in_force);
		t.same(await whoIsKnown(again, issued), EVERYONE, `killed before change ${nth}`);
		const { token } = await again.operator.issueSpt({ usd: "1.00" });
		const { items } = await again.operator.listAudit({ target: "secret/pepper" });
		t.match(items[0], { command: "rotateSecret", outcome: "interrupted" });
		await again.close();
		const last = await open(copy);
		t.equal(await isActive(last, token), true);
		await last.close();
	}
	t.same(seen, [1, 1, 2, 2], "from the rename on it has happened");
});

t.test("a key in force that is lost after a rotation is refused, whichever it is", async (t) => {
	const data = join(t.testdir({}), "data");
	const app = await open(data);
	await app.operator.rotateSecret({ name: "pepper" });
	await app.operator.rotateSecret({ name: "receipts" });
	await app.close();
	for (const name of ["pepper", "receipt-signing.jwk.json"]) {
		const path = join(data, "keys", name);
		const text = readFileSync(path, "utf8");
		const [newest = "", oldest = ""] = text.trim().split("\n");
		for (const left of [newest, oldest]) {
			writeFileSync(path, left);
			const message = new RegExp(`keys/${name}" lacks a key that is still in force.*from a backup`);
			await t.rejects(open(data), { code: "UNAVAILABLE", message });
		}
		writeFileSync(path, text);
	}
	await (await open(data)).close();
});

t.test(
	"a backup has keys and journal of one moment, and none is made while keys change",
	async (t) => {
		const root = t.testdir({});
		const [data, copy, restored] = [join(root, "data"), join(root, "copy"), join(root, "new")];
		const app = await open(data);
		t.teardown(() => app.close());
		const issued = await issueAll(app);
		await app.operator.rotateSecret({ name: "pepper" });
		let refused: Promise<unknown> | undefined;
		await app.operator.backUp({ folder: copy }, () => {
			refused ??= app.operator.rotateSecret({ name: "pepper" }).catch((error: unknown) => error);
		});
		t.match(await refused, { code: "UNAVAILABLE", message: /A backup is being made/ });
		await app.operator.rotateSecret({ name: "pepper" });
		await restoreData({ from: copy, data: restored });
		const again = await open(restored);
		t.teardown(() => again.close());
		t.match(await again.operator.getSecret({ name: "pepper" }), { in_force: 2 });
		t.same(await whoIsKnown(again, issued), EVERYONE);
		t.match(await app.operator.getSecret({ name: "pepper" }), { in_force: 3 });
	},
);

t.test(
	"the key of texts is made for old folders, rotated, refused when lost, and kept by a backup",
	async (t) => {
		const root = t.testdir({});
		const [data, copy, restored] = [join(root, "data"), join(root, "copy"), join(root, "new")];
		const first = await open(data);
		await first.close();
		const path = join(data, "keys", "text-key");
		const key = readFileSync(path, "utf8");
		rmSync(path);
		await t.rejects(open(data), {
			code: "UNAVAILABLE",
			message: /text-key" is missing.*backup.*text_key_command/,
		});
		writeFileSync(path, "ab".repeat(32));
		await t.rejects(open(data), {
			code: "UNAVAILABLE",
			message: /text-key" is another than it was/,
		});
		writeFileSync(path, key);

		const app = await open(data);
		const later = Date.now() + 86_400_000;
		await app.store.documents.put("one", "before", later);
		t.match(await app.operator.rotateSecret({ name: "texts" }), { in_force: 2 });
		await app.store.documents.put("two", "after", later);
		const headOf = (id: string) => {
			const [file = ""] = filesBelow(join(data, "journal", "documents")).filter((one) =>
				one.includes(`/${id}.`),
			);
			return readFileSync(file, "utf8").split(".")[2];
		};
		t.not(headOf("one"), headOf("two"), "each names its key");
		t.equal(await app.store.documents.get("one"), "before");
		await t.rejects(app.operator.retireSecret({ name: "texts", confirm: true }), {
			message: /not written again/,
		});
		await app.operator.backUp({ folder: copy });
		await app.close();
		await restoreData({ from: copy, data: restored });
		const again = await open(restored);
		t.teardown(() => again.close());
		t.same(await Promise.all(["one", "two"].map((id) => again.store.documents.get(id))), [
			"before",
			"after",
		]);
	},
);

t.test(
	"a command can print the keys of texts; it is run without a shell, and what it printed is asked of it again",
	async (t) => {
		const root = t.testdir({
			"print.mjs": "process.stdout.write(process.argv.slice(2).join('\\n'));",
		});
		const data = join(root, "data");
		const [one, two] = ["1a".repeat(32), "2b".repeat(32)];
		const openWith = (...printed: string[]) =>
			createApp({
				settings: testSettings(data, {
					model: "none",
					catalog: "none",
					...(printed.length > 0 && {
						textKeyCommand: [process.execPath, join(root, "print.mjs"), ...printed],
					}),
				}),
				logger: silent,
			});
		const first = await openWith(one);
		await first.store.documents.put("one", "before", Date.now() + 86_400_000);
		t.notOk(existsSync(join(data, "keys", "text-key")), "no file holds it");
		await t.rejects(first.operator.rotateSecret({ name: "texts" }), {
			message: /come from text_key_command/,
		});
		await first.operator.backUp({ folder: join(root, "copy") });
		await first.close();
		const rotated = await openWith(two, one);
		t.equal(await rotated.store.documents.get("one"), "before");
		t.match(await rotated.operator.getSecret({ name: "texts" }), { in_force: 2 });
		await rotated.close();
		await t.rejects(openWith(two), {
			code: "UNAVAILABLE",
			message: /lacks a key that is still in force/,
		});
		await t.rejects(openWith("$(id)"), { code: "UNAVAILABLE", message: /gave no key/ });
		await t.rejects(openWith(), { code: "UNAVAILABLE", message: /text-key" is missing/ });
		await (await openWith(two, one)).close();
	},
);

t.test("a key that stands over several lines of its file is rotated like any other", async (t) => {
	const root = t.testdir({});
	const other = join(root, "other");
	await (await open(other)).close();
	const name = join("keys", "card-signing.jwk.json");
	const data = join(root, "data");
	mkdirSync(join(data, "keys"), { recursive: true, mode: 0o700 });
	const jwk = JSON.parse(readFileSync(join(other, name), "utf8"));
	writeFileSync(join(data, name), JSON.stringify(jwk, undefined, 2), { mode: 0o600 });
	const app = await open(data);
	t.match(await audited(app).rotateSecret({ name: "card" }), { in_force: 2, retired: 0 });
	await app.close();
	const again = await open(data);
	t.match(await again.operator.getSecret({ name: "card" }), { in_force: 2 });
	await again.close();
});
