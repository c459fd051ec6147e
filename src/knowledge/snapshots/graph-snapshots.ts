import { chmod, mkdir, readdir, rm } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { Clock, Logger } from "../../kernel/kernel.js";
import { type Changeable, isChangeable } from "../bundle/bundle-change.js";
import { readGraph } from "../bundle/bundle-folder.js";
import { hashOf } from "../bundle/content-hash.js";
import type { GraphCatalog } from "../model/catalog.js";
import { type Graph, readMemory } from "../model/graph.js";
import { areSame, type FileStamps, stampGraphFiles } from "./file-stamps.js";
import { peekSnapshot, readSnapshot, type SnapshotName, writeSnapshot } from "./graph-snapshot.js";
import { type FileInventory, refreshSnapshot, takeInventory } from "./snapshot-refresh.js";

export type GraphSnapshots = ReturnType<typeof createGraphSnapshots>;

/** More are worth a thread. */
const FEW_FILES = 2_000;
const OUR_FILE = /^[0-9a-f]{64}\.graph(\.tmp)?$/;

/** Snapshots that come with the software, for graphs that do: a first start need not parse them. */
export interface ShippedSnapshots {
	/** Which graphs they are of: those below this folder. */
	readonly root: string;
	/** Where they are. */
	readonly folder: string;
}

/** Graphs as they were read last, one file each, so that a start reads only what has changed. Derived data: safe to delete. */
export function createGraphSnapshots({
	folder: home,
	version,
	clock,
	shipped,
}: {
	/** Made when it is missing. */
	readonly folder: string;
	/** Of the software: another one may read files differently. */
	readonly version: string;
	readonly clock: Clock;
	/** Looked into for a graph of which there is no usable snapshot of our own. */
	readonly shipped?: ShippedSnapshots | undefined;
}) {
	const kept = new Map<string, string>();
	const entries = new Map<string, InventoryEntry>();
	const fileOf = (folder: string) => join(home, nameOf(folder));
	// Whatever keeps a changed bundle from being read is reported as reading it again reports it.
	const findKept = (folder: string) =>
		findRefreshed(fileOf(folder), { version, folder }, clock).catch(() => undefined);
	const findShipped = async (folder: string) => {
		if (!shipped) return undefined;
		const { file, name } = placeShipped(shipped, { version, folder });
		return findRefreshed(file, name, clock).catch(() => undefined);
	};
	return {
		/** What `readGraph` gives, errors and findings of severity error included; other findings may be missing. */
		async read(folder: string, options?: Parameters<typeof readGraph>[1]): Promise<Graph> {
			const found = (await findKept(folder)) ?? (await findShipped(folder));
			if (!found) return readGraph(folder, options);
			const { graph, stamps, isUntouched } = found;
			const findings = new Map(found.findings.map((finding) => [finding.file, finding]));
			entries.set(folder, { inventory: { graph, stamps, findings }, isWritten: isUntouched });
			if (isUntouched) kept.set(folder, graph.contentHash);
			for (const finding of found.findings) options?.onFinding?.(finding);
			return graph;
		},
		/** True when keeping the graph again would save the next start nothing. */
		isKept: ({ folder, contentHash }: Pick<Graph, "folder" | "contentHash">) =>
			kept.get(folder) === contentHash,
		/** Keeps the graph for the next start. Rejects with what the disk or the signal says; the earlier snapshot stays then. */
		async keep(graph: Changeable, signal: AbortSignal): Promise<void> {
			const { folder, contentHash } = graph;
			await readMemory(graph);
			const now = await stampsOf(folder, graph.memory.files.size, clock);
			const earlier = entries.get(folder);
			const inventory = await takeInventory(graph, { now, earlier: earlier?.inventory, signal });
			// Files that are looked into each time would have the same lines written again and again.
			if (!earlier?.isWritten || !isSame(earlier.inventory, inventory)) {
				if (earlier) entries.set(folder, { ...earlier, isWritten: false });
				await mkdir(home, { recursive: true, mode: 0o700 });
				const name = { version, folder, signal };
				await writeSnapshot(fileOf(folder), toContent(graph, inventory), name);
			}
			const { graph: held, stamps, findings } = inventory;
			entries.set(folder, { inventory: { graph: held, stamps, findings }, isWritten: true });
			// Files that were touched a moment ago can be trusted the next time.
			if (now.hash !== undefined) kept.set(folder, contentHash);
		},
		/** Drops all graphs but those in these folders. */
		async forgetOthers(folders: readonly string[]): Promise<void> {
			const wanted = new Set(folders.map((folder) => nameOf(folder)));
			for (const folder of [...entries.keys(), ...kept.keys()]) {
				if (folders.includes(folder)) continue;
				entries.delete(folder);
				kept.delete(folder);
			}
			for (const name of await readdir(home).catch(() => [])) {
				if (OUR_FILE.test(name) && !wanted.has(name)) await rm(join(home, name), { force: true });
			}
		},
	};
}

/**
 * Keeps a graph for the first starts of others: with nothing of this machine in it, so that the same files give the same bytes, and
 * each file is compared by its hash when it is used. Rejects with what the disk says.
 */
export async function shipSnapshot(
	graph: Changeable,
	{ version, ...shipped }: ShippedSnapshots & { readonly version: string },
): Promise<void> {
	const now = { list: "", numbers: new Float64Array(), hash: undefined };
	const { signal } = new AbortController();
	const { astray } = await takeInventory(graph, { now, earlier: undefined, signal });
	await mkdir(shipped.folder, { recursive: true });
	const { file, name } = placeShipped(shipped, { version, folder: graph.folder });
	const content = { graph, stampOf: () => undefined, stampsHash: undefined, astray };
	await writeSnapshot(file, content, { ...name, signal });
	// Who runs the software need not be who installed it.
	await chmod(file, 0o644);
}

function placeShipped({ root, folder: home }: ShippedSnapshots, name: SnapshotName) {
	const label = relative(root, name.folder).split(sep).join("/");
	return { file: join(home, nameOf(label)), name: { ...name, label } };
}

/** Undefined for what cannot be trusted: it is read again. */
async function findRefreshed(file: string, name: SnapshotName, clock: Clock) {
	const files = await peekSnapshot(file, name);
	if (files === undefined) return undefined;
	// Most of both is waiting for the disk, or for another thread.
	const [snapshot, stamps] = await Promise.all([
		readSnapshot(file, name),
		stampsOf(name.folder, files, clock),
	]);
	return snapshot && { ...(await refreshSnapshot(snapshot, stamps)), stamps };
}

function stampsOf(folder: string, files: number, clock: Clock): Promise<FileStamps> {
	return stampGraphFiles(folder, { clock, isLarge: files > FEW_FILES });
}

interface InventoryEntry {
	readonly inventory: FileInventory;
	/** True when the snapshot on the disk says the same. */
	readonly isWritten: boolean;
}

function isSame(one: FileInventory, other: FileInventory): boolean {
	return one.graph.contentHash === other.graph.contentHash && areSame(one.stamps, other.stamps);
}

function toContent(
	graph: Changeable,
	{ stamps, stamped, stampOf, astray }: Awaited<ReturnType<typeof takeInventory>>,
) {
	const isWhole = stamped === graph.memory.files.size;
	return { graph, stampOf, stampsHash: isWhole ? stamps.hash : undefined, astray };
}

function nameOf(folder: string): string {
	return `${hashOf(folder)}.graph`;
}

const LOOK_INTERVAL_MS = 10_000;
/** Keeping graphs takes at most one part in so many of the time. */
const REST = 100;

/**
 * Saves each graph in the background once it has not changed between two checks; returns the
 * function that stops it.
 */
export function startSnapshotKeeper({
	snapshots,
	catalog,
	clock,
	logger,
}: {
	readonly snapshots: GraphSnapshots;
	readonly catalog: Pick<GraphCatalog, "list">;
	readonly clock: Clock;
	readonly logger: Logger;
}): () => Promise<void> {
	const stopping = new AbortController();
	/** Graphs that cannot be kept, such as one whose folder is gone; a later version of each is tried again. */
	const refused = new WeakSet<Graph>();
	let seen: ReadonlySet<Changeable> = new Set();
	/** Folders that snapshots were kept of when the others were forgotten; none before the first look. */
	let wanted: string | undefined;
	let running: Promise<void> | undefined;
	let restUntilMs = 0;

	const isOpen = (graph: Graph): graph is Changeable => isChangeable(graph) && !refused.has(graph);
	const keep = async (graph: Changeable): Promise<void> => {
		try {
			await snapshots.keep(graph, stopping.signal);
		} catch (error) {
			if (stopping.signal.aborted) return;
			refused.add(graph);
			logger.error("a graph could not be kept as it was read; the next start reads its files", {
				graph: graph.record.id,
				error: String(error),
			});
		}
	};
	/** What is taken from sale does not stay on the disk, whether anything else is to be kept or not. */
	const forgetOthers = async (folders: readonly string[]): Promise<void> => {
		const all = folders.join("\n");
		if (all === wanted) return;
		wanted = all;
		await snapshots.forgetOthers(folders).catch((error: unknown) =>
			logger.error("snapshots of graphs that are no longer on sale are left; delete them by hand", {
				error: String(error),
			}),
		);
	};
	const keepSettled = async (): Promise<void> => {
		const all = catalog.list();
		await forgetOthers(all.map(({ folder }) => folder));
		// The memory of a graph that is kept is not asked for: it may not have been read yet.
		const open = all.filter((graph) => !snapshots.isKept(graph)).filter(isOpen);
		const settled = open.filter((graph) => seen.has(graph));
		seen = new Set(open);
		if (settled.length === 0) return;
		const startedMs = clock.monotonicMs();
		for (const graph of settled) if (!stopping.signal.aborted) await keep(graph);
		restUntilMs = clock.monotonicMs() + REST * (clock.monotonicMs() - startedMs);
	};
	const look = (): void => {
		if (running || clock.monotonicMs() < restUntilMs) return;
		running = keepSettled().finally(() => {
			running = undefined;
		});
	};
	const stop = clock.every(LOOK_INTERVAL_MS, look);
	return async () => {
		stop();
		stopping.abort();
		await running;
	};
}
