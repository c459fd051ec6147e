import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import t from "tap";
import { openDemoChain } from "../../../src/chain/demo-chain.js";
import { createConfiguredEgress } from "../../../src/delivery/configured-egress.js";
import { systemClock } from "../../../src/kernel/clock.js";
import { startLocalChain, withoutChain } from "./local-chain.js";

const ignore = { onBroadcast: async () => undefined };

t.test(
	"a restart finds the same wallet, payments and balances",
	{ skip: withoutChain },
	async (t) => {
		const first = await startLocalChain(t);
		const { terms, facilitator } = first.parts;
		const payment = await first.sign({ value: 1_000_000n });
		const settled = await facilitator.settle(terms, payment, ignore);
		await first.parts.close();

		const again = await startLocalChain(t, { folder: first.folder });
		const { chain } = again.parts;
		t.same(again.parts.terms, terms);
		t.equal(again.payer.address, first.payer.address);
		t.match(await chain?.stateOf(terms, payment), {
			kind: "settled",
			transactionHash: settled.kind === "settled" && settled.transactionHash,
		});
		t.equal(await chain?.balanceOf(terms, terms.payTo), 1_000_000n);
		t.equal(await chain?.balanceOf(terms, again.payer.address), 100_000_000n, "filled up");
		t.match(await again.parts.facilitator.settle(terms, await again.sign(), ignore), {
			kind: "settled",
		});
	},
);

t.test(
	"a damaged state is paper money lost, and the chain starts afresh",
	{ skip: withoutChain },
	async (t) => {
		const first = await startLocalChain(t);
		await first.parts.close();
		const folder = join(first.folder, "chain");
		const [name = ""] = readdirSync(folder);
		writeFileSync(join(folder, name), "{");
		const log: string[] = [];
		const { parts, payer } = await startLocalChain(t, { folder: first.folder, log });
		t.match(log, [/damaged/]);
		t.equal(readFileSync(join(folder, `${name}.damaged`), "utf8"), "{", "it is put aside");
		t.equal(await parts.chain?.balanceOf(parts.terms, payer.address), 100_000_000n);
	},
);

t.test("a chain that starts slowly keeps its state", { skip: withoutChain }, async (t) => {
	const first = await startLocalChain(t);
	await first.parts.close();
	const folder = join(first.folder, "chain");
	const [name = ""] = readdirSync(folder);
	const state = readFileSync(join(folder, name));
	const hasty = {
		...systemClock,
		after: (_ms: number, task: () => void) => systemClock.after(0, task),
	};
	const opening = openDemoChain({
		folder,
		findFunds: () => new Promise(() => undefined),
		egress: createConfiguredEgress({ loopback: true }),
		clock: hasty,
		logger: { info: () => undefined, error: () => undefined },
	});
	await t.rejects(opening, { code: "UNAVAILABLE", message: /in time/ });
	t.same(readFileSync(join(folder, name)), state);
});

t.test(
	"keys are kept where secrets are, for their owner alone",
	{ skip: withoutChain },
	async (t) => {
		const { folder } = await startLocalChain(t);
		for (const name of ["demo-wallet.json", "demo-settler.json"]) {
			t.equal(statSync(join(folder, "keys", name)).mode & 0o777, 0o600, name);
		}
	},
);

t.test("a server that is killed leaves no chain behind", { skip: withoutChain }, async (t) => {
	const folder = join(t.testdir({}), "data");
	const holder = fileURLToPath(new URL("./chain-holder.js", import.meta.url));
	const child = spawn(process.execPath, [holder, folder], {
		stdio: ["ignore", "pipe", "inherit"],
		env: { ...process.env, NODE_OPTIONS: "" },
	});
	const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
	const url = JSON.parse(line).rpc_url as string;
	const ask = () =>
		fetch(url, {
			method: "POST",
			headers: { "Content-Type": "application/json" },
			body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
		}).then(
			({ ok }) => ok,
			() => false,
		);
	t.ok(await ask(), "the chain answers while its server lives");
	child.kill("SIGKILL");
	await once(child, "exit");
	while (await ask()) await new Promise((done) => setTimeout(done, 50));
	const chain = join(folder, "chain");
	t.ok(existsSync(join(chain, readdirSync(chain)[0] ?? "")), "its state was written");
});
