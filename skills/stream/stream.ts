export {
	type AnswerServices,
	answerMetaShape,
	answerSchema,
	citeAnew,
	toAnswerMeta,
	toAnswerText,
	toEventsExample,
} from "./stream-answer.js";
