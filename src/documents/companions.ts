import {
	type FrontMatter,
	parseMarkdown,
	parseYamlMapping,
	textOf,
	textsOf,
} from "./front-matter.js";
import { resolveLink, withoutCode } from "./markdown.js";
import { toPlainText } from "./served-text.js";
import { decodeText } from "./text-encoding.js";
import { reasonToWithhold } from "./withheld.js";

/** Files beside documents that say something about them: Docusaurus', of enhancement proposals, of mdBook and GitBook. */
const COMPANION = /(?:^|\/)(?:_category_\.(?:json|ya?ml)|kep\.ya?ml|SUMMARY\.md)$/i;

export function isCompanion(path: string): boolean {
	return COMPANION.test(path);
}

/** What the companions of a folder's documents say about each of them. */
export interface Companions {
	/** Front matter that a document has besides its own, which comes first. */
	readonly dataOf: (path: string) => FrontMatter;
	/** What a table of contents calls it. */
	readonly listedAs: (path: string) => string | undefined;
}

/** What cannot be read says nothing. */
export function readCompanions(
	files: ReadonlyMap<string, Uint8Array | undefined>,
	today: string | undefined,
): Companions {
	const texts = [...files].map(([path, bytes]) => ({
		path,
		text: (bytes && decodeText(bytes)) ?? "",
	}));
	const records = texts.filter(({ path }) => !/\.md$/i.test(path)).map(toRecord);
	const proposals = new Map(
		records.flatMap(({ path, folder, data }) =>
			/kep\.ya?ml$/i.test(path) ? [[folder, toProposal(data)] as const] : [],
		),
	);
	const topics = new Map(
		records.flatMap(({ folder, data }) => {
			const label = textOf(data["label"]);
			return label === undefined ? [] : [[folder, label] as const];
		}),
	);
	const lists = texts.filter(({ path, text }) => {
		return /\.md$/i.test(path) && !reasonToWithhold(path, parseMarkdown(text).data, today);
	});
	const listed = new Map(lists.flatMap(titlesIn));
	return {
		dataOf: (path) => {
			const folder = folderOf(path);
			const topic = topicOf(folder, topics);
			const isProposal = /(?:^|\/)readme\.md$/i.test(path);
			return {
				...(isProposal && proposals.get(folder)),
				...(topic !== undefined && { tags: [topic] }),
			};
		},
		listedAs: (path) => listed.get(path),
	};
}

/** JSON is YAML. */
function toRecord({ path, text }: { readonly path: string; readonly text: string }) {
	return { path, folder: folderOf(path), data: parseYamlMapping(text).data };
}

/** A proposal's record, whose state is what proposals are grouped by. */
function toProposal(data: FrontMatter): FrontMatter {
	const status = textOf(data["status"]);
	return { ...data, tags: [...textsOf(data["tags"]), ...(status === undefined ? [] : [status])] };
}

/** The label of the nearest folder that has one. */
function topicOf(folder: string, topics: ReadonlyMap<string, string>): string | undefined {
	for (let at = folder; ; at = folderOf(at.slice(0, -1))) {
		const topic = topics.get(at);
		if (topic !== undefined || at === "") return topic;
	}
}

function folderOf(path: string): string {
	return path.slice(0, path.lastIndexOf("/") + 1);
}

const ENTRY = /\[((?:[^[\]\\\n]|\\.){1,300})\]\(([^()\n]{1,2000})\)/g;

/** What a table of contents calls each document it links to. */
function titlesIn({
	path,
	text,
}: {
	readonly path: string;
	readonly text: string;
}): readonly (readonly [string, string])[] {
	return [...withoutCode(text).matchAll(ENTRY)].flatMap(([, label = "", to = ""]) => {
		const target = resolveLink(path, to.trim().replace(/^<|>$/g, ""));
		const title = toPlainText(label);
		return target.kind === "internal" && title !== "" ? [[target.path, title] as const] : [];
	});
}

/** Front matter with what stands beside its document; tags add up. */
export function withCompanions(data: FrontMatter, beside: FrontMatter): FrontMatter {
	const tags = [...textsOf(data["tags"]), ...textsOf(beside["tags"])];
	return { ...beside, ...data, ...(beside["tags"] !== undefined && { tags: [...new Set(tags)] }) };
}
