import { join } from "node:path";
import type { WriterMeter } from "../../skills/answers/answers.js";
import type { Store } from "../../store/store.js";
import { createKeyRotation } from "../accounts/accounts.js";
import { createSealedText } from "../kernel/kernel.js";
import {
	createGraphHistory,
	createTermsSource,
	type GraphHistory,
} from "../knowledge/knowledge.js";
import {
	createAuditLog,
	createChainBooks,
	createCommandRunner,
	createConceptEditor,
	createDataBackup,
	createExpertEditor,
	createGraphImporter,
	createGraphOwner,
	createGraphPrices,
	createGraphRepository,
	createImportJobs,
	createNodePublisher,
	createOperator,
	createOperatorKeys,
	createPriceVersions,
	loadFeedSettings,
	type Operator,
	rehearseOn,
} from "../operator/operator.js";
import { GRAPH_VERSIONS } from "../settings/settings.js";
import { createMoney, environmentOf } from "./money.js";
import { noteSettings } from "./noted-settings.js";
import { openLlmWriter } from "./research.js";
import type { Ports, Wiring } from "./services.js";

interface Operated
	extends Pick<
		Wiring,
		| keyof Ports
		| "store"
		| "money"
		| "catalog"
		| "search"
		| "retention"
		| "time"
		| "chainBooks"
		| "info"
		| "baseUrl"
		| "jobs"
		| "research"
		| "sharedGraphs"
	> {
	readonly writerMeter: WriterMeter;
}

/** What operators can do, and the one way to it that roles and the audit log know. */
export async function wireCommands(
	operated: Operated,
): Promise<Pick<Wiring, "operator" | "commands">> {
	const { store, keys } = operated;
	await loadFeedSettings({ store, feeds: operated.research.feeds });
	if (operated.isServing) await noteSettings(operated);
	const operator = wireOperator(operated);
	const commands = createCommandRunner({
		...operated,
		operator,
		rehearse: (work) => rehearseOn(store, (trial) => work(wireTrial(operated, trial))),
		audit: createAuditLog(operated),
		seal: createSealedText({ ...operated, pepper: keys.pepper, purpose: "replies to operators" }),
	});
	return { operator, commands };
}

/** The same operator on a store that drops what it is given; no chain, because a transfer cannot be dropped. */
function wireTrial(operated: Operated, store: Store): Operator {
	const feeds = { ...operated.research.feeds, configure: () => undefined };
	const research = { ...operated.research, feeds };
	const graphs = createTermsSource(operated.catalog);
	const none = { onchain: undefined, sharedGraphs: undefined };
	const parts = { ...operated, store, research, graphs, ...none };
	const chainBooks = createChainBooks(parts);
	return wireOperator({ ...parts, money: createMoney(parts), chainBooks });
}

function wireOperator(wiring: Operated): Operator {
	const { money, store, settings, clock, folder: data, info, keys } = wiring;
	const folder = importedGraphs(data);
	const history = openHistory(wiring);
	const rotation = createKeyRotation(wiring);
	const { sharedGraphs } = wiring;
	const publication = sharedGraphs?.publication;
	const repository = createGraphRepository({ ...wiring, folder, history, publication });
	const importer = createGraphImporter({ ...wiring, repository, history, folder });
	sharedGraphs?.connect({ repository, folder, inTurn: importer.whileNoneRuns });
	return createOperator({
		...wiring,
		...money,
		mcpUrl: info.mcpUrl,
		importer,
		repository,
		concepts: createConceptEditor({ repository, clock, inTurn: importer.whileNoneRuns }),
		publishing: {
			...createNodePublisher({ repository, clock, inTurn: importer.whileNoneRuns }),
			...createImportJobs({ ...wiring, importer, repository }),
			setExpert: createExpertEditor({ ...wiring, repository, inTurn: importer.whileNoneRuns }),
		},
		priceGraph: createGraphPrices({ ...wiring, repository, inTurn: importer.whileNoneRuns }),
		owner: createGraphOwner({
			...wiring,
			repository,
			history,
			folder,
			inTurn: importer.whileNoneRuns,
		}),
		backUp: createDataBackup({ store, importer, rotation, keys, folder: data }),
		rotation,
		environment: environmentOf(settings.profile),
		openWriter: (onUsage) => openLlmWriter(wiring, onUsage),
		writerPrice: settings.writer?.price,
		operatorKeys: createOperatorKeys({ ...wiring, pepper: wiring.keys.pepper }),
		audit: createAuditLog({ store, clock }),
		feeds: wiring.research.feeds,
		priceVersions: createPriceVersions({ ...wiring, ...money, configured: settings.prices }),
	});
}

export const importedGraphs = (folder: string) => join(folder, "graphs");

/** Earlier versions of what was imported. */
export function openHistory({
	settings,
	clock,
	folder,
}: Pick<Ports, "settings" | "clock" | "folder">): GraphHistory {
	return createGraphHistory({
		folder: join(folder, "graph-history"),
		clock,
		keep: settings.graphVersions ?? GRAPH_VERSIONS,
	});
}
