import type { ArtifactRepository, SkillContext } from "../../src/contract/contract.js";
import type { Clock, IdKind } from "../../src/kernel/kernel.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import type { GraphRouter, HybridSearch } from "../../src/search/search.js";
import type { Writer } from "../answers/answers.js";
import type { ExpertBook } from "./expert-index.js";

/** What skills need that answer in somebody's name. */
export interface ConsultSkillDeps {
	readonly search: HybridSearch & GraphRouter;
	readonly catalog: GraphCatalog;
	readonly clock: Clock;
	readonly experts: ExpertBook;
	readonly research: {
		readonly artifacts: Pick<ArtifactRepository, "find">;
		readonly writer: Writer;
		readonly embedder: () => string | undefined;
		readonly resultIds: (kind: IdKind, context: Pick<SkillContext, "callId" | "caller">) => string;
	};
}
