import type { DocumentPart } from "../../documents/documents.js";
import { FOOTNOTE, toPlainText } from "../../documents/documents.js";
import { toSlug } from "./bundle-paths.js";
import type { ImportDocument } from "./import-options.js";

/** What every part has of its document. */
const SHARED_KEYS = ["type", "tags", "tag", "status"];
const DEFINITIONS = /^ {0,3}\[\^([^\]\s]{1,200})\]:.*(?:\n[ \t]+\S.*)*$/gm;

/** A document and the parts it was cut into, each with its path in the bundle. */
export interface SplitDocument {
	readonly document: ImportDocument;
	readonly bundlePath: string;
}

/**
 * The document without its parts, which it names, and every part as a document below it. Footnotes and sources go with the
 * text that has them.
 */
export function splitDocument(
	{ document, bundlePath }: SplitDocument,
	{ lead, parts }: { readonly lead: string; readonly parts: readonly DocumentPart[] },
): readonly SplitDocument[] {
	if (parts.length === 0) return [{ document, bundlePath }];
	const notes = new Map([...document.body.matchAll(DEFINITIONS)].map(([line, id]) => [id, line]));
	const names = new Set<string>();
	const folder = bundlePath.replace(/\.md$/, "");
	const split = parts.map((part): SplitDocument => {
		const heading = toPlainText(part.heading.replace(FOOTNOTE, ""));
		const name = claimName(toSlug(heading) || "part", names);
		return {
			document: toPart(document, {
				title: `${document.title}: ${heading}`,
				name,
				bundlePath,
				body: withNotes(part.text, notes),
			}),
			bundlePath: `${folder}/${name}.md`,
		};
	});
	const list = split.map(
		(one) => `* [${one.document.title.replace(/[[\]]/g, "")}](/${encodeURI(one.bundlePath)})`,
	);
	const body = `${withNotes(lead.replace(DEFINITIONS, "").trim(), notes)}\n\n## Parts\n\n${list.join("\n")}`;
	const own = { ...document, body, sources: sourcesIn(document, body) };
	return [{ document: own, bundlePath }, ...split];
}

function toPart(
	document: ImportDocument,
	part: {
		readonly title: string;
		readonly name: string;
		readonly bundlePath: string;
		readonly body: string;
	},
): ImportDocument {
	const { data, path } = document;
	const shared = SHARED_KEYS.filter((key) => data[key] !== undefined).map((key) => [
		key,
		data[key],
	]);
	const relations = [{ type: "part-of", target: `/${encodeURI(part.bundlePath)}` }];
	return {
		...document,
		path: `${path}#${part.name}`,
		linkBase: path,
		data: { ...Object.fromEntries(shared), relations },
		body: part.body,
		title: part.title,
		givenTitle: part.title,
		heading: undefined,
		aliases: [],
		address: undefined,
		givenDescription: undefined,
		sources: sourcesIn(document, part.body),
	};
}

/** The text with the footnotes it refers to. */
function withNotes(text: string, notes: ReadonlyMap<string | undefined, string>): string {
	const bare = text.replace(DEFINITIONS, "").trim();
	const named = new Set([...bare.matchAll(FOOTNOTE)].map(([, id]) => id));
	const kept = [...named].flatMap((id) => notes.get(id) ?? []);
	return [bare, ...kept].join("\n\n");
}

function sourcesIn({ sources }: ImportDocument, body: string): ImportDocument["sources"] {
	const named = new Set([...body.matchAll(FOOTNOTE)].map(([, id]) => id));
	return sources.filter(({ id }) => named.has(id));
}

function claimName(wanted: string, taken: Set<string>): string {
	let name = wanted;
	for (let suffix = 2; taken.has(name); suffix++) name = `${wanted}-${suffix}`;
	taken.add(name);
	return name;
}
