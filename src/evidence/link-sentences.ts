import { visibleText } from "../kernel/kernel.js";
import {
	type Concept,
	resolveLink,
	toParagraphs,
	toPlainText,
	toSections,
} from "../knowledge/knowledge.js";
import { splitSentences } from "./cited-sentences.js";

/** Sections that list edges and say nothing about them. */
const LISTS = new Set(["related", "parts", "see also"]);
const INLINE = /\]\([ \t]*<?((?:[^()\s<>]|\([^()\s]{0,500}\)){1,2000})>?[^()\n]{0,300}\)/g;
const REFERENCE = /\[([^[\]\n]{1,300})\](?:\[([^[\]\n]{0,300})\])?(?![([:])/g;
const DEFINITION = /^ {0,3}\[(?!\^)([^\]\n]{1,300})\]:[ \t]*<?([^\s<>]{1,2000})/gm;
const LIST_ITEM = /\n(?=[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t])/;
/** Stand in for links while Markdown is taken off. */
const MARK = /\ue000(\d{1,6})\ue001/g;
const PRIVATE = /[\ue000\ue001]/g;

const known = new WeakMap<Concept, ReadonlyMap<string, string>>();

/** The sentence of a concept that links to another one: what it says of it. Undefined where only a list or a field names it. */
export function sentenceOfLink(from: Concept, to: Pick<Concept, "path">): string | undefined {
	const sentences = known.get(from) ?? sentencesByTarget(from);
	known.set(from, sentences);
	return sentences.get(to.path);
}

/** By the path linked to; the first sentence that links there counts. */
function sentencesByTarget({ body, path }: Concept): ReadonlyMap<string, string> {
	const sentences = new Map<string, string>();
	if (!body.includes("](") && !body.includes("]:")) return sentences;
	const defined = new Map(
		[...body.matchAll(DEFINITION)].map(([, label = "", url = ""]) => [label.toLowerCase(), url]),
	);
	const paragraphs = toSections(body.replace(PRIVATE, ""))
		.filter(({ heading }) => !LISTS.has(heading?.toLowerCase() ?? ""))
		.flatMap(({ lines }) => toParagraphs(lines));
	for (const paragraph of paragraphs) {
		for (const { target, sentence } of linksIn(paragraph, { path, defined })) {
			if (!sentences.has(target)) sentences.set(target, sentence);
		}
	}
	return sentences;
}

function linksIn(
	paragraph: string,
	{ path, defined }: { readonly path: string; readonly defined: ReadonlyMap<string, string> },
) {
	const targets: string[] = [];
	const mark = (link: string, written: string | undefined) => {
		const target = written === undefined ? undefined : resolveLink(path, written);
		if (target?.kind !== "internal") return link;
		return `${link}\ue000${targets.push(target.path) - 1}\ue001`;
	};
	const marked = paragraph
		.replace(REFERENCE, (link, label: string, name: string | undefined) =>
			mark(link, defined.get((name || label).toLowerCase())),
		)
		.replace(INLINE, (link, written: string) => mark(link, written));
	if (targets.length === 0) return [];
	return marked
		.split(LIST_ITEM)
		.flatMap((item) => splitSentences(visibleText(toPlainText(item)).replace(/\s+/g, " ").trim()))
		.flatMap((text) => {
			const sentence = text.replace(MARK, "").trim();
			return [...text.matchAll(MARK)].map(([, place]) => ({
				target: targets[Number(place)] ?? "",
				sentence,
			}));
		});
}
