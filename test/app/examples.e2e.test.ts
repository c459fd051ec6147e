import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { withoutChain } from "../payments/chain/local-chain.js";
import { startServerProcess } from "../support/server-process.js";

const run = promisify(execFile);

t.test(
	"the README's wallet pays, buys a token and pays on from it",
	{ skip: withoutChain },
	async (t) => {
		const folder = join(t.testdir({}), "data");
		const server = await startServerProcess(["--data", folder]);
		t.teardown(() => server.child.kill("SIGTERM"));
		const { stdout } = await run(
			process.execPath,
			[
				"examples/pay-with-a-wallet.mjs",
				server.ready.base_url,
				join(folder, "keys/demo-wallet.json"),
			],
			// The test runner's own loader would slow the start.
			{ cwd: PACKAGE_ROOT, env: { ...process.env, NODE_OPTIONS: "" } },
		);
		const lines = stdout.trim().split("\n");
		t.match(lines[0], /\(https:.*\): 0\.50 USD by x402$/);
		t.match(lines[1], /^settled in 0x[0-9a-f]{64}$/);
		t.match(lines[2], /^bought tok_\w+ with 3\.00 USD$/);
		t.match(lines[3], /0\.50 USD by spt$/);
		t.match(lines[4], /0\.50 USD by spt$/);
		t.equal(lines.length, 5);
	},
);
