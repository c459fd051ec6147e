export {
	A2A_PATHS,
	buildAgentCard,
	DEFAULT_TEXT_SKILL,
	X402_EXTENSION_URI,
	type X402Terms,
} from "./build-agent-card.js";
export {
	type CardDocument,
	type CardSigningKey,
	type PublishedCard,
	publishCard,
} from "./published-card.js";
