/** Where a kind of remark begins; the rest of a line that defines a link to nothing is one, too. */
const OPENING =
	/(?<kramdown>\{::comment(?=[\s}])[^{}\n]{0,200}\})|(?<liquid>\{%[-+]?\s{0,20}comment\b[^{}\n]{0,200}?%\})|(?<hugo>\{\{-?\s{0,20}\/\*)|(?<handlebars>\{\{!--)|(?<jinja>\{#(?=[\s-]))|(?<mdx>\{\s{0,20}\/\*)|(?<html><!--)|(?<vault>(?<![\w%\\/])%%(?!%))|(?<line>^ {0,3}\[[^\]\n]{1,100}\]:[ \t]{0,20}(?:#|<#?>)[ \t]{1,20}["'(].*$)/gm;
const CLOSINGS: Readonly<Record<string, RegExp>> = {
	kramdown: /\{:\/(?:comment)?\}/g,
	hugo: /\*\/\s{0,20}-?\}\}/g,
	handlebars: /--\}\}/g,
	jinja: /#\}/g,
	mdx: /\*\/\s{0,20}\}/g,
	html: /-->/g,
	vault: /%%/g,
};
const LIQUID_MARK = /\{%[-+]?\s{0,20}(end)?comment\b[^{}\n]{0,200}?%\}/g;

/**
 * The text without remarks, which no one but their writer is meant to read: those of HTML, MDX, kramdown, vaults and template
 * languages, however many lines they have. `isCode` says which places are code; a remark that does not end is text.
 */
export function withoutRemarks(text: string, isCode: (place: number) => boolean): string {
	const endOf = createEndFinder(text);
	let kept = "";
	let from = 0;
	OPENING.lastIndex = 0;
	for (const match of text.matchAll(OPENING)) {
		const { index } = match;
		if (index < from || isCode(index)) continue;
		const end = endOf(match);
		if (end === undefined) continue;
		const before = text.slice(from, index);
		// Two halves never become one word, or one mark.
		const isInside =
			/\S$/.test(text.slice(Math.max(0, index - 1), index)) && /\S/.test(text.charAt(end));
		kept += isInside ? `${before} ` : before;
		from = end;
	}
	return from === 0 ? text : kept + text.slice(from);
}

/** True for text that may hold remarks; most documents hold none. */
export function mayHaveRemarks(text: string): boolean {
	return /<!--|%%|\{::|\{%|\{#[\s-]|\{\s{0,20}\/\*|\{\{!--|\]:[ \t]{0,20}[#<]/.test(text);
}

/** Looks for the ends of remarks in reading order: no part of the text is searched twice for one of a kind. */
function createEndFinder(text: string) {
	const seekers = new Map(
		Object.entries(CLOSINGS).map(([kind, closing]) => [kind, createSeeker(text, closing)]),
	);
	let liquid: ReadonlyMap<number, number> | undefined;
	return ({ index = 0, groups = {}, 0: { length } }: RegExpMatchArray): number | undefined => {
		const kind = Object.keys(groups).find((name) => groups[name] !== undefined);
		if (kind === "line") return index + length;
		if (kind === "liquid") {
			liquid ??= liquidEnds(text);
			return liquid.get(index);
		}
		return seekers.get(kind ?? "")?.(index + (kind === "html" ? 2 : length));
	};
}

/** Where the first match of a pattern ends that begins at a place or behind it. */
function createSeeker(text: string, pattern: RegExp): (from: number) => number | undefined {
	let known: { readonly index: number; readonly end: number } | undefined;
	let isOver = false;
	return (from) => {
		if (isOver || (known && known.index >= from)) return known?.end;
		pattern.lastIndex = from;
		const match = pattern.exec(text);
		known = match ? { index: match.index, end: pattern.lastIndex } : undefined;
		isOver = !match;
		return known?.end;
	};
}

/** These may hold others of their kind. */
function liquidEnds(text: string): ReadonlyMap<number, number> {
	const ends = new Map<number, number>();
	const open: number[] = [];
	for (const { index, 0: mark, 1: isEnd } of text.matchAll(LIQUID_MARK)) {
		if (isEnd === undefined) open.push(index);
		else {
			const start = open.pop();
			if (start !== undefined) ends.set(start, index + mark.length);
		}
	}
	return ends;
}
