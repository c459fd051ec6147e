import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { zipSync } from "fflate";
import t, { type Test } from "tap";
import { startApp } from "../support/start-app.js";

const text = (words: string) => new TextEncoder().encode(words);
const NOTES = {
	"a.md": text("# Bridges\n\nA bridge spans a river.\n"),
	"b.md": text("# Tolls\n\nPaid.\n"),
};

async function openShop(t: Test) {
	const shop = await startApp(t, { settings: { model: "none", catalog: "none" } });
	const send = async (
		archive: Uint8Array,
		options: object | string,
		key = shop.app.adminToken,
		headers: Readonly<Record<string, string>> = {},
	) => {
		const query = typeof options === "string" ? options : JSON.stringify(options);
		const path = `/v1/admin/imports?options=${encodeURIComponent(query)}`;
		const reply = await fetch(`${shop.baseUrl}${path}`, {
			method: "POST",
			headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/zip", ...headers },
			body: Buffer.from(archive),
		});
		const lines = (await reply.text()).trim().split("\n");
		return { status: reply.status, last: JSON.parse(lines.at(-1) ?? "{}") };
	};
	return { shop, send };
}

const uploads = () => readdirSync(tmpdir()).filter((name) => name.startsWith("tollgraph-upload-"));

t.test("a zip that is sent is reported first, then on sale, and left nowhere", async (t) => {
	const before = uploads();
	const { shop, send } = await openShop(t);
	const archive = zipSync(NOTES);
	const dry = await send(archive, { as: "notes", dry_run: true });
	t.match(dry.last, { result: { graph_id: "notes", nodes: 2, dry_run: true } });
	t.same((await shop.app.operator.listGraphs()).items, []);
	t.match((await send(archive, { as: "notes" })).last, { result: { nodes: 2, version: 1 } });
	t.match((await shop.app.operator.listGraphs()).items, [{ id: "notes", imported: true }]);
	await t.resolves(
		(async () => {
			while (uploads().some((name) => !before.includes(name))) await new Promise(setImmediate);
		})(),
		"nothing of it lies about",
	);
});

t.test("what is no archive, or lies, is refused, and says nothing of where it lay", async (t) => {
	const { shop, send } = await openShop(t);
	for (const [archive, why] of [
		[text("no zip"), /not a readable zip/],
		[zipSync({ "../../evil.md": text("# Evil\n\nOut of the folder.\n") }), /Nothing in/],
		[zipSync({ "pic.png": text("x") }), /Nothing in "the upload/],
	] as const) {
		const { last } = await send(archive, { as: "evil" });
		t.match(last.error?.message, why);
		t.notMatch(JSON.stringify(last), tmpdir());
	}
	for (const options of [
		"[]",
		"nonsense",
		'{"as":"x","source":1,"source":2}',
		{ as: "notes", nothing: 1 },
	]) {
		t.equal((await send(zipSync(NOTES), options)).status, 400, JSON.stringify(options));
	}
	t.same((await shop.app.operator.listGraphs()).items, []);
});

t.test("an archive that is sent again under its retry key is the same command", async (t) => {
	const { shop, send } = await openShop(t);
	const again = (files: Parameters<typeof zipSync>[0]) =>
		send(zipSync(files, { mtime: "2026-01-01" }), { as: "notes" }, undefined, {
			"Idempotency-Key": "import-notes-1",
		});
	const first = await again(NOTES);
	t.match(first.last, { result: { nodes: 2, version: 1 } });
	t.same((await again(NOTES)).last, first.last, "answered as before");
	t.match((await again({ "a.md": NOTES["a.md"] })).last, { error: { code: "CONFLICT" } });
	t.match((await shop.app.operator.listGraphs()).items, [{ id: "notes", nodes: 2 }]);
});

t.test("the path of an upload is the server's to choose", async (t) => {
	const { shop, send } = await openShop(t);
	const named = { as: "notes", source: "/etc/passwd" };
	t.match((await send(zipSync(NOTES), named)).last, { result: { nodes: 2 } });
	const { key } = await shop.app.operator.addOperator({ name: "Rita", role: "reader" });
	const refused = await send(zipSync(NOTES), { as: "other" }, key);
	t.equal(refused.status, 403);
	t.match((await shop.app.operator.listGraphs()).items, [{ id: "notes" }]);
});

t.test("an archive that is too long is refused before it is read", async (t) => {
	const { shop } = await openShop(t);
	const reply = await shop.send("/v1/admin/imports", {
		method: "POST",
		headers: {
			Authorization: `Bearer ${shop.app.adminToken}`,
			"Content-Type": "application/zip",
		},
		body: Buffer.alloc(16 * 1024 * 1024 + 1),
	});
	t.equal(reply.status, 400);
	t.match(reply.body.error.message, /at most 16 MiB/);
});
