// What check-package.mjs does with an installation: node use-installed.mjs <prefix> [--wallet]. Prints what it saw as JSON.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [prefix, ...options] = process.argv.slice(2);
const installed = join(prefix, "lib", "node_modules", "tollgraph");
const command = join(prefix, "bin", "tollgraph");
const folder = mkdtempSync(join(process.cwd(), "shop-"));
const data = join(folder, "data");

const server = spawn(
	command,
	["serve", "--json", "--port", "0", "--grpc-port", "0", "--data", data],
	{
		cwd: folder,
		stdio: ["ignore", "pipe", "inherit"],
	},
);
const ended = new Promise((resolve) => {
	server.once("exit", (code) => resolve(code));
});
process.once("exit", () => server.kill("SIGKILL"));
const firstLine = new Promise((resolve) => {
	createInterface({ input: server.stdout }).once("line", (line) => resolve(JSON.parse(line)));
});
const ready = await Promise.race([firstLine, ended.then(() => undefined)]);
if (ready === undefined) throw new Error(`The server ended with ${await ended}.`);
const seen = options.includes("--wallet") ? await payByWallet() : await sell();
server.kill("SIGTERM");
const code = await ended;
if (code !== 0) throw new Error(`The server ended with ${code} after SIGTERM.`);
process.stdout.write(JSON.stringify({ readyMs: ready.ready_ms, ...seen }));

async function sell() {
	const bought = await search("agent-payments", "Which HTTP status code asks for payment?");
	const notes = join(folder, "notes");
	mkdirSync(notes);
	writeFileSync(
		join(notes, "tides.md"),
		"# Tides\n\nThe moon pulls the sea, so that most coasts have two floods a day. See <https://example.org/tides>.\n",
	);
	const { status } = spawnSync(command, ["import", notes, "--as", "notes", "--data", data], {
		cwd: folder,
		stdio: ["ignore", "ignore", "inherit"],
	});
	if (status !== 0) throw new Error(`import ended with ${status}.`);
	const imported = await search("notes", "How many floods a day do coasts have?");
	const { data: health } = await ask("/v1/health");
	return {
		charged: bought.meta.cost,
		mode: bought.meta.mode,
		judge: health.judge,
		isImportSold: imported.rows.length > 0 && imported.meta.cost.charged,
		loadedModules: await loadEveryModule(),
	};
}

/** What is loaded late must be whole, too. */
async function loadEveryModule() {
	const bundle = join(installed, "dist", "bundle");
	const files = readdirSync(bundle).filter((name) => name.endsWith(".js"));
	for (const name of files) await import(pathToFileURL(join(bundle, name)).href);
	return files.length;
}

async function search(graph, query) {
	return await ask(`/v1/graphs/${graph}/search`, { query, limit: 3 });
}

async function ask(path, body) {
	const reply = await fetch(`${ready.base_url}${path}`, {
		method: body ? "POST" : "GET",
		headers: { "X-Pay-SPT": ready.demo_spt, "Content-Type": "application/json" },
		...(body && { body: JSON.stringify(body) }),
	});
	const text = await reply.text();
	if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${text}`);
	return JSON.parse(text);
}

async function payByWallet() {
	if (!ready.demo_wallet) throw new Error("The demo chain was not found beside the package.");
	const example = join(import.meta.dirname, "..", "..", "examples", "pay-with-a-wallet.mjs");
	const key = join(data, "keys", "demo-wallet.json");
	const { status, stdout } = spawnSync(process.execPath, [example, ready.base_url, key], {
		encoding: "utf8",
		stdio: ["ignore", "pipe", "inherit"],
	});
	if (status !== 0) throw new Error(`The example ended with ${status}.`);
	return { paidByWallet: stdout.trim().split("\n") };
}
