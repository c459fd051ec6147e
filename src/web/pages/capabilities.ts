import type { Operation } from "../../contract/contract.js";
import { OPERATIONS } from "../../service/service.js";

/** Operations by what they are for, in the order in which a stranger wants them. */
const CAPABILITIES = [
	["Search", /^(search|graphs\.search)/],
	["Answers and research", /^(answer|graphs\.ask|research\.(stream|deep_dive|chat|answer))/],
	["Verification", /^verify/],
	["Reading a graph", /^(graphs|trends|articles|entities)/],
	["Expert desks and analysts", /^(human_agents|experts|analysts|consultations)/],
	["Dossiers and brands", /^(intelligence|brand|dossier)/],
	["Supplemental data", /^(supplemental|feeds)/],
	["Briefings", /^research\.schedules/],
	["Models", /^(embeddings|rerank)/],
	["Paying", /^(spt|payments|quotes|receipts|refunds|research\.pricing|offerings)/],
	["Accounts", /^(account|keys|plan|connections|grants)/],
	["Catalog", /^(catalog|readmes)/],
	["Webhooks", /^webhooks/],
	["Service", /./],
] as const;

export interface Capability {
	readonly title: string;
	readonly operations: readonly Operation[];
}

export const CAPABILITY_LIST: readonly Capability[] = toCapabilities();

function toCapabilities(): readonly Capability[] {
	const groups = new Map<string, Operation[]>(CAPABILITIES.map(([title]) => [title, []]));
	for (const operation of OPERATIONS) {
		const [title] = CAPABILITIES.find(([, ids]) => ids.test(operation.id)) ?? ["Service"];
		groups.get(title)?.push(operation);
	}
	return [...groups]
		.map(([title, operations]) => ({ title, operations }))
		.filter(({ operations }) => operations.length > 0);
}

export const findOperation = (id: string): Operation | undefined =>
	OPERATIONS.find((operation) => operation.id === id);
