/** Files whose text becomes a concept; everything else in a folder is passed over with a reason. */
const READ = /\.(?:md|markdown|mdx|html?|ipynb)$/i;

const CONVERTERS: readonly (readonly [ending: RegExp, name: string, command: string])[] = [
	[/\.re?st$/i, "reStructuredText", "pandoc -f rst -t gfm FILE.rst -o FILE.md"],
	[
		/\.(?:adoc|asciidoc|asc)$/i,
		"AsciiDoc",
		"asciidoctor -b docbook -o - FILE.adoc | pandoc -f docbook -t gfm -o FILE.md",
	],
	[/\.org$/i, "Org", "pandoc -f org -t gfm FILE.org -o FILE.md"],
	[/\.(?:mediawiki|wiki)$/i, "MediaWiki", "pandoc -f mediawiki -t gfm FILE.mediawiki -o FILE.md"],
	[/\.textile$/i, "Textile", "pandoc -f textile -t gfm FILE.textile -o FILE.md"],
	[/\.tex$/i, "LaTeX", "pandoc -f latex -t gfm FILE.tex -o FILE.md"],
	[/\.docx$/i, "Word", "pandoc -f docx -t gfm FILE.docx -o FILE.md"],
	[/\.odt$/i, "OpenDocument", "pandoc -f odt -t gfm FILE.odt -o FILE.md"],
	[/\.epub$/i, "EPUB", "pandoc -f epub -t gfm FILE.epub -o FILE.md"],
];

/** Why a file of this name is not read, one whole sentence; undefined when it is. */
export function reasonAgainstFormat(path: string): string | undefined {
	if (READ.test(path)) return undefined;
	const [, name, command] = CONVERTERS.find(([ending]) => ending.test(path)) ?? [];
	if (name !== undefined) return `${name} is not read; pandoc makes Markdown of it: ${command}`;
	return "The file is not Markdown.";
}

export function withoutEnding(path: string): string {
	return path.replace(READ, "");
}

const TEMPLATE_FOLDERS = new Set(
	"_layouts _includes _partials _data _sass _templates archetypes layouts shortcodes node_modules".split(
		" ",
	),
);
const NAVIGATION = new Set(
	"summary.md _sidebar.md _navbar.md _coverpage.md _footer.md _header.md _category_.md 404.md _404.md".split(
		" ",
	),
);

/** Why a file is part of how a site is built and no document of it; undefined for documents. */
export function reasonAgainstPart(path: string): string | undefined {
	const names = path.split("/");
	const name = names.pop() ?? "";
	const folder = names.find((one) => TEMPLATE_FOLDERS.has(one));
	if (folder !== undefined)
		return `The folder "${folder}" holds templates of a site, not documents.`;
	if (NAVIGATION.has(name.toLowerCase()))
		return "The file is navigation of a site, not a document.";
	return /^_(?!index\.).*\.mdx$/i.test(name) ? "The file is a part of other pages." : undefined;
}
