import type { ArtefactShelf } from "../src/core/artefacts.js";
import type { Clock } from "../src/core/clock.js";
import type { IdKind } from "../src/core/ids.js";
import type { SkillContext } from "../src/core/skill.js";
import type { ExpertBook } from "../src/evidence/experts.js";
import type { Writer } from "../src/evidence/writer.js";
import type { GraphCatalog } from "../src/knowledge/catalog.js";
import type { GraphRouter, HybridSearch } from "../src/search/search.js";

/** What skills need that answer in somebody's name. */
export interface ConsultSkillDeps {
	readonly search: HybridSearch & GraphRouter;
	readonly catalog: GraphCatalog;
	readonly clock: Clock;
	readonly experts: ExpertBook;
	readonly research: {
		readonly artefacts: Pick<ArtefactShelf, "find">;
		readonly writer: Writer;
		readonly embedder: () => string | undefined;
		readonly resultIds: (kind: IdKind, context: Pick<SkillContext, "callId" | "caller">) => string;
	};
}
