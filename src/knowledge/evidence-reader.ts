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
	const takenIds = new Set<string>();
	const evidence: Evidence[] = [];
	const droppedAddresses: string[] = [];
	for (const draft of drafts) {
		if (!isWebAddress(draft.address)) {
			droppedAddresses.push(draft.address.slice(0, 200));
			continue;
		}
		const date = parseSourceDate(draft.date);
		evidence.push({
			articleId: claimId(draft.id ?? `s${evidence.length + 1}`, takenIds),
			title: truncateText(draft.title ?? hostAndPath(draft.address), BUNDLE_LIMITS.titleChars),
			sourceUrl: draft.address,
			publishedAt: date?.date,
			datePrecision: date?.precision,
		});
	}
	return { evidence, droppedAddresses };
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
			link?.[2] ?? /https?:\/\/[^\s<>)\]]{1,2000}/.exec(line)?.[0].replace(/[.,;]+$/, "");
		if (address === undefined) return [];
		const rest = line.replace(address, " ");
		const id = /^\s*(?:[-*+]\s+|\d+[.)]\s+)?\[\^?([\w.-]{1,80})\](?!\()/.exec(line)?.[1];
		const label = link?.[1] ?? rest.replace(/^\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:\[\^?[^\]]*\]:?)?/, "");
		const title = toPlainText(label).replace(/[\s.,;:()<>]+$/, "") || undefined;
		return [{ id, address, title, date: /\b\d{4}-\d{2}(?:-\d{2})?\b/.exec(rest)?.[0] }];
	});
}

function claimId(wanted: string, taken: Set<string>): string {
	let id = wanted;
	for (let suffix = 2; taken.has(id); suffix++) id = `${wanted}-${suffix}`;
	taken.add(id);
	return id;
}

function hostAndPath(address: string): string {
	const url = new URL(address);
	return `${url.host}${url.pathname === "/" ? "" : url.pathname}`;
}
