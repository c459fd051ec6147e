import type { Store } from "../store/store.js";
import type { Clock } from "./core/clock.js";
import type { Ids } from "./core/ids.js";
import { extractiveWriter } from "./evidence/extractive-writer.js";
import { createArtefactShelf } from "./service/artefact-shelf.js";
import type { ResearchParts } from "./service/research-parts.js";

export interface ResearchPartsDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
}

/** What research skills work with, wired to one store. */
export function createResearchParts(deps: ResearchPartsDeps): ResearchParts {
	const { store, clock, ids } = deps;
	return {
		ids,
		artefacts: createArtefactShelf({ store, clock }),
		writer: extractiveWriter,
	};
}
