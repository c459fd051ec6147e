/**
 * Pays a running server with clients of other makers, on its local chain: `npm run interop`. The examples run as they are
 * read; what is too big to be a dependency is installed into a temporary folder, without its scripts; `TOLLGRAPH_INTEROP`
 * keeps one between runs.
 */
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { DemoWallet } from "../../payments/onchain/facilitator.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { startServerProcess } from "../support/server-process.js";
import { KNOWN_QUERY } from "../support/start-app.js";

const V1_CLIENT = "x402-fetch@1.2.0";
const PRICE_UNITS = 500_000n;

interface Paid {
	readonly status: number;
	readonly rows: number;
	readonly receipt: {
		readonly success: boolean;
		readonly transaction: string;
		readonly payer: string;
	};
}

const kept = process.env["TOLLGRAPH_INTEROP"];
const folder = kept ?? mkdtempSync(join(tmpdir(), "tollgraph-interop-"));
const data = mkdtempSync(join(tmpdir(), "tollgraph-interop-data-"));
const server = await startServerProcess(["--data", data, "--model", "none"]);
try {
	const { demo_wallet: wallet, base_url: baseUrl } = server.ready;
	if (!wallet) throw new Error("There is no local chain: anvil is not installed.");
	const shop = { wallet, baseUrl };
	// A search at 0.50 USD, and a token for 3 USD.
	await payBy("@x402/fetch", shop, 3_500_000n, () => runExample("pay-with-a-wallet.mjs", shop));
	await payBy("mppx", shop, 500_000n, () => runExample("pay-with-mppx.mjs", shop));
	await payBy("mppx, its command line", shop, 500_000n, () => runCommandLine(shop));
	await installClient();
	await payWithV1(shop);
} finally {
	server.child.kill("SIGTERM");
	await new Promise((done) => server.child.once("exit", done));
	rmSync(data, { recursive: true, force: true });
	if (kept === undefined) rmSync(folder, { recursive: true, force: true });
}

async function installClient(): Promise<void> {
	mkdirSync(folder, { recursive: true });
	copyFileSync(join(PACKAGE_ROOT, "test/interop/pay-v1.mjs"), join(folder, "pay-v1.mjs"));
	if (existsSync(join(folder, "node_modules", "x402-fetch"))) return;
	writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
	say(`installing ${V1_CLIENT} into ${folder}`);
	const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
	await promisify(execFile)("npm", ["install", V1_CLIENT, ...flags], { cwd: folder });
}

interface Shop {
	readonly wallet: DemoWallet;
	readonly baseUrl: string;
}

/** Runs a client, and says what left the wallet; a client that fails throws. */
async function payBy(
	name: string,
	{ wallet }: Shop,
	units: bigint,
	run: () => Promise<string>,
): Promise<void> {
	const before = await balanceOf(wallet);
	const output = await run();
	const moved = before - (await balanceOf(wallet));
	say(`${name}: ${moved} units moved`);
	for (const line of output.trim().split("\n")) say(`    ${line.slice(0, 160)}`);
	if (moved !== units) process.exitCode = 1;
}

/** As its reader would run it. */
async function runExample(name: string, { baseUrl }: Shop): Promise<string> {
	const walletFile = join(data, "keys/demo-wallet.json");
	const program = join(PACKAGE_ROOT, "examples", name);
	return (await promisify(execFile)(process.execPath, [program, baseUrl, walletFile])).stdout;
}

/** What it keeps of its own stays in the server's folder; its key is the demo wallet's, which is worth nothing. */
async function runCommandLine({ baseUrl, wallet }: Shop): Promise<string> {
	const body = JSON.stringify({ query: KNOWN_QUERY, limit: 1 });
	const config = join(PACKAGE_ROOT, "examples/mppx.config.mjs");
	const { PATH } = process.env;
	const env = { PATH, HOME: data, TOLLGRAPH_URL: baseUrl, MPPX_PRIVATE_KEY: wallet.private_key };
	const { stdout } = await promisify(execFile)(
		process.execPath,
		[
			join(PACKAGE_ROOT, "node_modules/.bin/mppx"),
			`${baseUrl}/v1/graphs/agent-payments/search`,
			...["--json-body", body, "--config", config, "--protocol", "mpp", "--silent", "--fail"],
		],
		{ env },
	);
	const { rows } = JSON.parse(stdout) as { readonly rows: readonly { readonly name: string }[] };
	return `${rows.length} row: ${rows[0]?.name}`;
}

async function payWithV1({ wallet, baseUrl }: Shop): Promise<void> {
	const before = await balanceOf(wallet);
	const paid = await runClient({
		url: `${baseUrl}/v1/graphs/agent-payments/search`,
		body: { query: KNOWN_QUERY, limit: 3 },
		privateKey: wallet.private_key,
		maxUnits: String(PRICE_UNITS),
	});
	const moved = before - (await balanceOf(wallet));
	const receipt = await ask(wallet.rpc_url, "eth_getTransactionReceipt", [
		paid.receipt.transaction,
	]);
	const { status } = receipt as { status: string };
	const isGood = paid.status === 200 && paid.rows > 0 && moved === PRICE_UNITS && status === "0x1";
	say(
		`${V1_CLIENT}: status ${paid.status}, ${paid.rows} rows, ${moved} units moved by ${paid.receipt.transaction} (${status})`,
	);
	if (!isGood) process.exitCode = 1;
}

/** The key goes in by standard input: arguments and variables can be read by others. */
function runClient(order: object): Promise<Paid> {
	return new Promise((resolve, reject) => {
		const child = execFile(
			process.execPath,
			["pay-v1.mjs"],
			{ cwd: folder },
			(error, stdout, stderr) => {
				if (error) reject(new Error(`The client failed: ${stderr}`));
				else resolve(JSON.parse(stdout) as Paid);
			},
		);
		child.stdin?.end(JSON.stringify(order));
	});
}

async function balanceOf(wallet: { address: string; asset: string; rpc_url: string }) {
	const data = `0x70a08231${wallet.address.slice(2).padStart(64, "0")}`;
	const params = [{ to: wallet.asset, data }, "latest"];
	return BigInt((await ask(wallet.rpc_url, "eth_call", params)) as string);
}

async function ask(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
	const response = await fetch(url, {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
	});
	return ((await response.json()) as { result: unknown }).result;
}

function say(text: string): void {
	process.stdout.write(`${text}\n`);
}
