import { DamagedVersion, type GraphVersionRow, type GraphVersions } from "../../../store/store.js";
import { notFound } from "../../kernel/kernel.js";
import {
	type BundleChanges,
	type GraphVersion,
	readCause,
	unpackVersion,
} from "../../knowledge/knowledge.js";

type VersionSource = Pick<GraphVersions, "list" | "chainOf" | "readArchive">;

/** What versions that follow each other change together. Throws DamagedVersion. */
export async function readChain(
	versions: Pick<GraphVersions, "readArchive">,
	chain: readonly GraphVersionRow[],
): Promise<BundleChanges> {
	const changes = new Map<string, Uint8Array | undefined>();
	for (const { version, removed } of chain) {
		const archive = await versions.readArchive(version);
		const some = await unpackVersion({ archive, removed }).catch(() => {
			throw new DamagedVersion(`The archive of version ${version}`);
		});
		for (const [path, bytes] of some) changes.set(path, bytes);
	}
	return changes;
}

/** The files that are left of changes to nothing. */
export function filesOf(changes: BundleChanges): Map<string, Uint8Array> {
	const files = new Map<string, Uint8Array>();
	for (const [path, bytes] of changes) if (bytes) files.set(path, bytes);
	return files;
}

/** Earlier versions that the database keeps, for folders that never held them. */
export function createVersionArchive(versions: VersionSource) {
	/** Since the graph was last removed, or until then where it is. */
	const kept = async (graphId: string): Promise<readonly GraphVersionRow[]> => {
		const rows = await versions.list(graphId);
		const isGone = rows.at(-1)?.contentHash === undefined;
		const before = isGone ? rows.slice(0, -1) : rows;
		return before.slice(before.findLastIndex((row) => row.contentHash === undefined) + 1);
	};
	return {
		/** Oldest first. */
		async list(graphId: string): Promise<readonly GraphVersion[]> {
			return (await kept(graphId)).map(({ number, at, cause, nodes, contentHash = "" }) => ({
				...{ format: 1, number, at, nodes, from: null, to: contentHash },
				cause: readCause(cause),
			}));
		},
		/** All files of a version, of the last one where none is named. Throws NOT_FOUND. */
		async read(graphId: string, number?: number): Promise<Map<string, Uint8Array>> {
			const rows = await kept(graphId);
			const row =
				number === undefined ? rows.at(-1) : rows.findLast((one) => one.number === number);
			if (row) return filesOf(await readChain(versions, await versions.chainOf(row)));
			throw notFound(`The database keeps no such version of "${graphId}".`);
		},
	};
}
