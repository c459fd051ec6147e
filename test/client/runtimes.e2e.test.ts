import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { startApp } from "../support/start-app.js";
import { bundleProgram } from "./bundled-program.js";

/** The client in runtimes that are not Node: it searches, verifies the receipt, and refuses what is above its limit. */

const run = promisify(execFile);
const DENO = join(PACKAGE_ROOT, "node_modules/.bin/deno");
/** The program itself: ending the script that starts it would leave it. */
const WORKERD = join(PACKAGE_ROOT, "node_modules/@cloudflare/workerd-linux-64/bin/workerd");
const EXPECTED = {
	name: "HTTP 402 Payment Required",
	operation: "graphs.search",
	refused: "PRICE_ABOVE_MAX",
	spent: "0.50",
};

const ASK = `
import { createClient, spt } from "@tollgraph/client";

async function ask(url, token) {
	const client = createClient(url, { pay: spt(token), maxPrice: "1.00" });
	const { rows, meta } = await client.search("agent-payments", { query: "Which HTTP status code asks for payment?" });
	const { operation } = await client.receipts.verify(meta.cost.receipt_id);
	const refused = await client.deepDive({ query: "How do agents pay for what they call?" }).catch(({ code }) => code);
	return { name: rows[0].name, operation, refused, spent: client.spentUsd() };
}
`;

async function openShop(t: Test) {
	const { baseUrl, issueSpt } = await startApp(t, { settings: { model: "none" } });
	const { token } = await issueSpt("5.00");
	return { baseUrl, token };
}

t.test(
	"it runs in Deno, with no right but to reach the server",
	{ skip: !existsSync(DENO) && "Deno is not installed" },
	async (t) => {
		const { baseUrl, token } = await openShop(t);
		const folder = t.testdir({});
		const program = `${ASK}\nconsole.log(JSON.stringify(await ask(...Deno.args)));`;
		const file = await bundleProgram(program, folder);
		const { host } = new URL(baseUrl);
		const { stdout } = await run(
			DENO,
			[
				"run",
				"--no-config",
				"--no-prompt",
				"--cached-only",
				`--allow-net=${host}`,
				file,
				baseUrl,
				token,
			],
			{ cwd: folder, env: { PATH: process.env["PATH"], HOME: folder, DENO_NO_UPDATE_CHECK: "1" } },
		);
		t.same(JSON.parse(stdout), EXPECTED);
	},
);

t.test(
	"it runs in a worker",
	{ skip: !existsSync(WORKERD) && "workerd is not installed" },
	async (t) => {
		const { baseUrl, token } = await openShop(t);
		const folder = t.testdir({});
		const program = `${ASK}
export default {
	async fetch(request) {
		const { url, token } = await request.json();
		return Response.json(await ask(url, token));
	},
};`;
		await bundleProgram(program, folder);
		t.match(readFileSync(join(folder, "program.mjs"), "utf8"), "export");
		writeFileSync(join(folder, "worker.capnp"), WORKER);
		const worker = spawn(WORKERD, ["serve", "--control-fd=1", "worker.capnp"], {
			cwd: folder,
			stdio: ["ignore", "pipe", "inherit"],
		});
		t.teardown(async () => {
			const ended = once(worker, "exit");
			worker.kill("SIGTERM");
			await ended;
		});
		const [line] = (await once(createInterface({ input: worker.stdout }), "line")) as [string];
		const { port } = JSON.parse(line) as { readonly port: number };
		const reply = await fetch(`http://127.0.0.1:${port}`, {
			method: "POST",
			body: JSON.stringify({ url: baseUrl, token }),
		});
		t.same(await reply.json(), EXPECTED);
	},
);

/** Reaches private addresses alone, as the server's is. */
const WORKER = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
	services = [
		(name = "main", worker = (
			modules = [(name = "program.mjs", esModule = embed "program.mjs")],
			compatibilityDate = "2026-01-01",
			globalOutbound = "out",
		)),
		(name = "out", network = (allow = ["private", "local"])),
	],
	sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;
