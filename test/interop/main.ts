/**
 * Pays a running server with clients of other makers that are too big to be dependencies: `npm run interop`.
 * They are installed into a temporary folder, without their scripts; `TOLLGRAPH_INTEROP` keeps one between runs.
 */
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
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
try {
	await installClient();
	await payWithV1();
} finally {
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

async function payWithV1(): Promise<void> {
	const data = mkdtempSync(join(tmpdir(), "tollgraph-interop-data-"));
	const server = await startServerProcess(["--data", data, "--model", "none"]);
	try {
		const { demo_wallet: wallet, base_url: baseUrl } = server.ready;
		if (!wallet) throw new Error("There is no local chain: anvil is not installed.");
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
		const isGood =
			paid.status === 200 && paid.rows > 0 && moved === PRICE_UNITS && status === "0x1";
		say(
			`${V1_CLIENT}: status ${paid.status}, ${paid.rows} rows, ${moved} units moved by ${paid.receipt.transaction} (${status})`,
		);
		if (!isGood) process.exitCode = 1;
	} finally {
		server.child.kill("SIGTERM");
		await new Promise((done) => server.child.once("exit", done));
		rmSync(data, { recursive: true, force: true });
	}
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
