import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import t from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { startLocalChain, withoutChain } from "../payments/chain/local-chain.js";
import { startApp } from "../support/start-app.js";
import { bundleProgram, runProgram } from "./bundled-program.js";

const run = promisify(execFile);
const BYTES_MOST = 12 * 1024;
const CLIENT = join(PACKAGE_ROOT, "client");

/** As an application would bundle it for a browser: an import that only Node has fails. */
async function bundle(contents: string): Promise<Uint8Array> {
	const { outputFiles } = await build({
		stdin: { contents, resolveDir: join(CLIENT, "src"), loader: "ts" },
		bundle: true,
		minify: true,
		format: "esm",
		platform: "browser",
		target: "es2022",
		external: ["viem"],
		write: false,
		tsconfigRaw: {},
	});
	return outputFiles[0]?.contents ?? new Uint8Array();
}

t.test("bundled for a browser it is at most 12 KiB compressed, with both wallets", async (t) => {
	const main = await bundle('export * from "./index.ts"');
	const all = await bundle('export * from "./index.ts"; export * from "./wallet.ts"');
	const sizes = [main, all].map((bytes) => gzipSync(bytes).length);
	t.comment(`${sizes[0]} bytes without wallets, ${sizes[1]} with them`);
	t.ok((sizes[1] ?? Number.POSITIVE_INFINITY) <= BYTES_MOST, `${sizes[1]} bytes`);
	for (const bytes of [main, all]) {
		const text = Buffer.from(bytes).toString();
		t.notMatch(text, /node:|\brequire\(|process\.|Buffer\b/);
	}
	t.notMatch(Buffer.from(main).toString(), /viem/, "wallets are a part of their own");
});

t.test("it needs no package, and what it ships compiles without the types of Node", async (t) => {
	const folder = t.testdir({});
	const described = JSON.parse(readFileSync(join(CLIENT, "package.json"), "utf8"));
	t.notOk("dependencies" in described);
	t.match(described.peerDependenciesMeta, { viem: { optional: true } });
	const tsc = join(PACKAGE_ROOT, "node_modules/@typescript/native/bin/tsc");
	await run(process.execPath, [tsc, "-p", join(CLIENT, "tsconfig.json"), "--outDir", folder]);
	const built = readdirSync(folder);
	for (const { types, default: code } of Object.values<{ types?: string; default?: string }>(
		described.exports,
	)) {
		if (!types || !code) continue;
		t.ok(built.includes(types.slice("./dist/".length)), types);
		t.ok(built.includes(code.slice("./dist/".length)), code);
	}
	const { createClient } = await import(join(folder, "index.js"));
	t.type(createClient("https://example.com").search, "function");
});

t.test("each snippet of its README runs", { skip: withoutChain }, async (t) => {
	const readme = readFileSync(join(CLIENT, "README.md"), "utf8");
	const snippets = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
	t.equal(snippets.length, 7);
	const folder = t.testdir({});
	const { parts } = await startLocalChain(t, { folder: join(folder, "chain") });
	const settings = { model: "none" } as const;
	const app = await startApp(t, { settings, onchain: parts, folder: join(folder, "data") });
	const { token } = await app.issueSpt("25.00");
	// One program, in the order in which it is read; imports may stand anywhere.
	const program = snippets.join("\n").replaceAll("http://127.0.0.1:8402", app.baseUrl);
	const file = await bundleProgram(program, folder);
	const stdout = await runProgram(file, [], {
		TOLLGRAPH_SPT: token,
		WALLET_KEY: parts.demoWallet?.private_key ?? "",
		NETWORK: parts.terms.network,
		ASSET: parts.terms.asset,
	});
	t.match(stdout, /0\.50 0\.50\n/);
	t.match(stdout, /^(NOT_ENOUGH_EVIDENCE|(NOT_)?SUPPORTED)$/m);
	t.match(stdout, /500000n/);
	t.match(stdout, /research\.completed/);
	t.match(stdout, /\nx402\n/);
	t.match(stdout, /0\.50 graphs\.search/);
	t.match(stdout, /PRICE_ABOVE_MAX undefined false 0\.00/);
});
