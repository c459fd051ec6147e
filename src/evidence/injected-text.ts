/**
 * Text that speaks to the model of a reader instead of saying something about its subject: orders to drop earlier instructions,
 * marks of chat formats, a new role. Every repetition is bounded: a document may be made to be slow to read.
 */
const INJECTIONS: readonly RegExp[] = [
	/\b(?:ignore|disregard|forget|override|bypass)\s(?:[\w'-]{1,20}[ ,]{1,2}){0,4}?(?:previous|prior|above|earlier|preceding|foregoing|original|initial)\s(?:[\w'-]{1,20}\s){0,3}?(?:instruction|prompt|direction|command|message|guideline)s?\b/i,
	/\b(?:ignore|disregard|forget)\s(?:(?:all|any)\s(?:of\s)?)?(?:your|the system)\s(?:system\s)?(?:instruction|prompt|guideline)s?\b/i,
	/\b(?:reveal|print|show|output|repeat|leak|disclose)\s(?:me\s)?(?:your|the)\s(?:[\w-]{1,20}\s)?(?:system|hidden|initial|original)\s(?:prompt|instructions?)\b/i,
	/\byou are (?:now|no longer)\s(?:an?\s|the\s|in\s|bound\s)?(?:[\w-]{1,20}\s){0,4}?(?:assistant|ai|model|chatbot|bot|agent|dan|jailbroken|mode|rules?|restrictions?)\b/i,
	/\bnew system (?:instructions?|prompt)\s?:/i,
	/\b(?:do not|don't|never) (?:tell|inform|alert|mention (?:this|it) to) the (?:user|human|operator)\b/i,
	/<\|(?:im_start|im_end|system|user|assistant|endoftext|begin_of_text|start_header_id)\|>/i,
	/\[\/?INST\]|<<\/?SYS>>/,
];

/** Whether a sentence orders a model about; evidence that does is never part of an answer. */
export function readsLikeInjection(text: string): boolean {
	return INJECTIONS.some((pattern) => pattern.test(text));
}
