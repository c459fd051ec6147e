import { contentWords } from "./content-words.js";

/** A word that stands for something named before. */
const POINTS_BACK =
	/\b(?:it|its|itself|this|that|these|those|they|them|their|one|ones|such|same|former|latter|there)\b/i;
/** A question that goes on where another ended. */
const GOES_ON =
	/^\s*(?:and|but|so|or|also|then|what about|how about|what if|why|why not|when|since when|where|who|really|for|with|without|in|how)\b/i;
const FEW_WORDS = 2;

/** Whether a question names too little to be asked by itself. */
export function isFollowUp(question: string): boolean {
	const words = contentWords(question).length;
	return POINTS_BACK.test(question) || words <= FEW_WORDS || (GOES_ON.test(question) && words <= 4);
}
