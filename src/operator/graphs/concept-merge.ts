import {
	type FrontMatter,
	findLinkTargets,
	firstHeading,
	isMapping,
	listOf,
	resolveLink,
	textOf,
} from "../../documents/documents.js";
import { invalidArgument } from "../../kernel/kernel.js";
import {
	BUNDLE_LIMITS,
	type Changeable,
	type Concept,
	conceptAt,
	encodePath,
	FORMER_IDS,
	formerIdsOf,
	readRelation,
	toRelationEntry,
	toSourceEntry,
} from "../../knowledge/knowledge.js";
import { type ConceptText, readConceptText, toConceptBytes } from "./concept-files.js";

/** Two concepts as one: text, sources and edges of the one go to the other, which answers for its id from then on. */

interface Pair {
	readonly graph: Changeable;
	readonly from: Concept;
	readonly into: Concept;
}

/** The files that a merge changes. Throws INVALID_ARGUMENT for one concept, and for more sources than are read. */
export async function mergeFiles(pair: Pair): Promise<Map<string, Uint8Array | undefined>> {
	const { graph, from, into } = pair;
	if (from === into) throw invalidArgument("A concept cannot be merged into itself; name two.");
	const files = new Map<string, Uint8Array | undefined>([[from.path, undefined]]);
	const texts = [await readConceptText(graph, from), await readConceptText(graph, into)] as const;
	files.set(into.path, toConceptBytes(mergeTexts(pair, ...texts)));
	for (const concept of graph.concepts) {
		if (concept === from || concept === into) continue;
		if (!concept.edges.some(({ target }) => target === from.id)) continue;
		const text = await readConceptText(graph, concept);
		files.set(concept.path, toConceptBytes(redirect(pair, concept, text)));
	}
	return files;
}

function mergeTexts({ graph, from, into }: Pair, old: ConceptText, kept: ConceptText): ConceptText {
	const { sources, nameOf } = mergeSources(from, into, kept);
	const ownText = relink(kept.body, into.path, (path) =>
		path === from.path ? addressOf(into) : undefined,
	);
	const moved = relink(old.body, from.path, (path) => {
		const target = conceptAt(graph.concepts, path);
		return target && addressOf(target === from ? into : target);
	});
	const added = moved.replace(NOTE, (_, name: string) => `[^${nameOf(name)}]`).trim();
	const heading = firstHeading(added) === from.title ? "" : `## ${from.title}\n\n`;
	const pathOf = (id: string) => graph.concepts.find((one) => one.id === id)?.path ?? id;
	const edges = from.edges.filter(({ target, type }) => target !== into.id && type !== "links-to");
	const own = listOf(kept.data["relations"]).filter(
		(one) => targetOf(graph, into, one) !== from.id,
	);
	const relations = [...own, ...edges.map((edge) => toRelationEntry(edge, pathOf(edge.target)))];
	// What was verified is not what the concept says now.
	const { verified: _, ...data } = kept.data;
	const lists = {
		tags: union(into.tags, from.tags),
		aliases: union(into.aliases, [from.title, ...from.aliases]).filter((one) => one !== into.title),
		sources,
		relations,
		[FORMER_IDS]: union(formerIdsOf(into), [from.id, ...formerIdsOf(from)]),
	};
	const given = Object.entries(lists).filter(([, list]) => list.length > 0);
	return {
		data: { ...data, relations: undefined, ...Object.fromEntries(given) },
		body: `${ownText.trim()}\n\n${heading}${added}`,
	};
}

const NOTE = /\[\^([^\]\s]{1,200})\]/g;

/** Sources of both, one for each address, and what notes of the merged text call theirs. */
function mergeSources(from: Concept, into: Concept, { data, body }: ConceptText) {
	const written = listOf(data["sources"]);
	const sources: unknown[] = written.length > 0 ? [...written] : into.evidence.map(toSourceEntry);
	const taken = new Set(into.evidence.map(({ articleId }) => articleId));
	for (const [, name = ""] of body.matchAll(NOTE)) taken.add(name);
	const names = new Map<string, string>();
	const claim = (wanted: string) => {
		let name = wanted;
		for (let count = 2; taken.has(name); count++) name = `${wanted}-${count}`;
		taken.add(name);
		names.set(wanted, name);
		return name;
	};
	for (const one of from.evidence) {
		const known = into.evidence.find(({ sourceUrl }) => sourceUrl === one.sourceUrl);
		if (known) names.set(one.articleId, known.articleId);
		else sources.push(toSourceEntry({ ...one, articleId: claim(one.articleId) }));
	}
	if (sources.length > BUNDLE_LIMITS.sources) {
		throw invalidArgument(
			`Both together have ${sources.length} sources, and no more than ${BUNDLE_LIMITS.sources} are read.`,
		);
	}
	return { sources, nameOf: (name: string) => names.get(name) ?? claim(name) };
}

/** The text of another concept, with everything that led to the one leading to the other. */
function redirect({ graph, from, into }: Pair, concept: Concept, text: ConceptText): ConceptText {
	const leads = (written: unknown) => {
		const target = resolveLink(concept.path, textOf(written) ?? "");
		return target.kind === "internal" && target.path === from.path;
	};
	const data: Record<string, unknown> = { ...text.data };
	if (data["relations"] !== undefined) {
		data["relations"] = listOf(data["relations"]).map((one) =>
			isMapping(one) && targetOf(graph, concept, one) === from.id
				? { ...one, target: addressOf(into) }
				: one,
		);
	}
	if (data["sources"] !== undefined) {
		data["sources"] = listOf(data["sources"]).map((one) => {
			if (!isMapping(one)) return leads(one) ? addressOf(into) : one;
			return leads(one["resource"]) ? { ...one, resource: addressOf(into) } : one;
		});
	}
	const body = relink(text.body, concept.path, (path) =>
		path === from.path ? addressOf(into) : undefined,
	);
	return { data: data as FrontMatter, body };
}

function targetOf({ concepts }: Changeable, { path }: Concept, relation: unknown) {
	const space = { idOf: (at: string) => conceptAt(concepts, at)?.id, isOther: () => false };
	return readRelation(path, relation, space).edge?.target;
}

const addressOf = ({ path }: Concept) => `/${encodePath(path)}`;

const union = (one: readonly string[], other: readonly string[]) => [
	...new Set([...one, ...other]),
];

/** The text with other addresses where `toAddress` has one. */
function relink(
	body: string,
	path: string,
	toAddress: (path: string) => string | undefined,
): string {
	let text = body;
	for (const written of new Set(findLinkTargets(body))) {
		const target = resolveLink(path, written);
		const address = target.kind === "internal" ? toAddress(target.path) : undefined;
		if (address === undefined) continue;
		const place = written.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
		const links = new RegExp(`(\\]\\(<?|\\]:[ \\t]*<?)${place}(?=[\\s)>]|$)`, "g");
		const [part = ""] = /#.*$/s.exec(written) ?? [];
		text = text.replace(links, (_, opening: string) => `${opening}${address}${part}`);
	}
	return text;
}
