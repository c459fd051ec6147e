import { cp, mkdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { createApp } from "../../src/app/create-app.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { startApp, type TestApp, testSettings } from "../support/start-app.js";

const BUNDLED = join(PACKAGE_ROOT, "models", "table");
const NOTES = {
	"tides.md": "---\ntitle: Tides\n---\nTides rise and fall because the moon pulls the oceans.\n",
	"moon.md": "---\ntitle: The moon\n---\nThe moon circles the earth in about 27 days.\n",
};

async function copyModel(folder: string): Promise<string> {
	await cp(BUNDLED, folder, { recursive: true });
	return folder;
}

const SEARCH = { graph: "tides", body: { query: "Why do tides rise?" } };

async function importNotes({ app }: TestApp, root: string): Promise<void> {
	const source = join(root, "notes");
	await mkdir(source, { recursive: true });
	for (const [name, text] of Object.entries(NOTES)) await writeFile(join(source, name), text);
	await app.operator.importGraph({ source, as: "tides" });
}

t.test("another model: keywords at once, and both sides once its vectors are there", async (t) => {
	const root = t.testdir();
	const folder = join(root, "data");
	const first = await copyModel(join(root, "first"));
	const second = await copyModel(join(root, "second"));
	const settings = { catalog: "none", model: `local:${first}` };
	const before = await startApp(t, { folder, settings });
	await importNotes(before, root);
	const { token } = await before.issueSpt("40");
	t.equal((await before.search({ ...SEARCH, token })).body.meta.mode, "hybrid");
	await before.close();

	const app = await createApp({
		settings: testSettings(folder, { catalog: "none", model: `local:${second}` }),
		logger: { info: () => undefined, error: () => undefined },
	});
	t.teardown(() => app.close());
	const { port } = await app.listen({ host: "127.0.0.1", port: 0 });
	const ask = async () => {
		const response = await fetch(`http://127.0.0.1:${port}/v1/graphs/tides/search`, {
			method: "POST",
			headers: { "Content-Type": "application/json", "X-Pay-SPT": token },
			body: JSON.stringify(SEARCH.body),
		});
		const { meta } = (await response.json()) as { meta: Record<string, string> };
		return { status: response.status, meta };
	};
	let isReady = false;
	const ready = app.ready().then(() => {
		isReady = true;
	});
	const answers: Awaited<ReturnType<typeof ask>>[] = [];
	while (!isReady && answers.length < 60) {
		const answer = await ask();
		// The words of the graphs are read back first; that takes a moment.
		if (answers.length > 0 || answer.status !== 503) answers.push(answer);
	}
	await ready;
	answers.push(await ask());
	t.ok(answers.every(({ status, meta }) => status === 200 && meta?.["decision"] === "ANSWER"));
	const modes = answers.map(({ meta }) => meta?.["mode"]);
	t.equal(modes[0], "keyword");
	t.match(
		answers[0]?.meta["mode_reason"],
		/^Vectors of the embedding model are being made: 0 of 2/,
	);
	t.equal(modes.at(-1), "hybrid");
	t.notOk(modes.slice(modes.indexOf("hybrid")).includes("keyword"), "and never back");
});

const REFUSED: readonly {
	readonly what: string;
	readonly reason: RegExp;
	readonly model?: string;
	readonly damage: (folder: string) => Promise<void>;
}[] = [
	{
		what: "a model without its weights",
		reason: /model_quantized.onnx cannot be read/,
		damage: (folder) => rm(join(folder, "onnx"), { recursive: true }),
	},
	{
		what: "a model with a changed file",
		reason: /tokenizer.json differs from SHA256SUMS/,
		damage: (folder) => writeFile(join(folder, "tokenizer.json"), "{}"),
	},
	{
		what: "a model with damaged weights and no checksums",
		reason: /gave no vectors/,
		async damage(folder) {
			await rm(join(folder, "SHA256SUMS"));
			await truncate(join(folder, "onnx", "model_quantized.onnx"), 1_000);
		},
	},
	{
		what: "a model whose configuration lies about its dimensions",
		reason: /unexpected size/,
		async damage(folder) {
			await rm(join(folder, "SHA256SUMS"));
			await writeFile(join(folder, "config.json"), '{"model_type":"bert","hidden_size":384}');
		},
	},
	{
		what: "a model that was never fetched",
		reason: /Xenova\/gte-small has not been fetched: run tollgraph models fetch Xenova\/gte-small/,
		model: "hub:Xenova/gte-small",
		damage: async () => undefined,
	},
];

for (const { what, reason, model, damage } of REFUSED) {
	t.test(`${what} is refused with a sentence while keywords are searched`, async (t) => {
		const root = t.testdir();
		const folder = await copyModel(join(root, "model"));
		await damage(folder);
		const settings = { model: model ?? `local:${folder}`, catalog: "none" };
		const app = await startApp(t, { folder: join(root, "data"), settings });
		await importNotes(app, root);
		const { token } = await app.issueSpt("5");
		const found = await app.search({ ...SEARCH, token });
		t.match(found.body.meta, { decision: "ANSWER", mode: "keyword" });
		t.ok(found.body.meta.mode_reason);
		const health = (await app.send("/v1/health")).body.data;
		t.match(health, { status: "degraded", model: { mode: "keyword", reason } });
		t.notMatch(health.model.reason, root, "no folder of this machine");
	});
}
