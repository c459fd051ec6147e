import {
	type FrontMatter,
	isMapping,
	parseMarkdown,
	parseYamlMapping,
	textOf,
	textsOf,
} from "./front-matter.js";
import { resolveLink, withoutCode } from "./markdown.js";
import { cleanLine, toPlainText } from "./served-text.js";
import { decodeText } from "./text-encoding.js";
import { reasonToWithhold } from "./withheld.js";

/** Files beside documents that say something about them: Docusaurus', of enhancement proposals, MkDocs', Jekyll's, of mdBook and GitBook. */
const COMPANION =
	/(?:^|\/)(?:_category_\.(?:json|ya?ml)|kep\.ya?ml|mkdocs\.ya?ml|_config\.ya?ml|SUMMARY\.md)$/i;

export function isCompanion(path: string): boolean {
	return COMPANION.test(path);
}

/** What the companions of a folder's documents say about each of them. */
export interface Companions {
	/** Front matter that a document has besides its own, which comes first. */
	readonly dataOf: (path: string) => FrontMatter;
	/** What a table of contents calls it. */
	readonly listedAs: (path: string) => string | undefined;
	/** What the site that it belongs to says of itself: documents name it as `{{ site.repository }}`. */
	readonly siteOf: (path: string) => FrontMatter;
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
		records.flatMap(({ path, folder, data }) => {
			if (!/_category_\.\w+$/i.test(path)) return [];
			const label = textOf(data["label"]);
			return label === undefined ? [] : [[folder, label] as const];
		}),
	);
	const lists = texts.filter(({ path, text }) => {
		return /\.md$/i.test(path) && !reasonToWithhold(path, parseMarkdown(text).data, today);
	});
	const navigations = records.filter(({ path }) => /mkdocs\.ya?ml$/i.test(path));
	const listed = new Map([...lists.flatMap(titlesIn), ...navigations.flatMap(titlesInNavigation)]);
	const sites = new Map(
		records.flatMap(({ path, folder, data }) =>
			/_config\.ya?ml$/i.test(path) ? [[folder, toSite(data)] as const] : [],
		),
	);
	return {
		dataOf: (path) => {
			const folder = folderOf(path);
			const topic = nearest(folder, topics);
			const isProposal = /(?:^|\/)readme\.md$/i.test(path);
			return {
				...(isProposal && proposals.get(folder)),
				...(topic !== undefined && { tags: [topic] }),
			};
		},
		listedAs: (path) => listed.get(path),
		siteOf: (path) => nearest(folderOf(path), sites) ?? {},
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

/** Where a site lies is no part of its documents: their links lead from one to the other wherever that is. */
function toSite({ url: _url, baseurl: _baseurl, ...rest }: FrontMatter): FrontMatter {
	return rest;
}

/** What the nearest folder has that has something. */
function nearest<T>(folder: string, given: ReadonlyMap<string, T>): T | undefined {
	for (let at = folder; ; at = folderOf(at.slice(0, -1))) {
		const found = given.get(at);
		if (found !== undefined || at === "") return found;
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

const NAVIGATION_DEPTH = 16;

/** `nav`, or `pages` as it was called before, of `mkdocs.yml`: titles with paths below `docs`, in groups of groups. */
function titlesInNavigation({
	folder,
	data,
}: Pick<ReturnType<typeof toRecord>, "folder" | "data">) {
	const root = `${folder}${(textOf(data["docs_dir"]) ?? "docs").replace(/^\.\/|\/+$/g, "")}/`;
	const titles: (readonly [string, string])[] = [];
	const visit = (entries: unknown, depth: number): void => {
		if (!Array.isArray(entries) || depth > NAVIGATION_DEPTH) return;
		for (const [label, to] of entries.filter(isMapping).flatMap((one) => Object.entries(one))) {
			if (typeof to === "string") titles.push([`${root}${to}`, cleanLine(label)]);
			else visit(to, depth + 1);
		}
	};
	visit(data["nav"] ?? data["pages"], 0);
	return titles.filter(([, title]) => title !== "");
}

/** Front matter with what stands beside its document; tags add up. */
export function withCompanions(data: FrontMatter, beside: FrontMatter): FrontMatter {
	const tags = [...textsOf(data["tags"]), ...textsOf(beside["tags"])];
	return { ...beside, ...data, ...(beside["tags"] !== undefined && { tags: [...new Set(tags)] }) };
}
