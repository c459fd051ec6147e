import type { ArtifactRepository } from "../../src/contract/artifacts.js";
import type { SkillContext } from "../../src/contract/skill.js";
import type { Clock } from "../../src/kernel/clock.js";
import type { IdKind } from "../../src/kernel/ids.js";
import type { GraphCatalog } from "../../src/knowledge/catalog.js";
import type { GraphRouter, HybridSearch } from "../../src/search/search-ports.js";
import type { Writer } from "../answers/writer.js";
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
