import { encodePath, type RelationEntry } from "./concept-writer.js";
import type { DocumentNames } from "./document-names.js";
import { isMapping, listOf, textOf } from "./front-matter.js";
import type { ImportDocument } from "./import-document.js";
import { findLinkTargets, resolveLink } from "./markdown-links.js";

/** As much of a map as is asked here. */
export type Lookup = Pick<ReadonlyMap<string, string>, "get">;

/** The documents of an import as one of them may name another. */
export interface ImportSpace {
	readonly names: DocumentNames;
	/** Path in the bundle by path in the source, for every document that is imported. */
	readonly bundlePaths: Lookup;
	/** Title by path in the bundle. */
	readonly titles: Lookup;
}

export interface RelationReading {
	readonly relations: readonly RelationEntry[];
	/** Names that no document answers to. */
	readonly unresolved: readonly { readonly key: string; readonly name: string }[];
}

/** Typed edges of a document: its own `relations`, and every name found under the keys that mean an edge. */
export function readRelations(
	document: ImportDocument,
	edgeKeys: readonly string[],
	space: ImportSpace,
): RelationReading {
	const { path, data } = document;
	const named = edgeKeys.flatMap((key) =>
		namesIn(data[key]).map((name) => ({ key, name, found: space.names.find(name) })),
	);
	const relations = new Map<string, RelationEntry>();
	for (const relation of [
		...givenRelations(document, space),
		...named
			.filter(({ found }) => found !== path)
			.flatMap(({ key, found }) => {
				const target = space.bundlePaths.get(found ?? "");
				return target ? [{ type: toEdgeType(key), target: `/${encodePath(target)}` }] : [];
			}),
	]) {
		relations.set(`${relation.type}\n${relation.target}`, relation);
	}
	return {
		relations: [...relations.values()],
		unresolved: named
			.filter(({ found }) => found === undefined)
			.map(({ key, name }) => ({ key, name })),
	};
}

/** The body with a link for every relation it does not link to yet: readers who know only Markdown see the graph too. */
export function withRelatedLinks(
	body: string,
	relations: readonly RelationEntry[],
	bundlePath: string,
	{ titles }: ImportSpace,
): string {
	const toPath = (written: string) => {
		const target = resolveLink(bundlePath, written);
		return target.kind === "internal" ? target.path : "";
	};
	const linked = new Set(findLinkTargets(body).map(toPath));
	const lines = relations
		.filter(({ target }) => !linked.has(toPath(target)))
		.map(({ type, target }) => {
			const title = titles.get(toPath(target)) ?? target;
			return `* ${type}: [${title.replace(/[[\]]/g, "")}](${target})`;
		});
	return lines.length === 0 ? body : `${body}\n\n## Related\n\n${lines.join("\n")}`;
}

/** Relations the document brought along, led to where their targets are now. */
function givenRelations(
	{ path, data }: ImportDocument,
	{ bundlePaths }: ImportSpace,
): readonly RelationEntry[] {
	return listOf(data["relations"]).flatMap((relation) => {
		if (!isMapping(relation)) return [];
		const written = textOf(relation["target"]);
		if (written === undefined) return [];
		const target = resolveLink(path, written);
		const moved = target.kind === "internal" ? bundlePaths.get(target.path) : undefined;
		return [
			{
				...relation,
				type: textOf(relation["type"]) ?? "links-to",
				target: moved === undefined ? written : `/${encodePath(moved)}`,
			},
		];
	});
}

/** `2718`, `"2718, 2930"`, `[eip-1, "[[Other note]]"]`: names of other documents, however they were written. */
function namesIn(value: unknown): readonly string[] {
	return listOf(value)
		.flatMap((one) => (typeof one === "string" ? one.split(",") : [textOf(one) ?? ""]))
		.map((name) =>
			name
				.replace(/^\s*\[\[|\]\]\s*$/g, "")
				.replace(/[#|].*$/s, "")
				.trim(),
		)
		.filter((name) => name !== "");
}

function toEdgeType(key: string): string {
	return key.toLowerCase().replace(/[\s_]+/g, "-");
}
