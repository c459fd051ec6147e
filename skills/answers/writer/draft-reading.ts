import { z } from "zod";
import { WRITER_LIMITS } from "../../../src/contract/contract.js";
import { readJson, ServiceError } from "../../../src/kernel/kernel.js";

/** A sentence of a draft with the ids that a model gave it. */
export type ReadSentence = z.infer<typeof sentenceSchema>;

/** Takes a draft as it is written, and gives each sentence as soon as it is whole. */
export interface DraftReader {
	/** Throws UPSTREAM for what is not in the form that was asked for. */
	push(text: string): readonly ReadSentence[];
	/** What is left at the end. Throws UPSTREAM where the draft breaks off. */
	end(): readonly ReadSentence[];
}

const sentenceSchema = z.object({
	text: z.string().min(1).max(WRITER_LIMITS.draftSentenceChars),
	ids: z.array(z.string().max(100)).max(WRITER_LIMITS.draftIdsMax),
	part: z.int().min(0).max(100).optional(),
});

/** What stands before the first sentence; some models wrap what they were asked for, or leave the object around the list out. */
const HEAD = /^\s*(?:```(?:json)?\s*)?(?:\{\s*"sentences"\s*:\s*)?\[/;
const HEAD_CHARS = 200;
/** With its white space taken out. */
const TAIL = /^\]\}?(?:```)?$/;
/** An element longer than this is none. */
const ELEMENT_CHARS = 4 * WRITER_LIMITS.draftSentenceChars;

/** Reads `{"sentences":[{text, ids, part}]}` element by element. */
export function createJsonReader(): DraftReader {
	let rest = "";
	let isBegun = false;
	let count = 0;
	/** Undefined where none is whole yet. */
	const takeElement = (): ReadSentence | undefined => {
		rest = rest.replace(/^[\s,]+/, "");
		if (rest === "" || rest.startsWith("]")) return undefined;
		const end = endOfObject(rest);
		if (!rest.startsWith("{") || (end === undefined && rest.length > ELEMENT_CHARS))
			throw unreadable();
		if (end === undefined) return undefined;
		const element = rest.slice(0, end);
		rest = rest.slice(end);
		count += 1;
		return toSentence(element, count);
	};
	return {
		push(text) {
			rest += text;
			if (!isBegun) {
				const head = HEAD.exec(rest)?.[0];
				if (head === undefined) {
					if (rest.length > HEAD_CHARS) throw unreadable();
					return [];
				}
				isBegun = true;
				rest = rest.slice(head.length);
			}
			const read: ReadSentence[] = [];
			for (let one = takeElement(); one; one = takeElement()) read.push(one);
			return read;
		},
		end() {
			if (!isBegun || !TAIL.test(rest.replace(/\s+/g, ""))) throw unreadable();
			return [];
		},
	};
}

function toSentence(element: string, count: number): ReadSentence {
	const sentence = sentenceSchema.safeParse(readJson(element));
	if (!sentence.success || count > WRITER_LIMITS.draftSentencesMax) throw unreadable();
	return sentence.data;
}

/** Strings whole, so that braces in them count for nothing, and braces. */
const BRACES = /"(?:[^"\\]|\\.)*"|"|[{}]/gs;

/** Where the object that a text begins with ends; undefined where it does not end yet. */
function endOfObject(text: string): number | undefined {
	let depth = 0;
	for (const { 0: token, index } of text.matchAll(BRACES)) {
		// A string that does not end yet.
		if (token === '"') return undefined;
		if (token === "{") depth += 1;
		if (token === "}") depth -= 1;
		if (depth === 0) return index + token.length;
	}
	return undefined;
}

const LINE = /^\s*(?:[-*]\s*)?\[?(?<ids>\w{1,20}(?:\s*,\s*\w{1,20})*)\]?\s*\|\s*(?<text>\S.*)$/;

const WHOLE = /[.!?…]["'”’)]?\s*$/;

/** Reads lines of `p1,p2|sentence`; of several, a line that is none says nothing. */
export function createLineReader(): DraftReader {
	let rest = "";
	let isRead = false;
	const toSentences = (lines: readonly string[]) =>
		lines.flatMap((line): readonly ReadSentence[] => {
			const { ids = "", text = "" } = LINE.exec(line)?.groups ?? {};
			const read = sentenceSchema.safeParse({ text: text.trim(), ids: ids.split(/\s*,\s*/) });
			isRead ||= read.success;
			return read.success ? [read.data] : [];
		});
	return {
		push(text) {
			const lines = (rest + text).split("\n");
			rest = lines.pop() ?? "";
			if (rest.length > ELEMENT_CHARS) throw unreadable();
			return toSentences(lines);
		},
		end() {
			// What no line break and no full stop ends may have been cut off.
			const last = WHOLE.test(rest) ? toSentences([rest]) : [];
			if (!isRead) throw unreadable();
			return last;
		},
	};
}

function unreadable(): ServiceError {
	const message = "a draft that is not in the form it was asked for";
	return new ServiceError("UPSTREAM", message, { retryable: true });
}
