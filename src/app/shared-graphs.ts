import { join } from "node:path";
import type { GraphVersions } from "../../store/store.js";
import type { Clock, Logger, Random } from "../kernel/kernel.js";
import type { GraphCatalog, GraphHistory } from "../knowledge/knowledge.js";
import {
	type AwaitedVectors,
	createGraphPublication,
	createGraphReplication,
	createSharedVectors,
	type GraphReplication,
	openHeldVersions,
	type ReplicationServices,
} from "../operator/operator.js";
import type { SearchEngine } from "../search/search.js";
import { GRAPH_VERSIONS, type Settings } from "../settings/settings.js";

/** Imported graphs, which all processes on one database sell alike. */
export type SharedGraphs = NonNullable<Awaited<ReturnType<typeof openSharedGraphs>>>;

/** Undefined where the books are in a journal: what its folder holds is sold by its process alone. */
export async function openSharedGraphs({
	graphVersions: versions,
	folder,
	settings,
	random,
	...ports
}: {
	readonly graphVersions: GraphVersions | undefined;
	/** Absolute path of the data folder. */
	readonly folder: string;
	readonly settings: Pick<Settings, "graphVersions">;
	readonly random: Random;
	readonly clock: Clock;
	readonly logger: Logger;
	readonly catalog: GraphCatalog;
	readonly search: SearchEngine;
	readonly history: GraphHistory;
	readonly awaited: AwaitedVectors;
}) {
	if (!versions) return undefined;
	const { logger } = ports;
	const held = await openHeldVersions(join(folder, "graph-versions.json"), logger);
	const process = Buffer.from(random.bytes(16)).toString("hex");
	const vectors = createSharedVectors({ ...ports, versions, process });
	const keep = settings.graphVersions ?? GRAPH_VERSIONS;
	const parts = { ...ports, versions, held, vectors, keep, process };
	const publication = createGraphPublication(parts);
	let replication: GraphReplication | undefined;
	return {
		publication,
		/** To be called once, by those who change the files of graphs. */
		connect(given: Pick<ReplicationServices, "repository" | "inTurn" | "folder">): void {
			replication ??= createGraphReplication({ ...parts, publication, ...given });
		},
		begin: async (): Promise<void> => replication?.begin(),
		/** Looks once; what is missing then is taken over later. */
		async step(): Promise<void> {
			await replication?.step().catch((error: unknown) => {
				logger.error("graphs of other processes could not be looked at yet", {
					error: String(error),
				});
			});
		},
		start: (): (() => Promise<void>) => replication?.start() ?? (async () => undefined),
		status: () => replication?.status(),
	};
}
