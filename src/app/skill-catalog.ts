import { createBrandReadings } from "../../skills/brands/brand-readings.js";
import {
	createBriefingRun,
	createBriefingSchedule,
} from "../../skills/briefings/briefing-schedule.js";
import { createChatStream, createResearchChat } from "../../skills/chat/research-chat.js";
import { createDeepDive } from "../../skills/deep-dive/deep-dive.js";
import { createDeepDiveFollowUp } from "../../skills/deep-dive/deep-dive-follow-up.js";
import { createDossier } from "../../skills/dossiers/dossier.js";
import { createDossierRefresh } from "../../skills/dossiers/dossier-refresh.js";
import { createExpertDirectory } from "../../skills/experts/expert-directory.js";
import { createFeedReadings } from "../../skills/feeds/feed-readings.js";
import { createGraphReadings } from "../../skills/graphs/graph-readings.js";
import { createGraphSearch } from "../../skills/search/graph-search.js";
import {
	createAllSearch,
	createAnalystSearch,
	createDomainSearch,
	createExpertSearch,
	createReportSearch,
} from "../../skills/search/kind-search.js";
import type { SearchSkillDeps } from "../../skills/search/search-answer.js";
import { createBatchSearch } from "../../skills/search/search-batch.js";
import { createResearchStream } from "../../skills/stream/research-stream.js";
import { createClaimVerifier } from "../../skills/verify/claims/claim-verifier.js";
import { createTextVerifications } from "../../skills/verify/text-verifications.js";
import { createClaimVerification } from "../../skills/verify/verify-claim.js";
import { createBoundedWork } from "../contract/bounded-work.js";
import { READING_LIMITS } from "../contract/reading-limits.js";
import type { SkillCatalog } from "../contract/skill.js";
import type { GraphCatalog } from "../knowledge/catalog.js";
import type { GraphRouter } from "../search/search-ports.js";
import type { ResearchParts } from "../service/research-parts.js";
import { createConsultations } from "./consultations.js";
import { createEvidenceReadings } from "./evidence-readings.js";

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
