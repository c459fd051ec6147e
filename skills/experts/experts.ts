export {
	type Consultations,
	createConsultations,
	toAnswerModel,
	toConsultMeta,
} from "./consult-answer.js";
export { analystField, CONSULT_LIMITS, consultMetaSchema, questionField } from "./consult-wire.js";
export { confidenceOf } from "./consultation.js";
export {
	createExpertDirectory,
	type ExpertDirectory,
	type MatchedExpert,
} from "./expert-directory.js";
export { coverageSchema } from "./expert-wire.js";
