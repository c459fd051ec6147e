// What check-package.mjs does with an installation: node use-installed.mjs <prefix> [--wallet | --client <tarball>]. Prints what it saw as JSON.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const ASK = `
import { createClient, spt } from "@tollgraph/client";

const [url, token] = process.argv.slice(2);
const client = createClient(url, { pay: spt(token), maxPrice: "1.00" });
const { rows } = await client.search("notes", { query: "How many floods a day do coasts have?" });
const refused = await client.deepDive({ query: "Why do tides differ?" }).then(() => null, ({ code }) => code);
console.log(JSON.stringify({ answer: rows[0].summary, refused, spent: client.spentUsd() }));
`;
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
		client: askByClient(options[options.indexOf("--client") + 1]),
		loadedModules: await loadEveryModule(),
	};
}

/** Asks the imported folder at a limit of 1 USD, and for a deep dive, which costs more. */
function askByClient(tarball) {
	const home = join(folder, "agent");
	mkdirSync(home);
	writeFileSync(join(home, "package.json"), '{"private":true}');
	const begunMs = performance.now();
	run("npm", ["install", "--silent", "--no-audit", "--no-fund", tarball]);
	const installMs = Math.round(performance.now() - begunMs);
	writeFileSync(join(home, "ask.mjs"), ASK);
	const said = JSON.parse(run(process.execPath, ["ask.mjs", ready.base_url, ready.demo_spt]));
	if (said.refused !== "PRICE_ABOVE_MAX" || said.spent !== "0.50") {
		throw new Error(`The client's limit does not hold: ${JSON.stringify(said)}`);
	}
	return { installMs, totalMs: Math.round(performance.now() - begunMs), ...said };

	function run(program, args) {
		const { status, stdout } = spawnSync(program, args, {
			cwd: home,
			encoding: "utf8",
			stdio: ["ignore", "pipe", "inherit"],
		});
		if (status !== 0) throw new Error(`${program} ended with ${status}.`);
		return stdout;
	}
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
