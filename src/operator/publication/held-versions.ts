import { open, readFile, rename } from "node:fs/promises";
import { z } from "zod";
import type { Logger } from "../../kernel/kernel.js";

const heldVersion = z.strictObject({
	version: z.int().min(1),
	/** Of the graph on the disk; null where it is gone. */
	content_hash: z.string().nullable(),
});
const heldVersions = z.strictObject({
	format: z.literal(1),
	graphs: z.array(z.tuple([z.string(), heldVersion])),
});
type HeldVersion = z.infer<typeof heldVersion>;

export type HeldVersions = Awaited<ReturnType<typeof openHeldVersions>>;

/**
 * Which shared version of each graph a data folder holds. It is written after the graph's files are: a graph that is another than
 * it says was changed here and not published. Derived data: without it the database decides.
 */
export async function openHeldVersions(path: string, logger: Logger) {
	const held = new Map(await readHeld(path));
	/** Newest versions that could not be taken over, by graph. */
	const refused = new Map<string, number>();
	let writing = Promise.resolve();

	const write = async () => {
		const text = JSON.stringify({ format: 1, graphs: [...held].sort() });
		const file = await open(`${path}.tmp`, "w", 0o600);
		try {
			await file.writeFile(text);
			await file.sync();
		} finally {
			await file.close();
		}
		await rename(`${path}.tmp`, path);
	};
	return {
		get: (graphId: string): HeldVersion | undefined => held.get(graphId),
		/** The version that a change made here begins from. */
		baseOf(graphId: string): number | undefined {
			const known = held.get(graphId)?.version;
			const other = refused.get(graphId);
			return other === undefined ? known : Math.max(known ?? 0, other);
		},
		async set(graphId: string, version: number, contentHash: string | undefined): Promise<void> {
			const before = held.get(graphId);
			const next: HeldVersion = { version, content_hash: contentHash ?? null };
			held.set(graphId, next);
			if ((refused.get(graphId) ?? 0) <= version) refused.delete(graphId);
			if (before?.version === version && before.content_hash === next.content_hash) return;
			writing = writing.then(write).catch((error: unknown) => {
				logger.error("which versions of graphs this folder holds could not be written", {
					error: String(error),
				});
			});
			await writing;
		},
		/** For a graph that the database knows nothing of: it may be one from before a backup. */
		forget: (graphId: string): void => void held.delete(graphId),
		/** What is on sale stays on sale, and the next change made here begins from the version that was refused. */
		refuse: (graphId: string, version: number): void => void refused.set(graphId, version),
		refusals: (): readonly string[] => [...refused.keys()].sort(),
	};
}

async function readHeld(path: string): Promise<readonly (readonly [string, HeldVersion])[]> {
	const text = await readFile(path, "utf8").catch(() => undefined);
	if (text === undefined) return [];
	try {
		return heldVersions.parse(JSON.parse(text)).graphs;
	} catch {
		return [];
	}
}
