import { hash } from "node:crypto";
import { type CitedSentence, findCitedSentence } from "../../src/evidence/evidence.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import type { WrittenSentence } from "../answers/answers.js";
import type { ChatTurn } from "./chat-turns.js";
import { ORDINAL_WORDS, placeNamed } from "./follow-up-question.js";

const POLITE = "(?:(?:please|ok(?:ay)?|and|so|sorry|can you|could you|would you)[, ]+)*";
const AGAIN = "(?: (?:again|once more|one more time))?";
const END = "(?:,? please)?[.?!… ]*$";
const PIECE = "(?:point|one|sentence|passage|part|item|statement|answer|claim|thing)";
const THAT =
	"(?:that|it|this|(?:the |your )?(?:(?:last|previous) )?answer|what you (?:just )?said)";

const WHOLE = new RegExp(
	`^${POLITE}(?:(?:say|repeat|state|restate|tell me|give me) ${THAT}${AGAIN}|(?:once more|again|repeat|come again|say again|what did you say))${END}`,
	"i",
);
const ONE = new RegExp(
	`^${POLITE}(?:say|repeat|restate|state|quote|give me|tell me|read) (?:me )?(?:the )?(${ORDINAL_WORDS})(?: ${PIECE})?${AGAIN}${END}`,
	"i",
);
const SOURCE = new RegExp(
	`^${POLITE}(?:(?:what|which|where) (?:is|was|are|were) )?(?:the )?(?:sources?|references?|citations?|evidence) (?:of|for|behind) (?:${THAT}|(?:the )?(${ORDINAL_WORDS})(?: ${PIECE})?)${END}`,
	"i",
);

/** What of the answer before is to be said again: all of it, or the block in one place, -1 for the last. */
export type Restatement = { readonly place: number | undefined };

/** Reads whether a message asks for what was said before, and nothing new. */
export function readRestatement(message: string): Restatement | undefined {
	const said = message.trim().replace(/\s+/g, " ");
	const form = [ONE, SOURCE, WHOLE].map((one) => one.exec(said)).find((match) => match !== null);
	if (!form) return undefined;
	return { place: form[1] === undefined ? undefined : placeNamed(form[1]) };
}

/** A sentence's text, as far as one needs it to know it again. */
export function textHash({ text }: Pick<CitedSentence, "text">): string {
	return hash("sha256", text, "base64url").slice(0, HASH_CHARS);
}

const HASH_CHARS = 16;

/** Blocks of an answer, read anew from the graphs by the ids of their evidence; what is gone or reads otherwise now is said. */
export function restate(
	catalog: Pick<GraphCatalog, "find">,
	turn: Pick<ChatTurn, "cited" | "hashes">,
	{ place }: Restatement,
) {
	const all = turn.cited.map((ids, block) => ({ ids, hashes: turn.hashes?.[block] ?? [] }));
	const wanted = place === undefined ? all : [all.at(place) ?? []].flat();
	const warnings = new Set<string>();
	const sentences = wanted.flatMap(({ ids, hashes }): WrittenSentence[] => {
		const evidence = ids.flatMap((id, at) => {
			const sentence = findCitedSentence(catalog, id);
			if (!sentence) warnings.add("Some of its evidence is not there any more.");
			else if ((hashes[at] ?? textHash(sentence)) !== textHash(sentence)) warnings.add(CHANGED);
			return sentence ?? [];
		});
		const text = evidence.map((sentence) => sentence.text).join(" ");
		return evidence.length > 0 ? [{ text, evidence }] : [];
	});
	return { sentences, warnings: [...warnings] };
}

const CHANGED =
	"The graph has changed since this was said: some of its evidence reads otherwise now, and is quoted as it is today.";
