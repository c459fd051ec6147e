import { createBrandReadings } from "../../skills/brands/brands.js";
import { createBriefingRun, createBriefingSchedule } from "../../skills/briefings/briefings.js";
import { createChatStream, createResearchChat } from "../../skills/chat/chat.js";
import { createDeepDive, createDeepDiveFollowUp } from "../../skills/deep-dive/deep-dive.js";
import { createDossier, createDossierRefresh } from "../../skills/dossiers/dossiers.js";
import { createExpertDirectory } from "../../skills/experts/experts.js";
import { createFeedReadings } from "../../skills/feeds/feeds.js";
import { createGraphReadings } from "../../skills/graphs/graphs.js";
import {
	createAllSearch,
	createAnalystSearch,
	createBatchSearch,
	createDomainSearch,
	createExpertSearch,
	createGraphSearch,
	createReportSearch,
	type SearchSkillDeps,
} from "../../skills/search/search.js";
import { createResearchStream } from "../../skills/stream/stream.js";
import {
	createClaimVerification,
	createClaimVerifier,
	createTextVerifications,
} from "../../skills/verify/verify.js";
import { createBoundedWork, READING_LIMITS, type SkillCatalog } from "../contract/contract.js";
import type { GraphCatalog } from "../knowledge/knowledge.js";
import type { GraphRouter } from "../search/search.js";
import type { ResearchParts } from "../service/service.js";
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
