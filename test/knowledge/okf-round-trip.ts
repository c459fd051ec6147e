import { isDeepStrictEqual } from "node:util";
import { parseMarkdown } from "../../src/documents/documents.js";
import { type BundleFiles, readBundle } from "../../src/knowledge/bundle/bundle-reader.js";
import { toBundleFiles } from "../../src/knowledge/bundle/bundle-writer.js";
import { importBundle } from "../../src/knowledge/import/import-bundle.js";
import { findOkfFaults } from "./okf-conformance.js";
import { textOf } from "./sample-bundle.js";

/** What an import, an export and an import of that lose, change or get wrong; nothing where all is well. */
export async function findLosses(source: BundleFiles, graphId: string): Promise<readonly string[]> {
	const first = await importBundle(source, graphId, { today: "2026-09-01" });
	const exported = toBundleFiles(readBundle(first.files).graph);
	const again = await importBundle(exported, graphId, { today: "2026-09-01" });
	const written = [...source.keys()].filter((path) => path.endsWith(".md"));
	const concepts = first.graph.concepts.map(({ path }) => path);
	// A listing that is not as the format wants it stays as it was.
	const given = findOkfFaults(source);
	const isNew = (fault: string) => !given.includes(fault);
	return [
		...(first.trace.format === "okf" ? [] : ["It is not taken for OKF."]),
		...written
			.filter((path) => textOf(first.files, path) !== textOf(source, path))
			.map((path) => `${path}: not kept as it was`),
		...written
			.filter((path) => !/(?:^|\/)(?:index|log|graph)\.md$/.test(path) && !concepts.includes(path))
			.map((path) => `${path}: no concept`),
		...concepts.flatMap((path) => changesOf(textOf(source, path), textOf(exported, path), path)),
		...(isDeepStrictEqual(again.graph.concepts, first.graph.concepts) ? [] : ["other concepts"]),
		...readBundle(first.files).findings.map(({ file, message }) => `${file}: ${message}`),
		...findOkfFaults(first.files).filter(isNew),
		...findOkfFaults(exported).filter(isNew),
	];
}

/** Without a status a concept is stable, and without a title or a description it has those that are read from its text. */
const IMPLIED = ["status", "title", "description"];

function changesOf(before: string, after: string, path: string): readonly string[] {
	const [was, is] = [parseMarkdown(before), parseMarkdown(after)];
	const keys = new Set([...Object.keys(was.data), ...Object.keys(is.data)]);
	const changed = [...keys].filter((key) => {
		const isImplied = IMPLIED.includes(key) && was.data[key] === undefined;
		return !isImplied && !isDeepStrictEqual(was.data[key], is.data[key]);
	});
	return [
		...changed.map((key) => `${path}: ${key} changed`),
		...(was.body.trim() === is.body.trim() ? [] : [`${path}: another body`]),
	];
}
