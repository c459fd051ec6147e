import type { BundleFiles } from "./bundle-reader.js";
import { encodePath, toConceptDraft, toConceptFile, toMarkdownFile } from "./concept-writer.js";
import type { Concept, Graph } from "./graph.js";
import { toRecordFile } from "./record-writer.js";
import { runAtOnce, type Steps } from "./work-in-turns.js";

export const OKF_VERSION = "0.2";

/** A line of a listing. */
export interface ListingEntry {
	readonly path: string;
	readonly title: string;
	readonly description: string;
}

/** A graph as the files of a conforming v0.2 bundle; the same graph always gives the same bytes. */
export function toBundleFiles(graph: Graph): BundleFiles {
	return runAtOnce(bundleFilesOf(graph));
}

/** Like `toBundleFiles`, concept by concept. */
export function* bundleFilesOf(graph: Graph): Steps<BundleFiles> {
	const pathOfId = new Map(graph.concepts.map(({ id, path }) => [id, path]));
	const texts = new Map<string, string>([
		["index.md", toGraphListing(graph.record.title, graph.concepts)],
		["log.md", toLogFile(graph.record.updated, [`Version ${graph.record.version}.`])],
		["graph.md", toRecordFile(graph.record)],
	]);
	for (const concept of graph.concepts) {
		texts.set(concept.path, toConceptFile(toConceptDraft(concept, pathOfId)));
		yield;
	}
	return encodeFiles(texts);
}

/** The root listing of a graph: one heading per folder, concepts below it. */
export function toGraphListing(
	title: string,
	concepts: readonly Pick<Concept, "path" | "title" | "summary">[],
): string {
	const sections = new Map<string, ListingEntry[]>([
		["", [{ path: "graph.md", title: "About this graph", description: "Its record" }]],
	]);
	for (const concept of concepts) {
		const folder = concept.path.split("/").slice(0, -1).join("/");
		const entries = sections.get(folder) ?? [];
		entries.push({ path: concept.path, title: concept.title, description: concept.summary });
		sections.set(folder, entries);
	}
	return toRootListing(title, sections);
}

/** A root `index.md`: `okf_version`, a title, then a heading per section (none for the section named ""). */
export function toRootListing(
	title: string,
	sections: ReadonlyMap<string, readonly ListingEntry[]>,
): string {
	const parts = [...sections].map(([heading, entries]) => {
		const lines = entries.map(toListingLine).join("\n");
		return heading === "" ? lines : `## ${escapeText(heading)}\n\n${lines}`;
	});
	return toMarkdownFile(
		{ okf_version: OKF_VERSION },
		[`# ${escapeText(title)}`, ...parts].join("\n\n"),
	).replace(`okf_version: ${OKF_VERSION}`, `okf_version: "${OKF_VERSION}"`);
}

/** A `log.md` with one entry. */
export function toLogFile(day: string, lines: readonly string[]): string {
	return `# Log\n\n## ${day}\n\n${lines.map((line) => `* ${line}\n`).join("")}`;
}

/** Texts as UTF-8 bytes, in path order. */
export function encodeFiles(texts: ReadonlyMap<string, string>): Map<string, Uint8Array> {
	const encoder = new TextEncoder();
	const paths = [...texts.keys()].sort();
	return new Map(paths.map((path) => [path, encoder.encode(texts.get(path))]));
}

function toListingLine({ path, title, description }: ListingEntry): string {
	const link = `* [${escapeText(title)}](${encodePath(path)})`;
	return description === "" ? link : `${link} - ${escapeText(description)}`;
}

/** Brackets and line breaks would end a link's text or start a link of their own. */
function escapeText(text: string): string {
	return text.replace(/\s+/g, " ").replace(/[\\[\]]/g, "\\$&");
}
