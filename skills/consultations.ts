import { createAnalystConsult } from "./analyst-consult.js";
import { createAnalystDebate } from "./analyst-debate.js";
import type { ConsultSkillDeps } from "./consult-deps.js";
import { createExpertConsult } from "./expert-consult.js";
import { createExpertFollowUp } from "./expert-follow-up.js";
import { createExpertPanel } from "./expert-panel.js";

/** What is asked of experts and analysts. */
export const createConsultations = (deps: ConsultSkillDeps) => ({
	"human_agents.consult": createExpertConsult(deps),
	"human_agents.panel": createExpertPanel(deps),
	"human_agents.follow_up": createExpertFollowUp(deps),
	"analysts.consult": createAnalystConsult(deps),
	"analysts.debate": createAnalystDebate(deps),
});
