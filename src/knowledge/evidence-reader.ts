import { BUNDLE_LIMITS } from "./bundle-limits.js";
import { type FrontMatter, isMapping, listOf, textOf } from "./front-matter.js";
import type { Evidence } from "./graph.js";
import { toSections } from "./markdown-prose.js";
import { cleanLine, toPlainText, truncateText } from "./served-text.js";
import { parseSourceDate } from "./source-date.js";

/** The sources a concept names, and the addresses that were dropped because nobody could follow them. */
export interface EvidenceReading {
	readonly evidence: readonly Evidence[];
	readonly droppedAddresses: readonly string[];
	/** How many sources beyond the limit were not looked at. */
	readonly omitted: number;
}

interface SourceDraft {
	readonly id: string | undefined;
	readonly address: string;
	readonly title: string | undefined;
	readonly date: unknown;
}

/** Evidence from `sources`; without it from a `# Citations` section, as v0.1 of the format had it. */
export function readEvidence(data: FrontMatter, body: string): EvidenceReading {
	const fromSources = listOf(data["sources"]).flatMap(toDraft);
	const drafts = fromSources.length > 0 ? fromSources : citationsOf(body);
	const nextSuffixes = new Map<string, number>();
	const evidence: Evidence[] = [];
	const droppedAddresses: string[] = [];
	for (const draft of drafts.slice(0, BUNDLE_LIMITS.sources)) {
		if (!isWebAddress(draft.address)) {
			droppedAddresses.push(draft.address.slice(0, 200));
			continue;
		}
		const date = parseSourceDate(draft.date);
		evidence.push({
			articleId: claimId(draft.id ?? `s${evidence.length + 1}`, nextSuffixes),
			title: truncateText(draft.title ?? hostAndPath(draft.address), BUNDLE_LIMITS.titleChars),
			sourceUrl: draft.address,
			publishedAt: date?.date,
			datePrecision: date?.precision,
		});
	}
	return {
		evidence,
		droppedAddresses,
		omitted: Math.max(0, drafts.length - BUNDLE_LIMITS.sources),
	};
}

/** True for an absolute http or https address without credentials in it. */
export function isWebAddress(text: string): boolean {
	if (text.length > BUNDLE_LIMITS.urlChars || /[\s<>"\p{Cc}]/u.test(text)) return false;
	if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
	const url = new URL(text);
	return url.username === "" && url.password === "";
}

function toDraft(source: unknown): readonly SourceDraft[] {
	if (typeof source === "string") {
		return [{ id: undefined, address: cleanLine(source), title: undefined, date: undefined }];
	}
	if (!isMapping(source)) return [];
	const date = ["last_modified", "published_at", "published", "date"]
		.map((key) => source[key])
		.find((value) => value !== undefined);
	const address = textOf(source["resource"]) ?? textOf(source["url"]) ?? "";
	return [{ id: textOf(source["id"]), address, title: textOf(source["title"]), date }];
}

/** One source per line of the section that has an address: `[1] [Title](https://…), 2018-08-01`. */
function citationsOf(body: string): readonly SourceDraft[] {
	const section = toSections(body).find(({ heading }) => heading?.toLowerCase() === "citations");
	return (section?.lines ?? []).flatMap((line) => {
		const link = /\[([^[\]]{1,500})\]\((https?:\/\/[^\s()<>]{1,2000})\)/.exec(line);
		const address =
			link?.[2] ?? trimEnd(/https?:\/\/[^\s<>)\]]{1,2000}/.exec(line)?.[0] ?? "", /[.,;]/);
		if (address === "") return [];
		const rest = line.replace(address, " ");
		const id = /^\s*(?:[-*+]\s+|\d+[.)]\s+)?\[\^?([\w.-]{1,80})\](?!\()/.exec(line)?.[1];
		const label = link?.[1] ?? rest.replace(/^\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:\[\^?[^\]]*\]:?)?/, "");
		const title = trimEnd(toPlainText(label), /[\s.,;:()<>]/) || undefined;
		return [{ id, address, title, date: /\b\d{4}-\d{2}(?:-\d{2})?\b/.exec(rest)?.[0] }];
	});
}

/** Every taken id leads to the first suffix not tried for it yet, so that a thousand of one name take a thousand steps. */
function claimId(wanted: string, nextSuffixes: Map<string, number>): string {
	let id = wanted;
	let suffix = nextSuffixes.get(wanted) ?? 2;
	for (; nextSuffixes.has(id); suffix++) id = `${wanted}-${suffix}`;
	nextSuffixes.set(wanted, suffix);
	if (id !== wanted) nextSuffixes.set(id, 2);
	return id;
}

/** Without the last characters of this kind; an expression anchored at the end alone would start over at each of them. */
function trimEnd(text: string, kind: RegExp): string {
	let end = text.length;
	while (end > 0 && kind.test(text.charAt(end - 1))) end -= 1;
	return text.slice(0, end);
}

function hostAndPath(address: string): string {
	const url = new URL(address);
	return `${url.host}${url.pathname === "/" ? "" : url.pathname}`;
}
