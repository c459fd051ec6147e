import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import t from "tap";
import { isCompanion } from "../../src/documents/documents.js";
import { toCitedSentences } from "../../src/evidence/cited-sentences.js";
import type { BundleFiles } from "../../src/knowledge/bundle/bundle-reader.js";
import { toBundlePath } from "../../src/knowledge/import/bundle-paths.js";
import { importBundle } from "../../src/knowledge/import/import-bundle.js";
import type { ImportOptions } from "../../src/knowledge/import/import-options.js";
import type { Concept, Graph } from "../../src/knowledge/model/graph.js";
import { filesBelow } from "../support/files-below.js";
import { findLosses } from "./okf-round-trip.js";
import { TEMPLATES, withoutCode } from "./served-templates.js";

/** What somebody who read a folder of other people wrote down of it, by the paths of its documents. */
interface ReaderNotes {
	/** The package that holds the folder; without one it lies beside the notes. */
	readonly package?: string;
	/** Where packages that are no devDependencies come from, by `npm run test:folders`. */
	readonly registry?: "pypi";
	readonly version?: string;
	readonly license?: string;
	/** Where in the package; "" is the whole package. */
	readonly folder?: string;
	/** What the folder's tool reads beside its documents. */
	readonly beside?: readonly string[];
	readonly options?: ImportOptions;
	readonly titles: Readonly<Record<string, string>>;
	readonly dates: Readonly<Record<string, string>>;
	readonly inside: Readonly<Record<string, readonly string[]>>;
	/** Addresses, each with the words that lead there. */
	readonly outside: Readonly<Record<string, readonly (readonly [string, string])[]>>;
}

interface Folder {
	readonly kind: string;
	readonly notes: ReaderNotes;
	readonly files: BundleFiles;
	readonly isBundle: boolean;
}

/**
 * Notes of a reader, one file for each kind. The text of other people is no part of this repository: packages that are installed
 * for nothing else hold it, as their integrity in the lockfile says, and archives of the Python index, pinned by their checksums.
 */
const NOTES = join("test", "knowledge", "public-folders");
/** More folders, outside this repository: `<kind>/` and `<kind>.json`, and bundles in `okf/`. */
const MORE = process.env["PUBLIC_FOLDERS"];
const FOLDERS = [NOTES, ...(MORE === undefined ? [] : [MORE])].flatMap(foldersIn);
const OWN_BUNDLE = join("graphs", "agent-payments");

function packageFolder(notes: ReaderNotes): string {
	if (notes.registry === undefined) return join("node_modules", notes.package ?? "");
	const name = `${notes.package?.replaceAll("-", "_")}-${notes.version}`;
	return join(".cache", "folders", name);
}

function foldersIn(root: string): readonly Folder[] {
	const kinds = readdirSync(root).flatMap((name) => /^(.+)\.json$/.exec(name)?.[1] ?? []);
	return kinds.sort().flatMap((kind) => {
		const notes: ReaderNotes = JSON.parse(readFileSync(join(root, `${kind}.json`), "utf8"));
		const isBundle = kind === "okf-bundle";
		if (notes.package === undefined) {
			return [{ kind, notes, files: filesIn(join(root, kind)), isBundle }];
		}
		if (!existsSync(packageFolder(notes))) return [];
		const folder = join(packageFolder(notes), notes.folder ?? "");
		const paths = [...Object.keys(notes.titles), ...(notes.beside ?? [])];
		return [{ kind, notes, files: filesIn(folder, paths), isBundle }];
	});
}

/** Bundles of the format: those of others, and one of our own. */
function bundles(): ReadonlyMap<string, BundleFiles> {
	const others = FOLDERS.filter(({ isBundle }) => isBundle);
	const more = MORE === undefined ? [] : readdirSync(join(MORE, "okf"));
	return new Map([
		["agent-payments", filesIn(OWN_BUNDLE)],
		...others.map(({ kind, files }) => [kind, files] as const),
		...more.map(
			(name) => [name.replaceAll("_", "-"), filesIn(join(MORE ?? "", "okf", name))] as const,
		),
	]);
}

function filesIn(folder: string, paths?: readonly string[]): BundleFiles {
	const names = paths ?? filesBelow(folder).map((path) => relative(folder, path));
	return new Map([...names].sort().map((path) => [path, readFileSync(join(folder, path))]));
}

async function read({ kind, notes, files }: Folder) {
	const today = "2024-12-01";
	const sections = new Map([...files].filter(([path]) => isCompanion(path)));
	const { graph } = await importBundle(files, kind, { today, sections, ...notes.options });
	const at = (path: string) =>
		graph.concepts.find((one) => [path, toBundlePath(path)].includes(one.path));
	return { kind, notes, graph, at };
}

/** How much of what is asked for is there; what is not is named. */
function createShare(t: { comment(text: string): void; ok(isTrue: boolean, what: string): void }) {
	let [found, all] = [0, 0];
	return {
		count(isFound: boolean, what: string) {
			all += 1;
			if (isFound) found += 1;
			else t.comment(`not found: ${what}`);
		},
		isAtLeast(least: number, what: string) {
			t.ok(found >= least * all, `${what}: ${found} of ${all}`);
		},
	};
}

t.test("the packages are those that were read, and anyone may copy them", (t) => {
	const pinned = FOLDERS.filter(({ notes }) => notes.package !== undefined);
	const npm = pinned.filter(({ notes }) => notes.registry === undefined);
	t.equal(npm.length, 7);
	const hasFetched = existsSync(join(".cache", "folders"));
	if (!hasFetched)
		t.comment("A vault and a bundle are not read: run `npm run test:folders` first.");
	t.equal(pinned.length, hasFetched ? 10 : 7);
	for (const { notes } of pinned.filter(({ notes }) => notes.registry === "pypi")) {
		const info = readFileSync(join(packageFolder(notes), "PKG-INFO"), "utf8");
		const field = (name: string) => new RegExp(`^${name}: (.+)$`, "m").exec(info)?.[1];
		t.same([field("Version"), field("License-Expression")], [notes.version, notes.license]);
		t.match(notes.license, /^(?:MIT|Apache-2\.0)$/, `${notes.package}`);
	}
	for (const { notes } of npm) {
		const path = join("node_modules", notes.package ?? "", "package.json");
		const { version, license } = JSON.parse(readFileSync(path, "utf8"));
		t.same([version, license], [notes.version, notes.license], path);
		t.match(license, /^(?:MIT|Apache-2\.0)$/, path);
	}
	t.end();
});

t.test("titles are those a reader gives, and no two are one", async (t) => {
	const share = createShare(t);
	for (const { kind, notes, graph, at } of await Promise.all(FOLDERS.map(read))) {
		for (const [path, title] of Object.entries(notes.titles)) {
			const ours = at(path)?.title;
			share.count(ours === title, `${kind}: ${path} is "${title}", not "${ours}"`);
		}
		const titles = graph.concepts.map(({ title }) => title);
		t.equal(new Set(titles).size, titles.length, kind);
		t.equal(titles.length, Object.keys(notes.titles).length, kind);
	}
	share.isAtLeast(0.98, "titles");
});

t.test("nothing is served that only a generator reads", async (t) => {
	for (const { kind, graph } of await Promise.all(FOLDERS.map(read))) {
		for (const { path, title, summary, body } of graph.concepts) {
			t.notMatch([title, summary, withoutCode(body)].join("\n"), TEMPLATES, `${kind}: ${path}`);
		}
	}
});

t.test("dates and links that a reader finds are found", async (t) => {
	const [dates, links] = [createShare(t), createShare(t)];
	for (const { kind, notes, at } of await Promise.all(FOLDERS.map(read))) {
		for (const path of Object.keys(notes.titles)) {
			const ours = at(path)?.generatedAt;
			dates.count(
				ours === notes.dates[path],
				`${kind}: ${path} of ${notes.dates[path]}, not ${ours}`,
			);
			const targets = at(path)?.edges.map(({ target }) => target);
			const wanted = (notes.inside[path] ?? []).map((target) => at(target)?.id ?? target);
			for (const target of wanted) {
				links.count(targets?.includes(target) === true, `${kind}: ${path} links to ${target}`);
			}
			const others = targets?.filter((target) => !wanted.includes(target));
			t.same(others, [], `${kind}: ${path} links to nothing else`);
		}
	}
	dates.isAtLeast(0.95, "dates");
	links.isAtLeast(0.95, "links");
});

const withoutAnchor = (url: string) => url.replace(/#.*$/, "");
const lettersOf = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

function isSourceOf(graph: Graph, concept: Concept, url: string, words: string): boolean {
	const wanted = lettersOf(words.replace(/^https?:/, "")).slice(0, 12);
	return toCitedSentences(graph, concept).some(
		({ text, sources }) =>
			sources.some(({ sourceUrl }) => withoutAnchor(sourceUrl) === withoutAnchor(url)) &&
			// A number in parentheses belongs to the sentence before it.
			(/^\d*$/.test(wanted) || lettersOf(text).includes(wanted)),
	);
}

t.test("a link elsewhere is a source of the sentence it stands in", async (t) => {
	const share = createShare(t);
	for (const { kind, notes, graph, at } of await Promise.all(FOLDERS.map(read))) {
		for (const [path, links] of Object.entries(notes.outside)) {
			const concept = at(path);
			for (const [url, words] of links) {
				const isFound = concept !== undefined && isSourceOf(graph, concept, url, words);
				share.count(isFound, `${kind}: ${path} cites ${url} for "${words}"`);
			}
		}
	}
	share.isAtLeast(0.98, "sources");
});

t.test("nothing of a bundle is lost on its way in, out and in again", async (t) => {
	for (const [name, files] of bundles()) {
		const findings = await findLosses(files, name);
		t.same(name === "agent-payments" ? findings.filter(isLoss) : findings, [], name);
	}
});

/**
 * An import dates `graph.md`, a record of ours, anew; and our bundle dates a source as precisely as that dates itself, by its day
 * or month, where the format has instants.
 */
function isLoss(finding: string): boolean {
	return !/^graph\.md: not kept|: no instant: \d{4}(?:-\d\d){0,2}$/.test(finding);
}
