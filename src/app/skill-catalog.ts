import { createChatStream, createResearchChat } from "../../skills/chat/chat.js";
import { createGraphReadings } from "../../skills/graphs/graphs.js";
import {
	createAllSearch,
	createAnalystSearch,
	createBatchSearch,
	createDomainSearch,
	createExpertSearch,
	createGraphSearch,
	createReportSearch,
} from "../../skills/search/search.js";
import { createResearchStream } from "../../skills/stream/stream.js";
import { bindSkills, type SkillCatalog, type SkillServices } from "../contract/contract.js";
import { OPERATIONS } from "../service/service.js";
import { createEvidenceReadings } from "./evidence-readings.js";

/** Every skill that is built: what its operation defines, and what is wired here still. */
export function createSkillCatalog(services: SkillServices): SkillCatalog {
	const deps = services;
	const here: Partial<SkillCatalog> = {
		"graphs.search": createGraphSearch(deps),
		"search.domain": createDomainSearch(deps),
		"search.report": createReportSearch(deps),
		"search.expert": createExpertSearch(deps),
		"search.analyst": createAnalystSearch(deps),
		"search.all": createAllSearch(deps),
		"search.batch": createBatchSearch(deps),
		...createGraphReadings(deps),
		...createEvidenceReadings(deps),
		"research.stream": createResearchStream({ ...deps, ...deps.research }),
		"research.chat": createResearchChat({ ...deps, ...deps.research }),
		"research.chat.stream": createChatStream({ ...deps, ...deps.research }),
	};
	return { ...here, ...bindSkills(OPERATIONS, services) };
}
