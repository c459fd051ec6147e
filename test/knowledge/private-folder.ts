/** Every way in which owners say of a document that it is not for others. */
const PRIVATE_FRONT_MATTER: readonly string[] = [
	...[
		"private",
		"secret",
		"confidential",
		"hidden",
		"draft",
		"unlisted",
		"headless",
		"internal",
	].flatMap((key) => [`${key}: true`, `${key}: yes`, `${key.toUpperCase()}: "on"`]),
	...["publish", "published", "public", "dg-publish", "is_public", "share", "listed"].flatMap(
		(key) => [`${key}: false`, `${key}: "no"`, `${key}: 0`],
	),
	...["private", "internal", "restricted", "hidden", "draft", "members-only", "team"].flatMap(
		(word) => [`visibility: ${word}`, `access: ${word}`],
	),
	"audience: [internal, staff]",
	"permalink: false",
	"eleventyExcludeFromCollections: true",
	"status: private",
	"state: Confidential",
	"build: { render: never, list: never }",
	"_build: { render: never }",
	"publishDate: 2999-01-01",
	"expiryDate: 2001-01-01",
];

/** One folder of them all: each holds a word that no public document has. Those of `linked` have it in their path and title. */
export function privateFolder(marker: (place: number) => string) {
	const files: Record<string, string> = {};
	let place = 0;
	const add = (path: string, frontMatter = "", opening = "---") => {
		const secret = marker(place);
		place += 1;
		const head = frontMatter === "" ? "" : `${opening}\n${frontMatter}\n${opening}\n`;
		files[path] =
			`${head}# The ${secret} plan\n\nThe lighthouse is sold to ${secret} on [Monday](https://example.org/${secret}). #${secret}\n`;
	};
	for (const [at, line] of PRIVATE_FRONT_MATTER.entries()) add(`notes/closed-${at}.md`, line);
	for (const key of ["draft = true", "private = true", "publish = false"]) {
		add(`notes/toml-${place}.md`, key, "+++");
	}
	for (const folder of ["_drafts", "drafts", "_private", "private", "notes/Private"]) {
		for (const name of ["a", "b"]) add(`${folder}/${name}.md`);
	}
	for (const name of [".hidden.md", ".hidden/a.md", "notes/.trash/b.md"]) add(name);
	for (let at = 0; at < 12; at++) add(`ignored/deep/er/note-${at}.md`);
	for (let at = 0; at < 6; at++) add(`notes/keys-${at}.secret.md`);
	for (let at = 0; at < 6; at++) {
		add(`notes/nested/kept-back-${at}.md`);
		add(`excluded/note-${at}.md`);
	}
	const linked = ["notes/%-sale.md", "ignored/deep/%-sale.md", "excluded/%-sale.mdx"].map((one) => {
		const path = one.replace("%", marker(place));
		add(path, `private: true\ntitle: The ${marker(place)} sale`);
		return path;
	});
	files["cascade/_index.md"] = "---\ntitle: Section\ncascade: { draft: true }\n---\nA section.\n";
	for (let at = 0; at < 6; at++) add(`cascade/sub/note-${at}.md`);
	for (const ending of ["mdx", "markdown"]) add(`notes/other-${ending}.${ending}`, "private: true");
	files[".tollgraphignore"] = "ignored/\n*.secret.md\n";
	files["notes/nested/.tollgraphignore"] = "kept-back-*\n";
	return { files, count: place, linked };
}
