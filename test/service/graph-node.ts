import { existsSync, readdirSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../src/kernel/clock.js";
import { readGraph, recoverBundles } from "../../src/knowledge/bundle/bundle-folder.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import { createGraphHistory, recoverHistory } from "../../src/knowledge/versions/graph-history.js";
import { createConceptEditor } from "../../src/operator/graphs/concept-editor.js";
import { createGraphOwner } from "../../src/operator/graphs/graph-owner.js";
import { createGraphPrices } from "../../src/operator/graphs/graph-prices.js";
import { createGraphImporter } from "../../src/operator/imports/graph-importer.js";
import { createGraphPublication } from "../../src/operator/publication/graph-publication.js";
import { createGraphReplication } from "../../src/operator/publication/graph-replication.js";
import { createGraphRepository } from "../../src/operator/publication/graph-repository.js";
import { openHeldVersions } from "../../src/operator/publication/held-versions.js";
import {
	createAwaitedVectors,
	createSharedVectors,
} from "../../src/operator/publication/shared-vectors.js";
import type { Embedder } from "../../src/search/model/embedder.js";
import { createSearchEngine } from "../../src/search/search-engine.js";
import { openPostgresStore } from "../../store/postgres/postgres.js";

export interface NodeOptions {
	readonly url: string;
	/** Where everything of the node lies. */
	readonly folder: string;
	readonly model?: Embedder | "none";
	/** Versions kept of each graph. */
	readonly keep?: number;
	/** Notices of the database are lost on their way. */
	readonly isDeaf?: boolean;
	/** Looks at the database only when it is told to. */
	readonly isIdle?: boolean;
}

export type GraphNode = Awaited<ReturnType<typeof openNode>>;

/** Everything of a process that has to do with graphs, on a data folder of its own and a database that others use as well. */
export async function openNode({
	url,
	folder: root,
	model = "none",
	keep = 10,
	...options
}: NodeOptions) {
	const folder = join(root, "graphs");
	await mkdir(root, { recursive: true });
	const clock = systemClock;
	const errors: string[] = [];
	const log = (message: string, fields = {}) => errors.push(`${message} ${JSON.stringify(fields)}`);
	const logger = { info: () => undefined, error: log };
	const store = await openPostgresStore({ url, clock, connections: 4 });
	const deaf = { ...store.graphs, watch: () => async () => undefined };
	const versions = options.isDeaf ? deaf : store.graphs;
	const history = createGraphHistory({ folder: join(root, "graph-history"), clock, keep });
	const gone = await recoverHistory(history, folder);
	await recoverBundles(folder);
	const names = existsSync(folder) ? readdirSync(folder) : [];
	const graphs = await Promise.all(names.map((name) => readGraph(join(folder, name))));
	const awaited = createAwaitedVectors();
	const search = await createSearchEngine({
		folder: join(root, "index"),
		clock,
		model,
		logger,
		isMadeElsewhere: awaited.has,
	});
	const catalog = createGraphCatalog(graphs, gone);
	const held = await openHeldVersions(join(root, "graph-versions.json"), logger);
	const process = root;
	const vectors = createSharedVectors({ versions, search, catalog, awaited, process, logger });
	const parts = { versions, held, vectors, history, catalog, search, clock, logger, folder };
	const publication = createGraphPublication({ ...parts, keep, process });
	const repository = createGraphRepository({ ...parts, publication });
	const importer = createGraphImporter({ ...parts, repository });
	const inTurn = importer.whileNoneRuns;
	const services = { ...parts, repository, inTurn };
	const replication = createGraphReplication({ ...services, publication });
	await replication.begin();
	await search.sync(catalog.list(), { vectors: "background" });
	await replication.step();
	const stop = options.isIdle ? async () => undefined : replication.start();
	let closing: Promise<void> | undefined;
	return {
		...services,
		importer,
		replication,
		errors,
		owner: createGraphOwner(services),
		concepts: createConceptEditor(services),
		price: createGraphPrices(services),
		/** The text of every concept on sale, by graph; what searches find is held against it. */
		onSale: (): string =>
			JSON.stringify(
				catalog
					.list()
					.map(({ record, concepts }) => [record.id, concepts.map(({ body }) => body.trim())]),
			),
		async find(graphId: string, query: string) {
			const { signal } = new AbortController();
			const asked = { graphs: [catalog.get(graphId)], query, limit: 3, signal };
			const { rows, mode } = await search.find(asked);
			return { names: rows.map(({ concept }) => concept.title), mode };
		},
		close(): Promise<void> {
			closing ??= (async () => {
				await stop();
				await search.close();
				await store.close();
			})();
			return closing;
		},
	};
}

/** Resolves once it is true; rejects, with what there is instead, when that takes too long. */
export async function until(
	isTrue: () => boolean | Promise<boolean>,
	what: () => string,
	withinMs = 60_000,
): Promise<number> {
	const startedMs = systemClock.monotonicMs();
	while (!(await isTrue())) {
		const tookMs = systemClock.monotonicMs() - startedMs;
		if (tookMs > withinMs) throw new Error(`After ${Math.round(tookMs)} ms: ${what()}`);
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
	return systemClock.monotonicMs() - startedMs;
}

/** Resolves once both sell the same. */
export async function untilAlike(one: GraphNode, other: GraphNode): Promise<number> {
	return until(
		() => one.onSale() === other.onSale(),
		() => `${one.onSale()} and ${other.onSale()}, ${other.errors.join("; ")}`,
	);
}
