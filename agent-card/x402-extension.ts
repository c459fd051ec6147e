/** The A2A extension for payments on a chain, in the version this server speaks; its URI declares and activates it. */
export const X402_EXTENSION_URI =
	"https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2";

/** Where payments settle, as the card says it. */
export interface X402Terms {
	/** CAIP-2, e.g. `eip155:84532`. */
	readonly network: string;
	/** Address of the token that is paid in. */
	readonly asset: string;
}

/** The card's entry; never required, because callers with a key or a token need none of it. */
export function createX402Extension({ network, asset }: X402Terms) {
	return {
		uri: X402_EXTENSION_URI,
		description:
			"Pays for a message with x402: an unpaid message becomes a task in input-required, the next message of that task carries the signed payment. Versions 1 and 2 of x402.",
		required: false,
		params: { x402Versions: [2, 1], schemes: ["exact"], network, asset },
	};
}
