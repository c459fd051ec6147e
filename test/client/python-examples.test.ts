import { execFile, execFileSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { startLocalChain, withoutChain } from "../payments/chain/local-chain.js";
import { startApp } from "../support/start-app.js";

const run = promisify(execFile);
/** Names another interpreter, e.g. that of a virtual environment. */
const PYTHON = process.env["TOLLGRAPH_PYTHON"] ?? "python3";

/** Why they do not run here; false when they do. */
function without(modules: string): string | false {
	try {
		execFileSync(PYTHON, ["-c", `import ${modules}`], { stdio: "ignore" });
		return false;
	} catch {
		return `${PYTHON} with ${modules} is not installed (pip install httpx eth-account; TOLLGRAPH_PYTHON names another)`;
	}
}

async function runPython(name: string, args: readonly string[], env: Record<string, string>) {
	const file = join(PACKAGE_ROOT, "examples/python", name);
	const { PATH = "" } = process.env;
	const { stdout } = await run(PYTHON, [file, ...args], { env: { PATH, ...env } });
	return stdout.trim().split("\n");
}

t.test("Python pays from a token and from an account", { skip: without("httpx") }, async (t) => {
	const app = await startApp(t, { settings: { model: "none" } });
	const { token } = await app.issueSpt("0.50");
	const first = await runPython("pay_with_a_balance.py", [app.baseUrl], { TOLLGRAPH_SPT: token });
	t.match(first[0], /\(https:.*\): 0\.50 USD by spt$/);
	t.match(first[1], /^receipt rcpt_/);
	await t.rejects(runPython("pay_with_a_balance.py", [app.baseUrl], { TOLLGRAPH_SPT: token }), {
		message: /INSUFFICIENT_BALANCE/,
	});
	const { key } = await app.app.operator.createKey({ usd: "5.00" });
	const env = { TOLLGRAPH_API_KEY: key };
	t.match((await runPython("pay_with_a_balance.py", [app.baseUrl], env))[0], /USD by \w+$/);
});

for (const rail of ["x402", "mpp"]) {
	t.test(
		`Python pays from a wallet by ${rail}`,
		{ skip: withoutChain || without("httpx, eth_account") },
		async (t) => {
			const folder = t.testdir({});
			const { parts, payer } = await startLocalChain(t, { folder: join(folder, "chain") });
			const { terms, chain, demoWallet } = parts;
			const settings = { model: "none" } as const;
			const app = await startApp(t, { settings, onchain: parts, folder: join(folder, "data") });
			const env = { WALLET_KEY: demoWallet?.private_key ?? "" };
			const pay = (network: string) =>
				runPython(`pay_with_${rail}.py`, [app.baseUrl, network, terms.asset], env);
			const lines = await pay(terms.network);
			t.match(lines[0], new RegExp(`\\(https:.*\\): 0\\.50 USD by ${rail}$`));
			t.match(lines[1], /^settled in 0x[0-9a-f]{64}$/);
			await t.rejects(pay("eip155:1"), { message: /another token/ });
			t.equal(await chain?.balanceOf(terms, payer.address as `0x${string}`), 99_500_000n);
		},
	);
}
