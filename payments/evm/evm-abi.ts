/** The parts of ERC-20 and EIP-3009 that are read here. */

export const EIP3009_VIEWS = [
	{
		type: "function",
		name: "authorizationState",
		stateMutability: "view",
		inputs: [
			{ name: "authorizer", type: "address" },
			{ name: "nonce", type: "bytes32" },
		],
		outputs: [{ name: "", type: "bool" }],
	},
	{
		type: "function",
		name: "balanceOf",
		stateMutability: "view",
		inputs: [{ name: "account", type: "address" }],
		outputs: [{ name: "", type: "uint256" }],
	},
] as const;

export const TRANSFER_EVENT = {
	type: "event",
	name: "Transfer",
	inputs: [
		{ name: "from", type: "address", indexed: true },
		{ name: "to", type: "address", indexed: true },
		{ name: "value", type: "uint256", indexed: false },
	],
} as const;

const USE_INPUTS = [
	{ name: "authorizer", type: "address", indexed: true },
	{ name: "nonce", type: "bytes32", indexed: true },
] as const;

export const USED_EVENT = { type: "event", name: "AuthorizationUsed", inputs: USE_INPUTS } as const;

export const CANCELED_EVENT = {
	type: "event",
	name: "AuthorizationCanceled",
	inputs: USE_INPUTS,
} as const;
