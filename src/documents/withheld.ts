import { type FrontMatter, isMapping, listOf, parseDay, textOf, textsOf } from "./front-matter.js";

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
export function reasonToWithholdBelow(
	data: FrontMatter,
	today: string | undefined,
): string | undefined {
	for (const cascade of listOf(data["cascade"])) {
		const reason = isMapping(cascade) && (reasonIn(cascade) ?? reasonByTime(cascade, today));
		if (reason) return reason;
	}
	return undefined;
}

/** Keys below which sites keep what is their own; what these say counts as if it stood beside them. */
const GROUPS = new Set("params metadata meta extra custom".split(" "));

/** Every key and value of front matter and of its groups. */
function statementsIn(
	data: FrontMatter,
): readonly (readonly [name: string, key: string, value: unknown])[] {
	return Object.entries(data).flatMap(([key, value]) => {
		const name = key.toLowerCase().replace(/[\s_.-]+/g, "");
		const nested = GROUPS.has(name) ? listOf(value).filter(isMapping).flatMap(statementsIn) : [];
		return [[name, key, value] as const, ...nested];
	});
}

function reasonIn(data: FrontMatter): string | undefined {
	for (const [name, key, value] of statementsIn(data)) {
		const text = wordOf(value);
		if (isClosed(name, text) || (name === "build" && isNeverRendered(value))) {
			return `The front matter says "${key}: ${isMapping(value) ? "never" : text.slice(0, 60)}".`;
		}
	}
	return undefined;
}

/** Mappings and lists that hold something are set, whatever it is. */
function wordOf(value: unknown): string {
	if (isMapping(value)) return Object.keys(value).length > 0 ? "set" : "";
	return (textOf(value) ?? textsOf(value).join(" ")).toLowerCase();
}

function isClosed(name: string, text: string): boolean {
	// What is set at all is meant: "yes", 1, or a word on it.
	if (PRIVATE_KEYS.has(name)) return text !== "" && !NO.has(text);
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

const PUBLICATION_KEYS = new Set("publishdate pubdate published".split(" "));
const EXPIRY_KEYS = new Set("expirydate unpublishdate expires".split(" "));
const DATE_KEYS = new Set(["date"]);

function reasonByTime(data: FrontMatter, today: string | undefined): string | undefined {
	if (today === undefined) return undefined;
	// A day of publication decides where there is one: the other may be that of an event.
	const stated = daysOf(data, PUBLICATION_KEYS);
	const [from] = (stated.length > 0 ? stated : daysOf(data, DATE_KEYS)).toReversed();
	if (from !== undefined && from > today) return `It is to be published on ${from}.`;
	const until = expiryOf(data);
	return until !== undefined && until <= today ? `It expired on ${until}.` : undefined;
}

/** `YYYY-MM-DD` from which on a document is not published any more. */
export function expiryOf(data: FrontMatter): string | undefined {
	return daysOf(data, EXPIRY_KEYS)[0];
}

/** The days that front matter states under these names, the first one first. */
function daysOf(data: FrontMatter, names: ReadonlySet<string>): readonly string[] {
	const wanted = statementsIn(data).filter(([name]) => names.has(name));
	return wanted.flatMap(([, , value]) => parseDay(value) ?? []).sort();
}
