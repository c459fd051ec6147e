import { type FrontMatter, isMapping, listOf, textOf } from "./front-matter.js";
import type { Edge } from "./graph.js";
import { findLinkTargets, resolveLink } from "./markdown-links.js";
import { parseDay } from "./source-date.js";

/** Type of the edges that ordinary Markdown links are. */
export const PLAIN_LINK = "links-to";

/** What a file may link to: paths of the bundle's concepts and all other Markdown files it may name without an edge. */
export interface LinkSpace {
	/** Undefined for a path that is no concept. */
	idOf(path: string): string | undefined;
	/** True for listings, logs and the record: real files, but no nodes. */
	isOther(path: string): boolean;
}

export interface EdgeReading {
	/** Distinct by type and target. A plain link says nothing more where a typed edge has the same target. */
	readonly edges: readonly Edge[];
	/** Destinations inside the bundle that name no file, as written. */
	readonly broken: readonly string[];
	/** Paths looked up that are no concept, distinct: were one of them a concept, the edges could be others. */
	readonly awaited: readonly string[];
}

/**
 * Edges of one file: typed `relations` as written, then plain links (`links-to`) by target. Links to itself are left out.
 */
export function readEdges(
	path: string,
	{ data, body }: { data: FrontMatter; body: string },
	bundle: LinkSpace,
): EdgeReading {
	const awaited = new Set<string>();
	const space: LinkSpace = {
		...bundle,
		idOf(target) {
			const id = bundle.idOf(target);
			if (id === undefined) awaited.add(target);
			return id;
		},
	};
	const self = space.idOf(path);
	const edges = new Map<string, Edge>();
	const broken = new Set<string>();
	const typedTargets = new Set<string>();

	for (const relation of listOf(data["relations"])) {
		const { edge, missing } = readRelation(path, relation, space);
		if (missing !== undefined) broken.add(missing);
		if (!edge || edge.target === self) continue;
		edges.set(`${edge.type}\n${edge.target}`, edge);
		typedTargets.add(edge.target);
	}
	for (const written of findLinkTargets(body)) {
		const found = lookUp(path, written, space);
		if (found === "broken") broken.add(written);
		else if (found !== "none" && found.id !== self && !typedTargets.has(found.id)) {
			edges.set(`${PLAIN_LINK}\n${found.id}`, { type: PLAIN_LINK, target: found.id, weight: 1 });
		}
	}
	const all = [...edges.values()];
	const plain = all.filter(({ type }) => type === PLAIN_LINK);
	return {
		edges: [
			...all.filter(({ type }) => type !== PLAIN_LINK),
			...plain.sort((a, b) => (a.target < b.target ? -1 : 1)),
		],
		broken: [...broken],
		awaited: [...awaited],
	};
}

function readRelation(
	path: string,
	relation: unknown,
	space: LinkSpace,
): { edge?: Edge; missing?: string } {
	if (!isMapping(relation)) return {};
	const written = textOf(relation["target"]);
	if (written === undefined) return {};
	const target = findRelationTarget(path, written, space);
	if (target === undefined) return { missing: written };
	const weight = relation["weight"];
	const validFrom = parseDay(relation["valid_from"]);
	const validTo = parseDay(relation["valid_to"]);
	return {
		edge: {
			type: (textOf(relation["type"]) ?? PLAIN_LINK).toLowerCase().replace(/[\s_]+/g, "-"),
			target,
			weight: typeof weight === "number" && Number.isFinite(weight) && weight > 0 ? weight : 1,
			...(validFrom ? { validFrom } : {}),
			...(validTo ? { validTo } : {}),
		},
	};
}

/** A relation may name its target as a link, as a path from the root, or as a concept id with dots. */
function findRelationTarget(path: string, written: string, space: LinkSpace): string | undefined {
	for (const spelling of [written, `/${written}`, `/${written.replaceAll(".", "/")}`]) {
		const found = lookUp(path, spelling, space);
		if (typeof found === "object") return found.id;
	}
	return undefined;
}

function lookUp(
	path: string,
	written: string,
	space: LinkSpace,
): { id: string } | "none" | "broken" {
	const target = resolveLink(path, written);
	if (target.kind === "external") return "none";
	if (target.kind === "outside") return /\.md(?:[?#]|$)/i.test(written) ? "broken" : "none";
	const id = space.idOf(target.path);
	if (id !== undefined) return { id };
	return target.explicit && !space.isOther(target.path) ? "broken" : "none";
}
