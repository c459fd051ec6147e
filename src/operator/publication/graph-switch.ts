import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DamagedVersion, type GraphVersionRow, type GraphVersions } from "../../../store/store.js";
import { parseGraphId } from "../../kernel/kernel.js";
import {
	type BundleChanges,
	type Changeable,
	changesTo,
	type Graph,
	type GraphCatalog,
	type GraphHistory,
	type MadeVersion,
	nameSharedVersion,
	readBundleInTurns,
	readCause,
	readMemory,
	writeBundle,
} from "../../knowledge/knowledge.js";
import { moveGraph, takeAway } from "./graph-departures.js";
import { type GraphRepository, readBefore, type StagedChange } from "./graph-repository.js";
import type { HeldVersions } from "./held-versions.js";
import type { SharedVectors } from "./shared-vectors.js";
import { filesOf, readChain } from "./version-reading.js";

export interface SwitchServices {
	readonly versions: Pick<GraphVersions, "chainOf" | "readArchive">;
	readonly held: HeldVersions;
	readonly vectors: SharedVectors;
	readonly catalog: GraphCatalog;
	readonly repository: GraphRepository;
	readonly history: GraphHistory;
	/** Where imported bundles live, one folder each. */
	readonly folder: string;
}

/**
 * Switches one graph to a version that another process published: on the disk as an import does, so that a start after a crash
 * finds the old one or the new one, then in the index, then on sale. Throws DamagedVersion for one that is not what was published,
 * and nothing has changed then. False where a newer version has taken the place of this one meanwhile.
 */
export function createVersionSwitch(deps: SwitchServices) {
	const { held, repository } = deps;
	return async (row: GraphVersionRow): Promise<boolean> => {
		const own = repository.findOwn(row.graphId);
		if (row.contentHash === undefined) await leave(deps, row, own);
		else if (!(await enter(deps, row, own))) return false;
		await held.set(row.graphId, row.version, row.contentHash);
		return true;
	};
}

/** A graph that is gone, or has another id now. */
async function leave(
	deps: SwitchServices,
	{ graphId, movedTo, at }: GraphVersionRow,
	own: Changeable | undefined,
): Promise<void> {
	const { catalog, history, repository } = deps;
	if (own && movedTo === undefined) return takeAway(deps, own);
	// What a catalog folder has under this id is not ours to take away.
	if (!own && catalog.findHeld(graphId)) return;
	const departure = await history.depart(graphId, movedTo ?? null, at);
	if (own) await rm(own.folder, { recursive: true, force: true });
	catalog.remove(graphId, departure);
	if (own) await repository.reindex();
}

/** False where a newer version has taken the place of this one meanwhile. */
async function enter(
	deps: SwitchServices,
	row: GraphVersionRow,
	own: Changeable | undefined,
): Promise<boolean> {
	if (own) await readMemory(own);
	const content = await readContent(deps, row, own);
	if (!content) return false;
	if (own) await update(deps, row, await stage(deps, row, { own, content }));
	else await begin(deps, row, filesOf(content.changes));
	return true;
}

interface Content {
	/** True for all files, which have no removals among them. */
	readonly isWhole: boolean;
	readonly changes: BundleChanges;
}

/** All files of a version, or what it has otherwise than the one that is held. */
async function readContent(
	{ versions, held }: SwitchServices,
	row: GraphVersionRow,
	own: Changeable | undefined,
): Promise<Content | undefined> {
	const chain = await versions.chainOf(row);
	if (chain.at(-1)?.version !== row.version) return undefined;
	const known = held.get(row.graphId);
	// Files that were changed here are no ground to build on.
	const isHeld = own !== undefined && known?.content_hash === own.contentHash;
	const at = isHeld ? chain.findIndex(({ version }) => version === known.version) : -1;
	const later = chain.slice(at + 1);
	return { isWhole: later[0]?.isWhole ?? false, changes: await readChain(versions, later) };
}

/** Throws DamagedVersion where the graph would not be the one that was published. */
async function stage(
	{ repository }: SwitchServices,
	{ contentHash, version }: GraphVersionRow,
	{ own, content }: { readonly own: Changeable; readonly content: Content },
): Promise<StagedChange> {
	const { isWhole, changes } = content;
	const wanted = isWhole ? await changesTo(own, filesOf(changes)) : changes;
	const staged = await repository.stage(own, wanted);
	if (staged.next.contentHash === contentHash) return staged;
	throw new DamagedVersion(`Version ${version}`);
}

const madeOf = ({ number, at, cause }: GraphVersionRow): MadeVersion => ({
	number,
	at,
	cause: readCause(cause),
});

async function update(
	{ repository, vectors }: SwitchServices,
	row: GraphVersionRow,
	staged: StagedChange,
): Promise<void> {
	const donors = await vectors.prepare(row);
	nameSharedVersion(staged.next, row.version);
	const made = madeOf(row);
	await repository.apply(staged, { cause: made.cause, made, donors });
}

/** A graph that is new here, under an id that was free or that another graph of ours has left. */
async function begin(
	deps: SwitchServices,
	row: GraphVersionRow,
	files: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
	const { repository, history, vectors, folder } = deps;
	const place = join(folder, parseGraphId(row.graphId));
	const { graph } = await readBundleInTurns(files, { folder: place, fallbackId: row.graphId });
	if (graph.contentHash !== row.contentHash) throw new DamagedVersion(`Version ${row.version}`);
	const former = row.former === undefined ? undefined : repository.findOwn(row.former);
	const donors = await vectors.prepare(row);
	if (former) return void (await follow(deps, row, { former, graph, files, donors }));
	await history.clear(row.graphId);
	await writeBundle(files, place, { replace: true });
	await history.begin(graph, madeOf(row));
	nameSharedVersion(graph, row.version);
	await repository.publish(graph, { vectors: "background", donors, isShared: true });
}

/** The graph that moved is the same one here: its history goes with it. */
async function follow(
	deps: SwitchServices,
	row: GraphVersionRow,
	{
		former,
		graph: { record },
		files,
		donors,
	}: {
		readonly former: Changeable;
		readonly graph: Graph;
		readonly files: ReadonlyMap<string, Uint8Array>;
		readonly donors: Awaited<ReturnType<SharedVectors["prepare"]>>;
	},
): Promise<void> {
	await readMemory(former);
	const undo = await readBefore(former, await changesTo(former, files));
	const onMoved = (moved: Graph) => nameSharedVersion(moved, row.version);
	const move = { graph: former, record, files, undo, made: madeOf(row), donors, onMoved };
	await moveGraph(deps, move);
}
