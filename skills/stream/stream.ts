export { answerMetaShape, answerSchema } from "./answer-wire.js";
export {
	type AnswerSkillDeps,
	citeAnew,
	createResearchStream,
	toAnswerMeta,
	toAnswerText,
} from "./research-stream.js";
