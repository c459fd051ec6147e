import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { mnemonicToAccount } from "viem/accounts";
import { openKeyFolder } from "../../src/accounts/key-folder.js";
import { openOnchain } from "../../src/app/onchain.js";
import { systemClock } from "../../src/kernel/clock.js";
import { systemRandom } from "../../src/kernel/ids.js";
import { type OnchainSettings, planOnchain } from "../../src/settings/onchain-settings.js";
import { readSettings } from "../../src/settings/read-settings.js";
import { testSettings } from "../support/start-app.js";

const PAY_TO = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed";
const REAL: OnchainSettings = {
	facilitator: "https://facilitator.example",
	payTo: PAY_TO,
	network: "eip155:8453",
	rpcUrl: "https://node.example",
};

t.test("the demo profile has a chain of its own unless set otherwise", async (t) => {
	t.same(planOnchain({}, "demo"), { kind: "demo" });
	t.same(planOnchain({ facilitator: "off" }, "demo"), { kind: "off" });
	t.same(planOnchain({ facilitator: "off" }, "production"), { kind: "off" });
});

t.test("production says where its money goes, or does not start", async (t) => {
	const refusal = (changes: OnchainSettings) => {
		try {
			planOnchain({ ...REAL, ...changes }, "production");
			return "";
		} catch (error) {
			return String(error);
		}
	};
	t.equal(refusal({}), "");
	const all = refusal({ facilitator: undefined, payTo: undefined, network: undefined });
	t.match(all, /needs the setting facilitator/);
	t.match(all, /pay_to is missing/);
	t.match(all, /network is missing/);
	t.match(refusal({ facilitator: "demo" }), /paper money/);
	t.match(refusal({ facilitator: "local", rpcUrl: undefined }), /rpc_url/);
	t.match(refusal({ rpcUrl: undefined }), /rpc_url.*unproven_settlements to accept/);
	t.equal(refusal({ rpcUrl: undefined, trustsFacilitator: true }), "");
	t.equal(
		planOnchain({ ...REAL, network: "eip155:84532", rpcUrl: undefined }, "demo").kind,
		"remote",
	);
	for (const chain of [84532, 97, 59141, 80002, 421614, 43113, 11155111, 11155420, 31337]) {
		const network = `eip155:${chain}`;
		t.match(refusal({ network, asset: `${PAY_TO}/USDC/2` }), /test network/, network);
	}
	t.match(refusal({ network: "eip155:424242" }), /No USDC is known/);
	t.match(refusal({ payTo: `0x${"0".repeat(40)}` }), /zero address/);
	t.match(refusal({ payTo: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266" }), /everybody knows/);
});

t.test("the demo profile takes no real money", async (t) => {
	t.throws(() => planOnchain(REAL, "demo"), /no test network/);
	t.throws(() => planOnchain({ payTo: PAY_TO }, "demo"), /demo chain's own/);
	t.match(planOnchain({ ...REAL, network: "eip155:84532" }, "demo"), { kind: "remote" });
});

t.test("the asset is the network's USDC, or the one that is named", async (t) => {
	const assetOf = (changes: OnchainSettings) => {
		const plan = planOnchain({ ...REAL, ...changes }, "production");
		return "terms" in plan ? plan.terms : undefined;
	};
	const usdc = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
	t.match(assetOf({}), { asset: usdc, assetName: "USD Coin", assetVersion: "2" });
	t.match(assetOf({ asset: usdc }), { assetName: "USD Coin" });
	t.match(assetOf({ network: "eip155:424242", asset: `${PAY_TO}/Euro/1` }), {
		asset: PAY_TO,
		assetName: "Euro",
		assetVersion: "1",
	});
	t.throws(() => assetOf({ asset: PAY_TO }), /name and version/);
});

t.test("settings that cannot be meant are refused when they are read", async (t) => {
	const read = (flags: Record<string, string>) =>
		readSettings({ flags, environment: {}, folder: t.testdir({}) }).onchain;
	t.equal(read({ network: "base" }).network, "eip155:8453", "names of version 1 are known");
	for (const flags of [
		{ facilitator: "http://facilitator.example" },
		{ facilitator: "https://user:secret@facilitator.example" },
		{ facilitator: "remote" },
		{ pay_to: "0x12" },
		{ network: "solana" },
		{ asset: `${PAY_TO}/USDC` },
		{ rpc_url: "ftp://node.example" },
	]) {
		t.throws(() => read(flags), { code: "INVALID_ARGUMENT" }, JSON.stringify(flags));
	}
	t.equal(read({ rpc_url: "http://127.0.0.1:8545" }).rpcUrl, "http://127.0.0.1:8545");
	t.throws(() => read({ facilitator: "http://10.0.0.1/key-in-path" }), /^(?!.*key-in-path)/);
});

t.test("the key that pays the gas is a file of its owner's alone", async (t) => {
	const folder = join(t.testdir({}), "data");
	const onchain = { ...REAL, facilitator: "local", rpcUrl: "http://127.0.0.1:9" };
	const settings = testSettings(folder, { profile: "production", onchain });
	const [clock, random] = [systemClock, systemRandom];
	const logger = { info: () => undefined, error: () => undefined };
	const open = () =>
		openOnchain({
			settings,
			folder,
			keys: openKeyFolder(join(folder, "keys"), random),
			clock,
			random,
			logger,
		});
	const put = (text: string, mode = 0o600) => {
		mkdirSync(join(folder, "keys"), { recursive: true });
		writeFileSync(join(folder, "keys", "settler-key"), text, { mode });
		chmodSync(join(folder, "keys", "settler-key"), mode);
	};
	await t.rejects(open(), /settler-key/);
	put(`0x${"1".repeat(64)}`, 0o644);
	await t.rejects(open(), /chmod 600/);
	put("correct horse battery staple");
	await t.rejects(open(), /^(?!.*horse).*must hold one private key/);
	put(developerKey());
	await t.rejects(open(), /everybody knows/);
	put(`0x${"1".repeat(64)}\n`);
	t.match(await open(), { terms: { payTo: PAY_TO }, facilitator: { kind: "local" } });
});

/** The first key of the mnemonic that local test chains start with. */
function developerKey(): string {
	const account = mnemonicToAccount(`${"test ".repeat(11)}junk`);
	return `0x${Buffer.from(account.getHdKey().privateKey ?? []).toString("hex")}`;
}

t.test("an address with a wrong digit in its checksum is refused", async (t) => {
	const folder = join(t.testdir({}), "data");
	const payTo = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
	const open = (address: string) =>
		openOnchain({
			settings: testSettings(folder, {
				profile: "production",
				onchain: { ...REAL, payTo: address },
			}),
			folder,
			keys: openKeyFolder(join(folder, "keys"), systemRandom),
			clock: systemClock,
			random: systemRandom,
			logger: { info: () => undefined, error: () => undefined },
		});
	t.match(await open(payTo), { terms: { payTo } });
	await t.rejects(open(payTo.replace("F3E", "F2E")), /checksum/);
});
