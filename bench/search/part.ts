import type { ModelLocation } from "../../src/search/model/model-folder.js";
import type { Bar } from "./bars.js";
import type { PreparedFolders } from "./prepared-folders.js";

/** What every part is given. */
export interface PartTools {
	readonly model: ModelLocation;
	/** Concepts: of each speed run, where most goals are set, and where those of single changes are; and rows of vectors. */
	readonly sizes: {
		readonly speed: readonly number[];
		readonly usual: number;
		readonly many: number;
		readonly rows: readonly number[];
	};
	readonly questions: number;
	/** What was fitted is written into the source. */
	readonly judge: ModelLocation;
	/** Folder of imported folders, for `calibrate`. */
	readonly imports: string | undefined;
	readonly isWriting: boolean;
	readonly prepared: PreparedFolders;
	readonly say: (text: string) => void;
}

export interface PartOutcome {
	readonly report: unknown;
	readonly bars: readonly Bar[];
}
