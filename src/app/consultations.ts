import { createAnalystConsult, createAnalystDebate } from "../../skills/analysts/analysts.js";
import {
	type ConsultSkillDeps,
	createExpertConsult,
	createExpertFollowUp,
	createExpertPanel,
} from "../../skills/experts/experts.js";

/** What is asked of experts and analysts. */
export const createConsultations = (deps: ConsultSkillDeps) => ({
	"human_agents.consult": createExpertConsult(deps),
	"human_agents.panel": createExpertPanel(deps),
	"human_agents.follow_up": createExpertFollowUp(deps),
	"analysts.consult": createAnalystConsult(deps),
	"analysts.debate": createAnalystDebate(deps),
});
