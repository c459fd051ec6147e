export {
	type AnswerServices,
	answerMetaShape,
	answerSchema,
	citeAnew,
	toAnswerMeta,
	toAnswerText,
} from "./stream-answer.js";
