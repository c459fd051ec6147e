import { rmSync } from "node:fs";
import { join } from "node:path";
import type { ModelLocation } from "../../src/search/model/model-folder.js";
import { runTask } from "./measured-process.js";
import type { PrepareFigures } from "./prepared-data.js";

/** Data folders with a generated graph and its index, one for each size, made when first asked for. */
export interface PreparedFolders {
	of(concepts: number): Promise<string>;
	/** What building each took. */
	figures(): Readonly<Record<number, PrepareFigures & { readonly peak_rss_mb: number }>>;
}

export interface PreparedFoldersOptions {
	readonly folder: string;
	readonly model: ModelLocation;
	readonly say: (text: string) => void;
}

const LONGEST_MS = 900_000;

export function createPreparedFolders(options: PreparedFoldersOptions): PreparedFolders {
	const { model, say } = options;
	const figures: Record<number, PrepareFigures & { readonly peak_rss_mb: number }> = {};
	return {
		async of(concepts) {
			const folder = join(options.folder, `data-${concepts}`);
			if (figures[concepts]) return folder;
			say(`  building an index of ${concepts} concepts`);
			rmSync(folder, { recursive: true, force: true });
			const input = { concepts, folder, model };
			const { result, peakRssMb } = await runTask("prepare", input, { timeoutMs: LONGEST_MS });
			figures[concepts] = { ...result, peak_rss_mb: peakRssMb };
			return folder;
		},
		figures: () => figures,
	};
}
