import { createAnalystConsult } from "../../skills/analysts/analyst-consult.js";
import { createAnalystDebate } from "../../skills/analysts/analyst-debate.js";
import type { ConsultSkillDeps } from "../../skills/experts/consult-deps.js";
import { createExpertConsult } from "../../skills/experts/expert-consult.js";
import { createExpertFollowUp } from "../../skills/experts/expert-follow-up.js";
import { createExpertPanel } from "../../skills/experts/expert-panel.js";

/** What is asked of experts and analysts. */
export const createConsultations = (deps: ConsultSkillDeps) => ({
	"human_agents.consult": createExpertConsult(deps),
	"human_agents.panel": createExpertPanel(deps),
	"human_agents.follow_up": createExpertFollowUp(deps),
	"analysts.consult": createAnalystConsult(deps),
	"analysts.debate": createAnalystDebate(deps),
});
