import { type FrontMatter, isMapping, parseDay, textOf, textsOf } from "./front-matter.js";

/** Keys that say that a document is not for others when they are set. */
const PRIVATE_KEYS = new Set(
	"private secret confidential hidden draft isdraft unpublished unlisted headless internal internalonly noexport nopublish excludefrompublish eleventyexcludefromcollections".split(
		" ",
	),
);
/** Keys that say so when they are unset. */
const PUBLIC_KEYS = new Set(
	"publish published public ispublic ispublished dgpublish share shared listed export".split(" "),
);
/** Keys that name who may read. */
const AUDIENCE_KEYS = new Set("visibility access audience privacy confidentiality".split(" "));
const CLOSED_WORDS = new Set(
	"private internal restricted hidden secret confidential draft unlisted members none self team personal unpublished followers staff protected".split(
		" ",
	),
);
/** States of a document that no one outside is meant to see; a proposal that is a draft is public. */
const CLOSED_STATES = new Set("private hidden secret confidential internal unpublished".split(" "));
const NO = new Set(["false", "no", "off", "0", "never", "n"]);
const YES = new Set(["true", "yes", "on", "1", "always", "y"]);

/** Folders whose content generators never publish, and those that people name so. */
const CLOSED_FOLDERS = new Set("_drafts drafts _private private".split(" "));

/**
 * Why its owner does not mean a document to be read by others, one whole sentence; undefined for a document that may be sold.
 * `today` is `YYYY-MM-DD`: a document may be published later, or no longer.
 */
export function reasonToWithhold(
	path: string,
	data: FrontMatter,
	today: string | undefined,
): string | undefined {
	const folder = path
		.split("/")
		.slice(0, -1)
		.find((name) => CLOSED_FOLDERS.has(name.toLowerCase()));
	if (folder !== undefined) return `The folder "${folder}" is private by its name.`;
	return reasonIn(data) ?? reasonByTime(data, today);
}

/** What a section's front matter says of every document below it, as Hugo's `cascade` does. */
export function reasonToWithholdBelow(data: FrontMatter): string | undefined {
	const cascades = Array.isArray(data["cascade"]) ? data["cascade"] : [data["cascade"]];
	for (const cascade of cascades) {
		if (!isMapping(cascade)) continue;
		const reason = reasonIn({ ...cascade, ...(isMapping(cascade["params"]) && cascade["params"]) });
		if (reason !== undefined) return reason;
	}
	return undefined;
}

function reasonIn(data: FrontMatter): string | undefined {
	for (const [key, value] of Object.entries(data)) {
		const name = key.toLowerCase().replace(/[\s_.-]+/g, "");
		const text = (textOf(value) ?? textsOf(value).join(" ")).toLowerCase();
		if (isClosed(name, text) || (name === "build" && isNeverRendered(value))) {
			return `The front matter says "${key}: ${isMapping(value) ? "never" : text.slice(0, 60)}".`;
		}
	}
	return undefined;
}

function isClosed(name: string, text: string): boolean {
	if (PRIVATE_KEYS.has(name)) return YES.has(text);
	if (PUBLIC_KEYS.has(name)) return NO.has(text);
	if (name === "permalink") return text === "false";
	if (name === "status" || name === "state") return CLOSED_STATES.has(text);
	return AUDIENCE_KEYS.has(name) && text.split(/[\s,;/-]+/).some((word) => CLOSED_WORDS.has(word));
}

/** `build: { render: never }`, or false. */
function isNeverRendered(build: unknown): boolean {
	if (!isMapping(build)) return false;
	return NO.has(textOf(build["render"])?.toLowerCase() ?? "");
}

function reasonByTime(data: FrontMatter, today: string | undefined): string | undefined {
	if (today === undefined) return undefined;
	const from = dayOf(data, "publishdate");
	if (from !== undefined && from > today) return `It is to be published on ${from}.`;
	const until = expiryOf(data);
	return until !== undefined && until <= today ? `It expired on ${until}.` : undefined;
}

/** `YYYY-MM-DD` from which on a document is not published any more. */
export function expiryOf(data: FrontMatter): string | undefined {
	return dayOf(data, "expirydate");
}

function dayOf(data: FrontMatter, wanted: string): string | undefined {
	const isWanted = (key: string) => key.toLowerCase().replace(/[\s_-]+/g, "") === wanted;
	return parseDay(Object.entries(data).find(([key]) => isWanted(key))?.[1]);
}
