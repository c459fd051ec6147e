import { cleanLine } from "./served-text.js";

/** What a document may be titled by, and where it lies. */
export interface TitledDocument {
	readonly path: string;
	/** Its own word on it: front matter, or what the owner of the folder chose. */
	readonly givenTitle: string | undefined;
	/** Its first heading where that may be a title. */
	readonly heading: string | undefined;
	/** What a table of contents calls it. */
	readonly listed?: string | undefined;
}

/** Names of files that stand for the folder they lie in. */
const FOLDER_PAGES = new Set("readme index _index overview home".split(" "));
/** Headings of parts: no document is called that. */
const PARTS = new Set(
	"summary,abstract,introduction,intro,overview,background,motivation,contents,table of contents,toc,changelog,notes,description,about,goals,status,simple summary,tl;dr,release notes,proposal,preface,untitled,new page".split(
		",",
	),
);

/**
 * A title for every document, by path: its own, else a first heading that no other document has, else its file's name made
 * readable. What several would be called is told apart by their folders, then by their files.
 */
export function* chooseTitles(
	documents: readonly TitledDocument[],
): Generator<undefined, Map<string, string>> {
	const headings = new Map<string, number>();
	for (const { heading } of documents) {
		if (heading !== undefined) count(headings, heading.toLowerCase());
	}
	const groups = new Map<string, Titled[]>();
	for (const document of documents) {
		const title = titleOf(document, headings);
		const key = title.toLowerCase();
		const group = groups.get(key) ?? [];
		group.push({ path: document.path, title });
		groups.set(key, group);
		yield;
	}
	const titles = new Map<string, string>();
	for (const group of groups.values()) {
		for (const { path, title } of group.length === 1 ? group : tellApart(group)) {
			titles.set(path, title);
		}
		yield;
	}
	return titles;
}

type Titled = { readonly path: string; readonly title: string };

function titleOf(
	{ path, givenTitle, heading, listed }: TitledDocument,
	headings: ReadonlyMap<string, number>,
): string {
	if (givenTitle !== undefined) return givenTitle;
	const isOwn = heading !== undefined && headings.get(heading.toLowerCase()) === 1;
	if (
		isOwn &&
		!PARTS.has(
			heading
				.toLowerCase()
				.replace(/[^\p{L};\s]+/gu, "")
				.trim(),
		)
	)
		return heading;
	const isHome = stemOf(path).toLowerCase() === "home";
	return listed ?? toReadableName(path) ?? heading ?? (isHome ? "Home" : "Overview");
}

/** Adds as many folders as it takes, and the file's name where they do not suffice. */
function tellApart(group: readonly Titled[]): readonly Titled[] {
	const places = group.map((one) => ({ ...one, folders: foldersOf(one.path) }));
	const depth = places.reduce((most, { folders }) => Math.max(most, folders.length), 0);
	for (let levels = 1; levels <= depth; levels++) {
		const labels = places.map(({ folders }) => folders.slice(-levels).join(" / "));
		if (new Set(labels).size < labels.length) continue;
		return places.map(({ path, title }, at) => ({ path, title: withLabel(title, labels[at]) }));
	}
	return places.map(({ path, title, folders }) => ({
		path,
		title: withLabel(title, [...folders, stemOf(path)].join(" / ")),
	}));
}

function withLabel(title: string, label: string | undefined): string {
	return label ? `${title} (${label})` : title;
}

/** Folders that tell a document from others: a page that stands for its folder is not told apart by it. */
function foldersOf(path: string): readonly string[] {
	const folders = path.split("/").slice(0, -1);
	return FOLDER_PAGES.has(stemOf(path).toLowerCase()) ? folders.slice(0, -1) : folders;
}

/**
 * `0243-trait-based-handling.md` reads "Trait based handling", `guides/README.md` "Guides", `eip-1559.md` "EIP-1559";
 * undefined where the name says nothing.
 */
export function toReadableName(path: string): string | undefined {
	const stem = stemOf(path);
	if (!FOLDER_PAGES.has(stem.toLowerCase())) return toWords(stem);
	const folder = path.split("/").at(-2);
	return folder === undefined ? undefined : toWords(folder);
}

function toWords(stem: string): string {
	if (isIdentifier(stem)) return stem.toUpperCase();
	const bare = stem.replace(/^(?:\d{4}-\d{2}-\d{2}|\d{1,5})[-_. ]+(?=\p{L})/u, "");
	const words = cleanLine(bare.replace(/(?<=[^\s])[-_]+(?=[^\s])/g, " ").replace(/_+/g, " "));
	return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `eip-1559`, `rfc9110`, `pep-0008`: a short word and a number. */
export function isIdentifier(stem: string): boolean {
	return /^[a-z]{2,10}[-_ ]?\d+$/i.test(stem);
}

/** `0243` of `0243-trait-based-handling`: by their numbers proposals are asked for. */
export function leadingNumber(stem: string): string | undefined {
	return /^(\d{3,5})[-_. ]+(?=\p{L})/u.exec(stem)?.[1];
}

function stemOf(path: string): string {
	const name = path.split("/").at(-1) ?? path;
	return name.replace(/\.(?:md|markdown|mdx|html?|ipynb)$/i, "");
}

function count(counts: Map<string, number>, key: string): void {
	counts.set(key, (counts.get(key) ?? 0) + 1);
}
