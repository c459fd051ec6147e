export { A2A_PATHS, buildAgentCard } from "./build-agent-card.js";
export {
	type CardDocument,
	type CardSigningKey,
	type PublishedCard,
	publishCard,
} from "./published-card.js";
export { DEFAULT_TEXT_SKILL } from "./skill-offers.js";
export { X402_EXTENSION_URI, type X402Terms } from "./x402-extension.js";
