import { type FrontMatter, parseSourceDate, type SourceDate } from "./front-matter.js";

/** When a document was written, and when it last changed, as far as it says so. */
export interface DocumentDates {
	readonly written: SourceDate | undefined;
	readonly changed: SourceDate | undefined;
}

/** The names people give these dates, without case, spaces and dashes; the first one that is there counts. */
const WRITTEN =
	"published publishedat publisheddate publishdate pubdate datepublished releasedate released posted postedon publishedon date created createdat createdon createddate datecreated creationdate startdate started adopted effective effectivedate submitted proposed authored written".split(
		" ",
	);
const CHANGED =
	"updated updatedat updatedon updateddate lastupdated lastupdatedon lastmodified lastmodifiedat lastmodifiedon datemodified modified modifiedat modifieddate lastmod lastedited edited revised revisiondate lastreviewed reviewed timestamp".split(
		" ",
	);

/** Where a table or list at the top of a document ends, at the latest. */
const HEADER_LINES = 60;
const HEADER_PROSE_CHARS = 240;

/** Dates by front matter, a header at the top of the text, or the name of a post. */
export function readDates(path: string, data: FrontMatter, body: string): DocumentDates {
	const stated = new Map<string, unknown>();
	for (const [name, value] of headerOf(body)) if (!stated.has(name)) stated.set(name, value);
	for (const [key, value] of entriesOf(data)) stated.set(toName(key), value);
	const find = (names: readonly string[]) => {
		for (const name of names) {
			const date = dateIn(stated.get(name));
			if (date) return date;
		}
		return undefined;
	};
	return {
		written: find(WRITTEN) ?? dateInName(path) ?? dateInHeading(body),
		changed: find(CHANGED),
	};
}

/** Some keep their dates one level down: `metadata: { created: … }`. */
function entriesOf(data: FrontMatter): readonly (readonly [string, unknown])[] {
	const nested = ["params", "metadata", "meta", "dates"].flatMap((key) => {
		const value = data[key];
		return typeof value === "object" && value !== null ? Object.entries(value) : [];
	});
	return [...nested, ...Object.entries(data)];
}

function toName(key: string): string {
	return key.toLowerCase().replace(/[^a-z]+/g, "");
}

const FIELD =
	/^[\s>*|+_-]{0,12}(?:\*\*|__)?([A-Za-z][A-Za-z _-]{2,24}?)(?:\*\*|__)?[ \t]*(?::|\||\bon\b)[ \t]*(?:\*\*|__)?[ \t]*(.{4,200})$/;

/** Fields of a list, table or block of lines before the prose begins. */
function headerOf(body: string): readonly (readonly [string, string])[] {
	const fields: (readonly [string, string])[] = [];
	for (const line of body.split("\n", HEADER_LINES)) {
		const field = FIELD.exec(line.slice(0, HEADER_PROSE_CHARS + 60));
		if (field) fields.push([toName(field[1] ?? ""), field[2] ?? ""]);
		else if (line.length > HEADER_PROSE_CHARS || /^#{2,6}\s/.test(line)) {
			// A section or a long paragraph: what follows is the text itself.
			if (fields.length > 0 || line.length > HEADER_PROSE_CHARS) break;
		}
	}
	return fields;
}

const DATES_IN_TEXT =
	/\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b|\b\d{1,2}(?:st|nd|rd|th)?[-\s][A-Za-z]{3,9}\.?,?[-\s]\d{4}\b|\b[A-Za-z]{3,9}\.?\s\d{1,2}(?:st|nd|rd|th)?,?\s\d{4}\b|\b[A-Za-z]{3,9}\.?\s\d{4}\b|\b\d{4}-\d{2}\b/g;

function dateIn(value: unknown): SourceDate | undefined {
	if (value === undefined || value === null) return undefined;
	if (typeof value !== "string") return parseSourceDate(value);
	const whole = parseSourceDate(value.replace(/[*_`|()[\]]/g, " ").trim());
	if (whole) return whole;
	for (const [text] of value.slice(0, 400).matchAll(DATES_IN_TEXT)) {
		const date = parseSourceDate(text);
		if (date) return date;
	}
	return undefined;
}

/** `2019-01-31-title.md`, and folders `2019/01/31/` are too often something else. */
function dateInName(path: string): SourceDate | undefined {
	return parseSourceDate(/^\d{4}-\d{2}-\d{2}(?=\D)/.exec(path.split("/").at(-1) ?? "")?.[0]);
}

/** `## 1.2.0 (2020-01-31)`, as release notes have it. */
function dateInHeading(body: string): SourceDate | undefined {
	const heading = /^#{1,2}[ \t]+(.{1,300})$/m.exec(body.slice(0, 2_000))?.[1];
	return parseSourceDate(heading && /\b\d{4}-\d{2}-\d{2}\b/.exec(heading)?.[0]);
}
