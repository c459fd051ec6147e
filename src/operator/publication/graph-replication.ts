import {
	createSerialQueue,
	DamagedVersion,
	type GraphVersionRow,
	type GraphVersions,
} from "../../../store/store.js";
import { type Clock, type Logger, ServiceError, toIsoTime } from "../../kernel/kernel.js";
import {
	type Changeable,
	type GraphCatalog,
	nameSharedVersion,
} from "../../knowledge/knowledge.js";
import type { Donors, SearchEngine } from "../../search/search.js";
import type { GraphPublication } from "./graph-publication.js";
import type { GraphRepository } from "./graph-repository.js";
import { createVersionSwitch, type SwitchServices } from "./graph-switch.js";

/** How often the newest version is asked for; a notice of the database makes it at once. */
const POLL_MS = 1_000;

export type GraphReplication = ReturnType<typeof createGraphReplication>;

/** How far a process is behind the graphs of all. */
export interface ReplicationStatus {
	/** The newest version that it has looked at, and the newest there is. */
	readonly version: number;
	readonly newest: number;
	/** When the newest was asked for last; null before the first time. */
	readonly checkedAt: string | null;
	/** Graphs whose newest version is damaged: the one before it is on sale. */
	readonly refused: readonly string[];
}

export interface ReplicationServices extends SwitchServices {
	readonly versions: GraphVersions;
	readonly publication: GraphPublication;
	readonly catalog: GraphCatalog;
	readonly repository: GraphRepository;
	readonly search: SearchEngine;
	readonly clock: Clock;
	readonly logger: Logger;
	/** Runs one thing at a time that changes imported files. */
	readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Puts on sale here what any process publishes. */
export function createGraphReplication(deps: ReplicationServices) {
	const { versions, held, vectors, catalog, repository, search, clock, logger, inTurn } = deps;
	const take = createTaking(deps);
	let seen = 0;
	let newest = 0;
	let checkedAt: string | null = null;
	const status = (): ReplicationStatus => {
		return { version: seen, newest, checkedAt, refused: held.refusals() };
	};

	const ask = async (): Promise<readonly GraphVersionRow[]> => {
		const rows = await versions.newestAfter(seen);
		newest = Math.max(newest, rows.at(-1)?.version ?? 0);
		checkedAt = toIsoTime(clock.now());
		return rows;
	};
	const catchUp = async (): Promise<void> => {
		for (const row of await ask()) {
			await inTurn(async () => {
				if ((held.baseOf(row.graphId) ?? 0) < row.version) await take(row);
			});
			seen = Math.max(seen, row.version);
		}
	};
	const renew = (donors: Donors) =>
		inTurn(() => search.sync(catalog.list(), { vectors: "background", donors }));
	const alone = createSerialQueue();
	const step = () =>
		alone(async () => {
			await catchUp();
			await vectors.settle(renew);
		});
	return {
		status,
		/** Before anything is sold: brings what the disk holds in line with what all others sell, and the others with what was begun here. */
		async begin(): Promise<void> {
			const rows = await ask();
			const heads = new Map(rows.map((row) => [row.graphId, row]));
			const own = [...catalog.list(), ...catalog.drafts()]
				.map(({ record }) => repository.findOwn(record.id))
				.filter((graph) => graph !== undefined);
			const published = new Set<string>();
			for (const graph of own) {
				const { id } = graph.record;
				if (await inTurn(() => adopt(deps, graph, heads.get(id)))) published.add(id);
			}
			for (const row of rows) {
				const isAsHere = repository.findOwn(row.graphId)?.contentHash === row.contentHash;
				const isInStep = isAsHere && held.get(row.graphId)?.version === row.version;
				if (!isInStep && !published.has(row.graphId)) await inTurn(() => take(row));
				seen = Math.max(seen, row.version);
			}
		},
		/** One look at what is new, and at vectors that are waited for. */
		step,
		/** Looks every second, and whenever the database says so; returns what ends it. */
		start(): () => Promise<void> {
			const looks = createLooks(step, logger);
			const stopPolling = clock.every(POLL_MS, looks.look);
			const stopWatching = versions.watch(looks.look);
			return async () => {
				stopPolling();
				await stopWatching();
				await looks.end();
			};
		},
	};
}

/** What can never be taken over is refused once, and what is on sale stays on sale. */
function createTaking(deps: ReplicationServices) {
	const { held, logger } = deps;
	const switchTo = createVersionSwitch(deps);
	return async (row: GraphVersionRow): Promise<void> => {
		const { graphId: graph, version, cause } = row;
		try {
			const isTaken = await switchTo(row);
			if (isTaken) logger.info("a change by another process is on sale", { graph, version, cause });
		} catch (error) {
			if (!isPermanent(error)) throw error;
			held.refuse(graph, version);
			logger.error("a version of a graph is damaged; the one before it stays on sale", {
				...{ graph, version, reason: String(error) },
			});
		}
	};
}

/** One at a time; what comes meanwhile is looked at once more afterwards. */
function createLooks(step: () => Promise<void>, logger: Logger) {
	let running: Promise<void> | undefined;
	let isAskedAgain = false;
	let isOver = false;
	let said = "";
	const run = async () => {
		do {
			isAskedAgain = false;
			const problem = await step().then(
				() => "",
				(error: unknown) => String(error),
			);
			if (problem !== "" && problem !== said && !isOver) {
				logger.error("graphs of other processes could not be taken over yet", { error: problem });
			}
			said = problem;
		} while (isAskedAgain && !isOver);
	};
	return {
		look(): void {
			if (isOver) return;
			if (running !== undefined) isAskedAgain = true;
			else
				running = run().finally(() => {
					running = undefined;
				});
		},
		async end(): Promise<void> {
			isOver = true;
			await running;
		},
	};
}

/** The same again meets the same: no other bytes come of asking again. */
function isPermanent(error: unknown): boolean {
	if (error instanceof ServiceError) return error.code === "INVALID_ARGUMENT";
	return error instanceof DamagedVersion;
}

/**
 * What the disk holds at a start: the newest version, one that was made here and not published, because the process was killed or
 * files were changed by hand, or an earlier one. True where it was published.
 */
async function adopt(
	{ held, vectors, publication, logger }: ReplicationServices,
	graph: Changeable,
	head: GraphVersionRow | undefined,
): Promise<boolean> {
	const { id } = graph.record;
	if (!head) held.forget(id);
	const known = held.get(id);
	if (head?.contentHash === graph.contentHash) {
		nameSharedVersion(graph, head.version);
		vectors.expect(id, head.version, graph.contentHash);
		await held.set(id, head.version, graph.contentHash);
		return false;
	}
	const isOnTop = head?.contentHash !== undefined && known?.version === head.version;
	if (head && !isOnTop) return false;
	try {
		await publication.publish(graph);
		logger.info("a graph of this folder is given to the other processes", { graph: id });
		return true;
	} catch (error) {
		// Another process was faster: its version takes the place of this one, which the history keeps.
		if (error instanceof ServiceError && error.code === "CONFLICT") return false;
		throw error;
	}
}
