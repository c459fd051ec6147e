import { createBrandReadings } from "../../skills/brand-readings.js";
import { createBriefingRun, createBriefingSchedule } from "../../skills/briefing-schedule.js";
import { createConsultations } from "../../skills/consultations.js";
import { createDeepDive } from "../../skills/deep-dive.js";
import { createDeepDiveFollowUp } from "../../skills/deep-dive-follow-up.js";
import { createDossier } from "../../skills/dossier.js";
import { createDossierRefresh } from "../../skills/dossier-refresh.js";
import { createEvidenceReadings } from "../../skills/evidence-readings.js";
import { createFeedReadings } from "../../skills/feed-readings.js";
import { createGraphReadings } from "../../skills/graph-readings.js";
import { createGraphSearch } from "../../skills/graph-search.js";
import {
	createAllSearch,
	createAnalystSearch,
	createDomainSearch,
	createExpertSearch,
	createReportSearch,
} from "../../skills/kind-search.js";
import { createChatStream, createResearchChat } from "../../skills/research-chat.js";
import { createResearchStream } from "../../skills/research-stream.js";
import type { SearchSkillDeps } from "../../skills/search-answer.js";
import { createBatchSearch } from "../../skills/search-batch.js";
import { createTextVerifications } from "../../skills/text-verifications.js";
import { createClaimVerification } from "../../skills/verify-claim.js";
import { READING_LIMITS } from "../core/reading-limits.js";
import type { SkillCatalog } from "../core/skill.js";
import { createClaimVerifier } from "../evidence/claims/claim-verifier.js";
import type { GraphCatalog } from "../knowledge/catalog.js";
import type { GraphRouter } from "../search/search.js";
import { createBoundedWork } from "./bounded-work.js";
import { createExpertDirectory } from "./expert-directory.js";
import type { ResearchParts } from "./research-parts.js";

/** Every skill that is built, over the same search and catalog. */
export function createSkillCatalog(
	deps: SearchSkillDeps & {
		catalog: GraphCatalog;
		search: GraphRouter;
		research: ResearchParts;
		/** Public base address without a trailing slash. */
		baseUrl: () => string;
	},
): SkillCatalog {
	const runExport = createBoundedWork({
		running: READING_LIMITS.exportsRunning,
		waiting: READING_LIMITS.exportsWaiting,
	});
	const verifier = createClaimVerifier(deps);
	return {
		"graphs.search": createGraphSearch(deps),
		"search.domain": createDomainSearch(deps),
		"search.report": createReportSearch(deps),
		"search.expert": createExpertSearch(deps),
		"search.analyst": createAnalystSearch(deps),
		"search.all": createAllSearch(deps),
		"search.batch": createBatchSearch(deps),
		...createGraphReadings({ ...deps, runExport }),
		...createEvidenceReadings(deps),
		...createConsultations({ ...deps, experts: createExpertDirectory(deps) }),
		"verify.claim": createClaimVerification({ ...deps, ...deps.research, verifier }),
		...createTextVerifications({ ...deps, verifier, resultIds: deps.research.resultIds }),
		...createBrandReadings(deps),
		"intelligence.dossier": createDossier(deps),
		"intelligence.dossier.refresh": createDossierRefresh(deps),
		...createFeedReadings({ ...deps, feeds: deps.research.feeds }),
		"research.schedules.create": createBriefingSchedule({
			schedules: deps.research.schedules.book,
		}),
		"research.schedules.run": createBriefingRun({ schedules: deps.research.schedules.book }),
		"research.deep_dive": createDeepDive(deps),
		"research.deep_dive.follow_up": createDeepDiveFollowUp(deps),
		"research.stream": createResearchStream({ ...deps, ...deps.research }),
		"research.chat": createResearchChat({ ...deps, ...deps.research }),
		"research.chat.stream": createChatStream({ ...deps, ...deps.research }),
	};
}
