import { createBrandReadings } from "../../skills/brands/brands.js";
import { createDossier, createDossierRefresh } from "../../skills/dossiers/dossiers.js";
import { createFeedReadings } from "../../skills/feeds/feeds.js";
import { createClaimVerification, createTextVerifications } from "../../skills/verify/verify.js";
import { bindSkills, type SkillCatalog, type SkillServices } from "../contract/contract.js";
import { OPERATIONS } from "../service/service.js";
import { createConsultations } from "./consultations.js";

/** Every skill that is built: what its operation defines, and what is wired here still. */
export function createSkillCatalog(services: SkillServices): SkillCatalog {
	const deps = services;
	const { verifier, expertDirectory: experts } = services;
	const here: Partial<SkillCatalog> = {
		...createConsultations({ ...deps, experts }),
		"verify.claim": createClaimVerification({ ...deps, ...deps.research, verifier }),
		...createTextVerifications({ ...deps, verifier, resultIds: deps.research.resultIds }),
		...createBrandReadings(deps),
		"intelligence.dossier": createDossier(deps),
		"intelligence.dossier.refresh": createDossierRefresh(deps),
		...createFeedReadings({ ...deps, feeds: deps.research.feeds }),
	};
	return { ...here, ...bindSkills(OPERATIONS, services) };
}
