import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type Clock, invalidArgument, notFound, toIsoTime } from "../../kernel/kernel.js";
import type { BundleChanges } from "../bundle/bundle-change.js";
import { nodeBundleDisk, readStaged, stageChanges } from "../bundle/bundle-update.js";
import type { Graph } from "../model/graph.js";

/** What made a version. `found`: its files were changed by hand, or by a software that kept no versions. */
const CAUSES = ["import", "update", "concept", "rollback", "settings", "rename", "found"] as const;
export type VersionCause = (typeof CAUSES)[number];

const version = z.strictObject({
	format: z.literal(1),
	number: z.int().min(1),
	at: z.iso.datetime(),
	cause: z.enum(CAUSES),
	/** Content hash of the graph before, and of this version. */
	from: z.string().nullable(),
	to: z.string(),
	nodes: z.int(),
	/** What its owner calls it. */
	release: z
		.strictObject({ label: z.string(), notes: z.string(), at: z.iso.datetime() })
		.optional(),
});
export type GraphVersion = z.infer<typeof version>;
type Release = NonNullable<GraphVersion["release"]>;

const departure = z.strictObject({
	format: z.literal(1),
	at: z.iso.datetime(),
	/** The id the graph has now; null where it was removed. */
	moved_to: z.string().nullable(),
});
type Departure = z.infer<typeof departure>;

/** Changes of single concepts are small; this many are kept for each of the other versions. */
const CONCEPT_CHANGES_PER_VERSION = 100;
const VERSION_FILE = "version.json";
const DEPARTURE_FILE = "gone.json";
const REMOVED = "removed";

export type GraphHistory = ReturnType<typeof createGraphHistory>;

/**
 * Earlier versions of imported graphs: for each change, the files that it replaced. One folder for each graph, in it one for each
 * version, which takes its name when it is whole. A change is noted here before it happens; one that did not happen is
 * recognized by the graph's content hash, and its note goes.
 */
export function createGraphHistory({
	folder: home,
	clock,
	keep,
}: {
	readonly folder: string;
	readonly clock: Pick<Clock, "now">;
	/** Versions kept of each graph, the one on sale included. */
	readonly keep: number;
}) {
	const versionFolders = createVersionFolders(home);
	const { readVersions, write, drop, placeOf } = versionFolders;
	const departures = createDepartures(home, clock);
	const now = () => toIsoTime(clock.now());
	/** Versions up to the one on sale, oldest first. */
	const versionsOf = async (graph: Graph): Promise<readonly GraphVersion[]> => {
		const { record, contentHash } = graph;
		const versions = await readVersions(record.id);
		const last = versions.at(-1);
		if (last?.to === contentHash) return versions;
		if (last && last.from === contentHash) {
			await drop(record.id, last.number);
			return versionsOf(graph);
		}
		const entry = toVersion(graph, { at: now(), cause: "found", before: last });
		await write(record.id, entry, new Map());
		return [...versions, entry];
	};
	return {
		...departures,
		move: versionFolders.move,
		versionsOf,
		/** Begins again with a graph that was just imported under an id that was free, or with what another process made of it. */
		async begin(graph: Graph, made?: MadeVersion): Promise<void> {
			const first = toVersion(graph, { at: now(), cause: "import", before: undefined, ...made });
			await write(graph.record.id, first, new Map());
		},
		/** Frees an id: what had it before is no longer pointed to. A graph that was removed stays until the next one is. */
		async clear(id: string): Promise<void> {
			for (const { number } of await readVersions(id)) await drop(id, number);
			await departures.forgetDeparture(id);
		},
		/**
		 * Notes a change that is about to be made: `undo` has what it replaces, `made` how another process made it. Returns what to
		 * call when it has been made, and when it has not.
		 */
		async note(graph: Graph, next: Graph, { cause, undo, made }: NotedChange) {
			const { id } = graph.record;
			const last = (await versionsOf(graph)).at(-1);
			const entry = toVersion(next, { at: now(), cause, before: last, ...made });
			await write(id, entry, undo);
			const withdraw = () => drop(id, entry.number);
			return { finish: () => prune(versionFolders, id, keep), withdraw };
		},
		/** Names the version on sale. Throws INVALID_ARGUMENT for a label that another version has. */
		async release(graph: Graph, given: Pick<Release, "label" | "notes">) {
			const release = { ...given, at: now() };
			return releaseLast(versionFolders, graph.record.id, await versionsOf(graph), release);
		},
		/** What makes the files of the graph those of an earlier version. Throws NOT_FOUND for a version that is not kept. */
		async changesBackTo(graph: Graph, number: number): Promise<BundleChanges> {
			const { id } = graph.record;
			const versions = await versionsOf(graph);
			if (!versions.some((one) => one.number === number)) {
				throw notFound(
					`No version ${number} of "${id}" is kept; tollgraph graphs versions ${id} lists those that are.`,
				);
			}
			const changes = new Map<string, Uint8Array | undefined>();
			for (const later of versions.filter((one) => one.number > number).reverse()) {
				// The earlier a change, the nearer is what it replaced to the version that is wanted.
				for (const [path, bytes] of await readStaged(placeOf(id, later.number))) {
					changes.set(path, bytes);
				}
			}
			return changes;
		},
	};
}

interface NotedChange {
	readonly cause: VersionCause;
	readonly undo: BundleChanges;
	readonly made?: MadeVersion | undefined;
}

/** How a version came about that another process made: all of them count it alike. */
export type MadeVersion = Pick<GraphVersion, "number" | "at" | "cause">;

function toVersion(
	{ contentHash, concepts }: Graph,
	{
		at,
		cause,
		before,
		number = 1,
	}: Pick<GraphVersion, "at" | "cause"> & {
		readonly before: GraphVersion | undefined;
		readonly number?: number;
	},
): GraphVersion {
	return {
		format: 1,
		// Never one that is taken here, say by files that were changed by hand.
		number: Math.max(number, (before?.number ?? 0) + 1),
		at,
		cause,
		from: before?.to ?? null,
		to: contentHash,
		nodes: concepts.length,
	};
}

async function releaseLast(
	{ rewrite }: Pick<ReturnType<typeof createVersionFolders>, "rewrite">,
	id: string,
	versions: readonly GraphVersion[],
	release: Release,
): Promise<{ readonly version: number } & Release> {
	const holder = versions.slice(0, -1).find((one) => one.release?.label === release.label);
	if (holder) {
		throw invalidArgument(
			`Version ${holder.number} of "${id}" is released as "${release.label}" already; choose another label.`,
		);
	}
	const last = versions.at(-1) as GraphVersion;
	await rewrite(id, { ...last, release });
	return { version: last.number, ...release };
}

/** Drops the oldest versions beyond those that are kept. */
async function prune(
	{ readVersions, drop }: Pick<ReturnType<typeof createVersionFolders>, "readVersions" | "drop">,
	id: string,
	keep: number,
): Promise<void> {
	const versions = await readVersions(id);
	for (const { number } of beyondKept(versions, keep)) await drop(id, number);
}

/** Of versions in their order, oldest first, those that are not kept. */
export function beyondKept<Version extends { readonly cause: string }>(
	versions: readonly Version[],
	keep: number,
): readonly Version[] {
	let [kept, small] = [0, 0];
	return versions.toReversed().filter(({ cause }) => {
		if (cause === "concept") small += 1;
		else kept += 1;
		return kept + Math.floor(small / CONCEPT_CHANGES_PER_VERSION) > keep;
	});
}

/** What a version says of its cause, where others may have written it. */
export function readCause(text: string): VersionCause {
	return CAUSES.find((cause) => cause === text) ?? "found";
}

/** One folder for each version, whole or not there. */
function createVersionFolders(home: string) {
	const folderOf = (id: string) => join(home, id);
	const placeOf = (id: string, number: number) => join(folderOf(id), String(number));

	const readVersions = async (id: string): Promise<GraphVersion[]> => {
		const names = await readdir(folderOf(id)).catch(() => []);
		const numbers = names.filter((name) => /^[1-9]\d*$/.test(name)).sort((a, b) => +a - +b);
		const read = async (name: string) =>
			version.parse(JSON.parse(await readFile(join(folderOf(id), name, VERSION_FILE), "utf8")));
		return Promise.all(numbers.map(read));
	};
	const write = async (id: string, entry: GraphVersion, undo: BundleChanges) => {
		await mkdir(folderOf(id), { recursive: true, mode: 0o700 });
		const work = await nodeBundleDisk.makeWorkFolder(join(folderOf(id), `.${entry.number}-`));
		const text = new TextEncoder().encode(JSON.stringify(entry));
		await nodeBundleDisk.write(join(work, VERSION_FILE), text);
		await stageChanges(work, undo);
		await rename(work, placeOf(id, entry.number));
		await nodeBundleDisk.syncFolder(folderOf(id));
	};
	const drop = (id: string, number: number) =>
		rm(placeOf(id, number), { recursive: true, force: true });
	return {
		readVersions,
		write,
		drop,
		placeOf,
		/** Says something else of a version that is there. */
		async rewrite(id: string, entry: GraphVersion): Promise<void> {
			const file = join(placeOf(id, entry.number), VERSION_FILE);
			await nodeBundleDisk.write(`${file}.part`, new TextEncoder().encode(JSON.stringify(entry)));
			await rename(`${file}.part`, file);
			await nodeBundleDisk.syncFolder(placeOf(id, entry.number));
		},
		/** Moves the versions of a graph to its new id; may be cut off at any point and started again. */
		async move(from: string, to: string): Promise<void> {
			await mkdir(join(home, to), { recursive: true, mode: 0o700 });
			for (const { number } of await readVersions(from)) {
				await rename(placeOf(from, number), placeOf(to, number));
			}
		},
	};
}

/** Where graphs went, and the files of those that were removed. */
function createDepartures(home: string, clock: Pick<Clock, "now">) {
	const folderOf = (id: string) => join(home, id);
	const forgetDeparture = (id: string) => rm(join(folderOf(id), DEPARTURE_FILE), { force: true });
	return {
		forgetDeparture,
		/** Says that a graph leaves this id, before it does. */
		async depart(
			id: string,
			movedTo: string | null,
			at = toIsoTime(clock.now()),
		): Promise<Departure> {
			await mkdir(folderOf(id), { recursive: true, mode: 0o700 });
			const gone: Departure = { format: 1, at, moved_to: movedTo };
			const file = join(folderOf(id), DEPARTURE_FILE);
			await nodeBundleDisk.write(`${file}.part`, new TextEncoder().encode(JSON.stringify(gone)));
			await rename(`${file}.part`, file);
			await nodeBundleDisk.syncFolder(folderOf(id));
			return gone;
		},
		/** Takes a bundle out of the folder of those on sale; it is kept until the next graph of this id is removed. */
		async putAway(id: string, bundle: string): Promise<void> {
			const place = join(folderOf(id), REMOVED);
			await rm(place, { recursive: true, force: true });
			await rename(bundle, place);
			await nodeBundleDisk.syncFolder(folderOf(id));
		},
		/** Puts a removed bundle back. Throws NOT_FOUND where none is kept. */
		async bringBack(id: string, bundle: string): Promise<void> {
			await mkdir(join(bundle, ".."), { recursive: true });
			await rename(join(folderOf(id), REMOVED), bundle).catch((cause: unknown) => {
				throw notFound(`No graph "${id}" is on sale, and none that was removed is kept.`, {
					cause,
				});
			});
			await forgetDeparture(id);
			await nodeBundleDisk.syncFolder(folderOf(id));
		},
		/** Where graphs went, by the id they had. */
		async departures(): Promise<ReadonlyMap<string, Departure>> {
			const found = new Map<string, Departure>();
			for (const id of await readdir(home).catch(() => [])) {
				const text = await readFile(join(folderOf(id), DEPARTURE_FILE), "utf8").catch(() => "");
				const read = departure.safeParse(text === "" ? undefined : JSON.parse(text));
				if (read.success) found.set(id, read.data);
			}
			return found;
		},
		/** Removes what a killed process had not finished writing. */
		async sweep(): Promise<void> {
			for (const id of await readdir(home).catch(() => [])) {
				for (const name of await readdir(folderOf(id)).catch(() => [])) {
					if (!name.startsWith(".") && !name.endsWith(".part")) continue;
					await rm(join(folderOf(id), name), { recursive: true, force: true });
				}
			}
		},
	};
}

/**
 * Finishes or undoes what a killed process had begun to remove or rename, and returns where graphs went. `bundles` is the
 * folder of graphs on sale.
 */
export async function recoverHistory(
	history: GraphHistory,
	bundles: string,
): Promise<ReadonlyMap<string, Departure>> {
	await history.sweep();
	const gone = new Map(await history.departures());
	for (const [id, { moved_to }] of gone) {
		const bundle = join(bundles, id);
		if (moved_to !== null && (await nodeBundleDisk.has(join(bundles, moved_to)))) {
			await history.move(id, moved_to);
			await rm(bundle, { recursive: true, force: true });
		} else if (await nodeBundleDisk.has(bundle)) {
			await history.forgetDeparture(id);
			gone.delete(id);
		}
	}
	return gone;
}
