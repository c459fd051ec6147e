/** What an operator says of payments on a chain, and what follows from it. */

import { isIP } from "node:net";
import {
	findUsdc,
	fromV1Network,
	type Hex,
	isTestNetwork,
	type SettlementTerms,
} from "../../payments/onchain/onchain.js";
import { isLoopback } from "../delivery/delivery.js";
import { invalidSetting } from "../kernel/kernel.js";

/** As it was set; undefined where it was not. */
export interface OnchainSettings {
	/** `demo`, `off`, `local` or the address of a facilitator. */
	readonly facilitator?: string | undefined;
	readonly payTo?: string | undefined;
	/** CAIP-2. */
	readonly network?: string | undefined;
	/** `address`, or `address/name/version`. */
	readonly asset?: string | undefined;
	readonly rpcUrl?: string | undefined;
	/** Without a node, a facilitator's word is taken for money. */
	readonly trustsFacilitator?: boolean | undefined;
}

/** What is to be opened. */
export type OnchainPlan =
	| { readonly kind: "off" }
	| { readonly kind: "demo" }
	| { readonly kind: "local"; readonly terms: SettlementTerms; readonly rpcUrl: string }
	| {
			readonly kind: "remote";
			readonly terms: SettlementTerms;
			readonly url: string;
			readonly rpcUrl: string | undefined;
	  };

/** Checks each setting by itself. Throws INVALID_ARGUMENT. */
export function parseOnchainSettings(text: (key: OnchainKey) => string): OnchainSettings {
	const value = (key: OnchainKey) => text(key) || undefined;
	const facilitator = value("facilitator");
	const [payTo, rpcUrl, asset] = [value("pay_to"), value("rpc_url"), value("asset")];
	if (facilitator !== undefined && !/^(demo|off|local)$/.test(facilitator)) {
		assertUrl(facilitator, "facilitator", "demo, off, local or an https address");
	}
	if (payTo !== undefined && !ADDRESS.test(payTo)) {
		throw invalidSetting(`"${payTo}" is no address for pay_to; use 0x and 40 hexadecimal digits.`);
	}
	if (asset !== undefined) parseAsset(asset);
	if (rpcUrl !== undefined) assertUrl(rpcUrl, "rpc_url", "an https address");
	const trust = value("unproven_settlements") ?? "refuse";
	if (trust !== "refuse" && trust !== "accept") {
		throw invalidSetting(`"${trust}" is no value of unproven_settlements; use refuse or accept.`);
	}
	return {
		facilitator,
		payTo,
		rpcUrl,
		asset,
		network: parseNetwork(value("network")),
		trustsFacilitator: trust === "accept",
	};
}

export type OnchainKey =
	| "facilitator"
	| "pay_to"
	| "network"
	| "asset"
	| "rpc_url"
	| "unproven_settlements";

/**
 * What these settings open in this profile. Throws INVALID_ARGUMENT with one sentence for each thing that is missing:
 * production must say where its money goes, or that it takes none this way.
 */
export function planOnchain(
	settings: OnchainSettings,
	profile: "demo" | "production",
): OnchainPlan {
	const facilitator = settings.facilitator ?? (profile === "demo" ? "demo" : undefined);
	if (facilitator === "off") return { kind: "off" };
	if (facilitator === "demo") return planDemo(profile, settings);
	const problems = [
		...problemsOfFacilitator(facilitator, settings, profile),
		...problemsOfPayTo(settings.payTo, profile),
		...problemsOfNetwork(settings, profile),
	];
	if (problems.length > 0) throw invalidSetting(problems.join(" "));
	const terms = toTerms(settings);
	const { rpcUrl } = settings;
	if (facilitator === "local") return { kind: "local", terms, rpcUrl: String(rpcUrl) };
	return { kind: "remote", terms, url: String(facilitator).replace(/\/+$/, ""), rpcUrl };
}

function planDemo(profile: "demo" | "production", settings: OnchainSettings): OnchainPlan {
	if (profile === "production") {
		throw invalidSetting(
			"The demo chain deals in paper money: set facilitator to an address, to local, or to off.",
		);
	}
	const { payTo, network, asset, rpcUrl } = settings;
	if (payTo ?? network ?? asset ?? rpcUrl) {
		throw invalidSetting(
			"pay_to, network, asset and rpc_url are the demo chain's own; to set them, set facilitator to local or to an address.",
		);
	}
	return { kind: "demo" };
}

function problemsOfFacilitator(
	facilitator: string | undefined,
	{ rpcUrl, trustsFacilitator = false }: OnchainSettings,
	profile: "demo" | "production",
): string[] {
	if (facilitator === undefined) {
		return [
			"The production profile needs the setting facilitator: who verifies and settles payments (an https address, or local), or off to take none on a chain.",
		];
	}
	if (rpcUrl !== undefined) return [];
	if (facilitator === "local") {
		return ["The local facilitator needs the setting rpc_url: the node it reaches the chain by."];
	}
	if (profile === "demo" || trustsFacilitator) return [];
	return [
		"Without the setting rpc_url, a node of the chain, nothing proves that a payment came: set it, or set unproven_settlements to accept to take the facilitator's word for it.",
	];
}

function problemsOfPayTo(payTo: string | undefined, profile: "demo" | "production"): string[] {
	if (payTo === undefined) return ["The setting pay_to is missing: the address payments go to."];
	if (/^0x0{40}$/.test(payTo)) return ["pay_to is the zero address: payments to it are lost."];
	if (profile === "demo" || !DEVELOPER_ADDRESSES.has(payTo.toLowerCase())) return [];
	return [`pay_to is ${payTo}, an address of local test chains whose key everybody knows.`];
}

function problemsOfNetwork(
	{ network, asset }: OnchainSettings,
	profile: "demo" | "production",
): string[] {
	if (network === undefined) {
		return ["The setting network is missing: the chain payments are made on, e.g. eip155:8453."];
	}
	if (profile === "production" && isTestNetwork(network)) {
		return [`${network} is a test network, where money is worth nothing; use a main one.`];
	}
	if (profile === "demo" && !isTestNetwork(network)) {
		return [`${network} is no test network, and the demo profile takes no real money.`];
	}
	if (asset === undefined && !findUsdc(network)) {
		return [`No USDC is known on ${network}; set asset to address/name/version of the token.`];
	}
	return [];
}

function toTerms({ payTo, network, asset }: OnchainSettings): SettlementTerms {
	const known = findUsdc(String(network));
	const chosen = asset === undefined ? known : parseAsset(asset);
	if (!chosen || !network) throw invalidSetting("The setting asset is missing.");
	const isKnown = chosen.address.toLowerCase() === known?.address.toLowerCase();
	const named = chosen.name === undefined && isKnown ? known : chosen;
	if (named.name === undefined || named.version === undefined) {
		throw invalidSetting(
			`asset needs the name and version the token is signed with: ${chosen.address}/name/version.`,
		);
	}
	const { address, name, version } = named;
	return { network, asset: address, assetName: name, assetVersion: version, payTo: payTo as Hex };
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

function parseAsset(text: string): { address: Hex; name?: string; version?: string } {
	const [address = "", name, version, ...rest] = text.split("/");
	if (!ADDRESS.test(address) || rest.length > 0 || name === "" || version === "") {
		throw invalidSetting(`"${text}" is no asset; use its address, or address/name/version.`);
	}
	if ((name === undefined) !== (version === undefined)) {
		throw invalidSetting(`"${text}" needs name and version: address/name/version.`);
	}
	return {
		address: address as Hex,
		...(name !== undefined && { name }),
		...(version !== undefined && { version }),
	};
}

function parseNetwork(text: string | undefined): string | undefined {
	if (text === undefined) return undefined;
	const network = fromV1Network(text) ?? text;
	if (/^eip155:[1-9]\d{0,14}$/.test(network)) return network;
	throw invalidSetting(
		`"${text}" is no network; use a CAIP-2 id such as eip155:8453, or a name as base.`,
	);
}

/** Keys and payments travel on it: https, unless it never leaves the machine. */
function assertUrl(text: string, key: string, expected: string): void {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const isHttps = url?.protocol === "https:";
	if (url && !url.username && (isHttps || (url.protocol === "http:" && isLoopback(url.hostname)))) {
		return;
	}
	const host = url?.host ? ` ("${isIP(url.hostname) ? url.hostname : url.host}")` : "";
	throw invalidSetting(`The setting ${key}${host} must be ${expected}, or http on this machine.`);
}

/** Addresses 0 to 9 of the mnemonic that anvil and hardhat start with. */
const DEVELOPER_ADDRESSES = new Set([
	"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
	"0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
	"0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
	"0x90f79bf6eb2c4f870365e785982e1f101e93b906",
	"0x15d34aaf54267db7d7c367839aaf71a00a2c6a65",
	"0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc",
	"0x976ea74026e726554db657fa54763abd0c3a0aa9",
	"0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
	"0x23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f",
	"0xa0ee7a142d267c1f36714e4a8f75612f20a79720",
]);
