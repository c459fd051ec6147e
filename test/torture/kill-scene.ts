import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SettlementTerms } from "../../payments/onchain/facilitator.js";
import { openKeyFolder } from "../../src/accounts/key-folder.js";
import { createApp } from "../../src/app/create-app.js";
import { type OpenedOnchain, openOnchain } from "../../src/app/onchain.js";
import { systemClock } from "../../src/kernel/clock.js";
import { systemRandom } from "../../src/kernel/ids.js";
import { readSettings } from "../../src/settings/read-settings.js";
import type { Purse } from "./book.js";
import type { Dice } from "./dice.js";
import { startTurningAway, type TurningAway } from "./kill-facilitator.js";
import { newAccounts, type PayingAccount } from "./kill-wallets.js";

/** A data folder with tokens in it, and a chain that outlives the servers; undefined where anvil is not installed. */
export interface Scene {
	readonly folder: string;
	/** What the servers are started with. */
	readonly args: readonly string[];
	readonly purses: readonly Purse[];
	readonly wallets: readonly PayingAccount[];
	readonly terms: SettlementTerms | undefined;
	readonly chain: OpenedOnchain["chain"];
	/** Where the servers have a facilitator that turns payments away and settles them. */
	readonly turningAway: TurningAway | undefined;
	/** Ends the chain; the folder stays for anyone who wants to look into it. */
	close(options: { readonly isKept: boolean }): Promise<void>;
}

export const SILENT = { info: () => undefined, error: () => undefined };
const TOKEN_USD = "10000";

export async function openScene({
	tokens,
	wallets,
	turnsAway,
}: {
	tokens: number;
	wallets: number;
	/** Chance of a facilitator that turns payments away; without it the server settles for itself. */
	turnsAway?: Dice | undefined;
}): Promise<Scene> {
	const root = await mkdtemp(join(tmpdir(), "tollgraph-kill-"));
	const folder = join(root, "data");
	const onchain = await openChain(join(root, "chain-owner"));
	const purses = await issueTokens(folder, tokens);
	const accounts = onchain ? await newAccounts(onchain, wallets) : [];
	const turningAway = onchain && turnsAway && (await startTurningAway(onchain, turnsAway));
	const chain = onchain ? await chainArgs(folder, onchain, turningAway?.url) : OFF;
	return {
		folder,
		turningAway,
		args: [...basicArgs(folder), ...chain],
		purses: [...purses, ...accounts.map(({ purse }) => purse)],
		wallets: accounts,
		terms: onchain?.terms,
		chain: onchain?.chain,
		async close({ isKept }) {
			await turningAway?.close();
			await onchain?.close();
			if (!isKept) await rm(root, { recursive: true, force: true });
		},
	};
}

const OFF = ["--facilitator", "off"];
const basicArgs = (folder: string) => ["--data", folder, "--model", "none"];

/** The demo chain of another folder: here it is a chain like any other. */
async function openChain(folder: string): Promise<OpenedOnchain | undefined> {
	await mkdir(folder, { recursive: true, mode: 0o700 });
	const onchain = await openOnchain({
		settings: readSettings({ flags: { data: folder }, environment: {}, folder }),
		folder,
		keys: openKeyFolder(join(folder, "keys"), systemRandom),
		clock: systemClock,
		random: systemRandom,
		logger: SILENT,
	});
	await onchain?.ready();
	return onchain;
}

/** The server settles for itself, with a key of its own folder, or asks the facilitator at this address. */
async function chainArgs(
	folder: string,
	{ terms, demoWallet }: OpenedOnchain,
	facilitator = "local",
): Promise<string[]> {
	const owner = openKeyFolder(join(folder, "..", "chain-owner", "keys"), systemRandom);
	const settler = await owner.demoWallet("demo-settler", () => Promise.reject(new Error("no key")));
	const path = join(folder, "keys", "settler-key");
	await writeFile(path, settler.private_key);
	await chmod(path, 0o600);
	const asset = `${terms.asset}/${terms.assetName}/${terms.assetVersion}`;
	return [
		...["--facilitator", facilitator, "--rpc-url", demoWallet?.rpc_url ?? ""],
		...["--pay-to", terms.payTo, "--network", terms.network, "--asset", asset],
	];
}

async function issueTokens(folder: string, count: number): Promise<Purse[]> {
	const flags = { data: folder, model: "none", facilitator: "off" };
	const settings = readSettings({ flags, environment: {}, folder });
	const app = await createApp({ settings, logger: SILENT });
	const purses: Purse[] = [];
	for (let index = 0; index < count; index++) {
		const { id, token } = await app.operator.issueSpt({ usd: TOKEN_USD });
		const creditedMicros = BigInt(TOKEN_USD) * 1_000_000n;
		const credential = { scheme: "spt", token } as const;
		purses.push({ owner: id, rail: "spt", credential, creditedMicros, address: undefined });
	}
	await app.close();
	return purses;
}
