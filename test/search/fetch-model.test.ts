import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { locateModel } from "../../src/app/content.js";
import { createHubEgress } from "../../src/delivery/configured-egress.js";
import { systemClock } from "../../src/kernel/clock.js";
import { fetchModel, listModels } from "../../src/search/model/fetch-model.js";
import { openModelFolder } from "../../src/search/model/model-folder.js";
import { createModelHub } from "../../src/search/model/model-hub.js";
import { parseModelName } from "../../src/search/model/model-name.js";
import { type HubServer, REVISION, startHub } from "./model-hub-server.js";

const ID = "Xenova/gte-small";
const FILES = {
	".gitattributes": "*.onnx filter=lfs",
	"README.md": "# a model",
	"config.json": '{"hidden_size":384}',
	"tokenizer.json": '{"version":"1.0"}',
	"tokenizer_config.json": "{}",
	"1_Pooling/config.json": '{"pooling_mode_mean_tokens":true}',
	"onnx/model.onnx": "large weights",
	"onnx/model_quantized.onnx": "weights".repeat(50_000),
};

interface Place {
	readonly hub: HubServer;
	readonly modelsFolder: string;
	readonly progress: number[];
	fetch(id?: string): ReturnType<typeof fetchModel>;
}

async function start(t: Test, files: Readonly<Record<string, string>> = FILES): Promise<Place> {
	const hub = await startHub(t, ID, files);
	const modelsFolder = join(t.testdir(), "models");
	const progress: number[] = [];
	const fetch = (id = ID) =>
		fetchModel(id, {
			hub: createModelHub(createHubEgress(hub.origin), hub.origin),
			clock: systemClock,
			modelsFolder,
			onProgress: ({ done, total }) => void progress.push(done / total),
		});
	return { hub, modelsFolder, progress, fetch };
}

t.test("a fetched model holds what it is run with, checked, and can be opened", async (t) => {
	const { hub, modelsFolder, progress, fetch } = await start(t);
	const fetched = await fetch();
	t.match(fetched, { id: ID, revision: REVISION, licence: "mit", dimensions: 384, is_new: true });
	const folder = join(modelsFolder, "Xenova--gte-small");
	t.equal(fetched.folder, folder);
	const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
		.filter((entry) => entry.isFile())
		.map(({ name }) => name);
	t.same(
		names.sort(),
		[
			...["SHA256SUMS", "config.json", "config.json", "hub.json"],
			...["model_quantized.onnx", "tokenizer.json", "tokenizer_config.json"],
		],
		"no other weights, nothing that is not read",
	);
	t.equal(progress.at(-1), 1);
	t.ok(hub.asked.includes("/kept/onnx/model_quantized.onnx"), "the hub sent us on");
	const location = locateModel(parseModelName(`hub:${ID}`), modelsFolder);
	t.match(location && (await openModelFolder(location)).identity, { id: ID, dimensions: 384 });
	t.same(await readdir(modelsFolder), ["Xenova--gte-small"]);
});

t.test("a model that is there is not fetched again; a damaged one is", async (t) => {
	const { hub, fetch } = await start(t);
	const { folder } = await fetch();
	const before = hub.asked.length;
	t.match(await fetch(), { is_new: false });
	t.equal(hub.asked.length, before + 1, "only its description was asked for");
	await writeFile(join(folder, "tokenizer.json"), "{}");
	t.match(await fetch(), { is_new: true });
	t.equal(await readFile(join(folder, "tokenizer.json"), "utf8"), FILES["tokenizer.json"]);
});

t.test("a file that is not as the hub describes it is not kept", async (t) => {
	const { hub, modelsFolder, fetch } = await start(t);
	const right = FILES["tokenizer.json"];
	const bodies = {
		"other bytes": right.replace("1", "2"),
		"too few": right.slice(1),
		"too many": `${right} `,
	};
	for (const [name, body] of Object.entries(bodies)) {
		hub.misbehave(({ url }, response) => {
			if (!url?.endsWith("/tokenizer.json")) return false;
			response.end(body);
			return true;
		});
		await t.rejects(fetch(), { code: "UPSTREAM", message: /did not arrive as/ }, name);
		t.same(await readdir(modelsFolder), []);
	}
	hub.misbehave(({ url }, response) => {
		if (!url?.startsWith("/kept/")) return false;
		response.writeHead(200, { "Content-Length": 1_000_000 }).write("weights");
		setTimeout(() => response.destroy(), 20);
		return true;
	});
	await t.rejects(fetch(), { code: "UNAVAILABLE", message: /broke off/ });
	t.same(await readdir(modelsFolder), []);
});

t.test("a failed fetch leaves the model that was there", async (t) => {
	const { hub, modelsFolder, fetch } = await start(t);
	const { folder } = await fetch();
	await writeFile(join(folder, "hub.json"), "{}");
	hub.misbehave(({ url }, response) => {
		if (!url?.startsWith("/kept/")) return false;
		response.writeHead(500).end();
		return true;
	});
	await t.rejects(fetch(), { code: "UPSTREAM", message: /answered 500/ });
	const location = locateModel(parseModelName(`hub:${ID}`), modelsFolder);
	t.ok(location && (await openModelFolder(location)));
});

t.test("redirects lead to the hub's own hosts, and end", async (t) => {
	const { hub, fetch } = await start(t);
	const sendTo = (location: string) =>
		hub.misbehave((_request, response) => {
			response.writeHead(302, { Location: location }).end();
			return true;
		});
	sendTo("http://127.0.0.1:1/model");
	await t.rejects(fetch(), { message: /"127.0.0.1:1" does not belong to the model hub/ });
	sendTo("https://hf.co.example.org/model");
	await t.rejects(fetch(), { message: /"hf.co.example.org" does not belong/ });
	sendTo("file:///etc/passwd");
	await t.rejects(fetch(), { message: /does not belong/ });
	sendTo("/again");
	await t.rejects(fetch(), { code: "UPSTREAM", message: /in circles/ });
});

t.test("what cannot be fetched is refused with a sentence", async (t) => {
	const { hub, modelsFolder, fetch } = await start(t);
	await t.rejects(fetch("../x"), { code: "INVALID_ARGUMENT" });
	await t.rejects(fetch("nobody/nothing"), {
		code: "NOT_FOUND",
		message: "The model hub knows no model nobody/nothing.",
	});
	const answer = (status: number, body = "") =>
		hub.misbehave((_request, response) => {
			response.writeHead(status).end(body);
			return true;
		});
	answer(401);
	await t.rejects(fetch(), { code: "NOT_FOUND", message: /without an account/ });
	answer(503);
	await t.rejects(fetch(), { code: "UPSTREAM", message: /answered 503/ });
	for (const body of ["<html>", "{}", '{"sha":"main","siblings":[]}']) {
		answer(200, body);
		await t.rejects(fetch(), { code: "UPSTREAM", message: /cannot be read/ }, body);
	}
	const huge = { rfilename: "onnx/model.onnx", lfs: { sha256: "0".repeat(64), size: 3e9 } };
	const small = ["config.json", "tokenizer.json", "tokenizer_config.json"];
	const siblings = [huge, ...small.map((rfilename) => ({ rfilename, size: 2 }))];
	answer(200, JSON.stringify({ sha: REVISION, siblings }));
	await t.rejects(fetch(), { code: "INVALID_ARGUMENT", message: /3000000006 bytes; at most/ });
	const climbing = { ...huge, rfilename: "onnx/model.onnx_data/../../../x" };
	answer(200, JSON.stringify({ sha: REVISION, siblings: [climbing] }));
	await t.rejects(fetch(), { code: "INVALID_ARGUMENT", message: /without ONNX weights/ });
	t.same(await readdir(modelsFolder).catch(() => []), []);
});

t.test("a repository without ONNX weights names the copy that has some", async (t) => {
	const hub = await startHub(t, "thenlper/gte-small", { "config.json": "{}" });
	const fetching = fetchModel("thenlper/gte-small", {
		hub: createModelHub(createHubEgress(hub.origin), hub.origin),
		clock: systemClock,
		modelsFolder: t.testdir(),
		onProgress: () => undefined,
	});
	await t.rejects(fetching, { message: /without ONNX weights .* Use Xenova\/gte-small/ });
});

t.test(
	"the list states which models are here, which is used and which could be fetched",
	async (t) => {
		const { modelsFolder, fetch } = await start(t);
		const list = (active: string) =>
			listModels({
				active,
				modelsFolder,
				locate: (model) => locateModel(parseModelName(model), modelsFolder),
			});
		const find = async (active: string, model: string) =>
			(await list(active)).find((row) => row.model === model);
		t.match(await find("bundled", "bundled"), { state: "ready", is_active: true, dimensions: 384 });
		t.match(await find("none", "bundled"), { is_active: false });
		t.match(await find("none", `hub:${ID}`), { state: "known", dimensions: 384, licence: "MIT" });
		t.match(await find(`hub:${ID}`, `hub:${ID}`), {
			state: "unusable",
			reason: /has not been fetched/,
		});
		await fetch();
		t.match(await find(`hub:${ID}`, `hub:${ID}`), {
			state: "ready",
			is_active: true,
			licence: "mit",
		});
		t.match(await find("local:/no/model", "local:/no/model"), { state: "unusable" });
	},
);
