export { type ConsultSkillDeps, toAnswerModel, toConsultMeta } from "./consult-answer.js";
export { CONSULT_LIMITS } from "./consult-limits.js";
export {
	agentIdField,
	analystField,
	consentSchema,
	consultationIdField,
	consultationSchema,
	consultedExpertSchema,
	consultFields,
	consultMetaSchema,
	consultOutput,
	elsewhereSchema,
	panelFields,
	panelOutput,
	questionField,
	twinAnswerSchema,
} from "./consult-wire.js";
export { confidenceOf } from "./consultation.js";
export { type Consultations, createConsultations } from "./consultations.js";
export { createExpertConsult } from "./expert-consult.js";
export {
	createExpertDirectory,
	type ExpertDirectory,
	type MatchedExpert,
} from "./expert-directory.js";
export { createExpertFollowUp } from "./expert-follow-up.js";
export { createExpertPanel } from "./expert-panel.js";
