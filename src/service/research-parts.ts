import type { ArtefactShelf } from "../core/artefacts.js";
import type { Ids } from "../core/ids.js";
import type { Writer } from "../evidence/writer.js";

/** What research skills and the operations about their results share; wired once, in the composition root. */
export interface ResearchParts {
	readonly ids: Ids;
	readonly artefacts: ArtefactShelf;
	readonly writer: Writer;
}
