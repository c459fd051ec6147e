import { SOURCE_KINDS, type SourceKind, type TrustTier } from "../../contract/contract.js";
import {
	cleanLine,
	type FrontMatter,
	findLinkTargets,
	firstHeading,
	firstParagraph,
	isMapping,
	isWebAddress,
	listOf,
	parseDay,
	parseSourceDate,
	resolveLink,
	textOf,
	textsOf,
	toPlainText,
	toSections,
	truncateText,
} from "../../documents/documents.js";
import type { Concept, Edge, Evidence, Finding, Verification } from "../model/graph.js";
import { keptFieldsOf } from "../model/kept-fields.js";
import { BUNDLE_LIMITS } from "./bundle-limits.js";

/** A file that passed the one hard requirement, a `type`; its body is clean already. */
export interface ConceptFile {
	readonly path: string;
	readonly type: string;
	readonly data: FrontMatter;
	readonly body: string;
}

export type ConceptReading = ReturnType<typeof readConcept>;

/** Path without `.md`, `/` written as `.`: the id that appears in public identifiers. */
export function toConceptId(path: string): string {
	return path.replace(/\.md$/i, "").replaceAll("/", ".");
}

/** Maps one file to a node. Missing optionals have fallbacks, unknown keys are passed over, nothing here throws. */
export function readConcept(
	file: ConceptFile,
	space: LinkSpace,
	report: (finding: Finding) => void,
) {
	const { path, type, data, body } = file;
	const warn = (rule: Finding["rule"], message: string) =>
		report({ file: path, rule, severity: "warning", message });
	const { evidence, droppedAddresses, omitted, inBundle } = readEvidence(data, body);
	const isOwn = inBundle.some((address) => isPathOf(path, address));
	for (const address of droppedAddresses) {
		warn(
			"bad-address",
			`The source address "${address}" is not an http or https address and is left out.`,
		);
	}
	if (omitted > 0) {
		warn(
			"too-many-sources",
			`Only the first ${BUNDLE_LIMITS.sources} sources of the file are kept; ${omitted} are left out.`,
		);
	}
	const { edges, broken, awaited } = readEdges(path, file, space);
	for (const target of broken) {
		warn("broken-link", `The link to "${target.slice(0, 200)}" leads to no concept of this graph.`);
	}
	const generated = isMapping(data["generated"]) ? data["generated"] : {};
	const verified = readVerifications(data["verified"]);
	// Not a copy with `kept` added: V8 gives each such copy a hidden class of its own, half a kilobyte a concept.
	const concept: Concept & { kept: string | undefined } = {
		id: toConceptId(path),
		path,
		type,
		title: titleOf(file),
		summary: summaryOf(data, body),
		body,
		tags: textsOf(data["tags"]),
		aliases: textsOf(data["aliases"]),
		evidence,
		edges,
		trust: trustOf(verified),
		verified,
		status: statusOf(data["status"]),
		generatedAt: parseDay(generated["at"] ?? data["timestamp"]),
		generatedBy: textOf(generated["by"]),
		staleAfter: parseDay(data["stale_after"]),
		facts: factsOf(data),
		isOwnSource: isOwn || undefined,
		kept: undefined,
	};
	concept.kept = keptFieldsOf(data, concept);
	return { concept, awaited };
}

function isPathOf(path: string, address: string): boolean {
	const target = resolveLink(path, address);
	return target.kind === "internal" && target.path === path;
}

function titleOf({ path, data, body }: ConceptFile): string {
	const stem = path.replace(/\.md$/i, "").split("/").at(-1) ?? path;
	const title = textOf(data["title"]) ?? firstHeading(body) ?? stem.replaceAll(/[-_]+/g, " ");
	return truncateText(title, BUNDLE_LIMITS.titleChars);
}

function summaryOf(data: FrontMatter, body: string): string {
	const text = textOf(data["description"]) ?? firstParagraph(body) ?? "";
	return truncateText(text, BUNDLE_LIMITS.summaryChars);
}

/** One mapping counts as a list of one; an entry without an actor says nothing. */
function readVerifications(verified: unknown): readonly Verification[] {
	return listOf(verified).flatMap((entry) => {
		const by = isMapping(entry) ? textOf(entry["by"]) : textOf(entry);
		if (by === undefined) return [];
		return [{ by, at: isMapping(entry) ? parseDay(entry["at"]) : undefined }];
	});
}

/** Keys that are read as something else, or say how the file came about. */
const OTHER_KEYS = new Set(
	"type title description summary tags tag aliases alias sources relations generated verified stale_after timestamp resource source url permalink layout template id slug price_usd former_ids".split(
		" ",
	),
);

/** Undefined when the front matter states nothing else. */
function factsOf(data: FrontMatter): string | undefined {
	const lines = Object.entries(data).flatMap(([key, value]) => {
		// Nearly every file of the format is stable: what all say distinguishes none.
		const isUsual = key === "status" && value === "stable";
		if (isUsual || OTHER_KEYS.has(key.toLowerCase()) || value === null) return [];
		const text = textOf(value) ?? textsOf(value).join(", ");
		if (text === "" || isWebAddress(text)) return [];
		return [`${key.replaceAll(/[-_]+/g, " ")}: ${truncateText(text, BUNDLE_LIMITS.factChars)}`];
	});
	return lines.slice(0, BUNDLE_LIMITS.facts).join("\n") || undefined;
}

/** Derived, never declared: a human's verification outranks a machine's, and none is none. */
function trustOf(verified: readonly Verification[]): TrustTier {
	if (verified.some(({ by }) => by.startsWith("human:"))) return "human-reviewed";
	return verified.length > 0 ? "machine-confirmed" : "unverified";
}

function statusOf(value: unknown): Concept["status"] {
	const status = textOf(value)?.toLowerCase();
	return status === "draft" || status === "deprecated" ? status : "stable";
}

/** Type of the edges that ordinary Markdown links are. */
export const PLAIN_LINK = "links-to";

/** What a file may link to: paths of the bundle's concepts and all other Markdown files it may name without an edge. */
export interface LinkSpace {
	/** Undefined for a path that is no concept. */
	idOf(path: string): string | undefined;
	/** True for listings, logs and the record: real files, but no nodes. */
	isOther(path: string): boolean;
}

/** Edges of one file: `relations`, then plain links; without links to itself and those a typed edge repeats. */
function readEdges(
	path: string,
	{ data, body }: { data: FrontMatter; body: string },
	bundle: LinkSpace,
) {
	/** Paths looked up that are no concept: were one of them a concept, the edges could be others. */
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
	/** Destinations inside the bundle that name no file, as written. */
	const broken = new Set<string>();
	const typedTargets = new Set<string>();

	for (const relation of listOf(data["relations"])) {
		const { edge, missing } = readRelation(path, relation, space);
		if (missing !== undefined) broken.add(missing);
		if (!edge || edge.target === self) continue;
		edges.set(`${edge.type}\n${edge.target}`, edge);
		typedTargets.add(edge.target);
	}
	const follow = (written: string, type: string) => {
		const found = lookUp(path, written, space);
		if (found === "broken") broken.add(written);
		else if (found !== "none" && found.id !== self && !typedTargets.has(found.id)) {
			edges.set(`${type}\n${found.id}`, { type, target: found.id, weight: 1 });
			if (type !== PLAIN_LINK) typedTargets.add(found.id);
		}
	};
	const isConcept = (written: string) => typeof lookUp(path, written, space) === "object";
	for (const address of sourceFilesOf(data)) {
		const fromRoot = fromRootOf(address);
		follow(!isConcept(address) && isConcept(fromRoot) ? fromRoot : address, CITES);
	}
	for (const written of findLinkTargets(body)) follow(written, PLAIN_LINK);
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

/** The type of an edge to a concept that is a source. */
export const CITES = "cites";

/** The samples of the format name sources from the root of the bundle, without its slash. */
function fromRootOf(address: string): string {
	return `/${address}`;
}

/** Where the sources of a concept lie that are files of its bundle: beside it, or from the root. */
export function sourcePathsOf(path: string, data: FrontMatter): readonly string[] {
	return sourceFilesOf(data)
		.flatMap((address) => [address, fromRootOf(address)])
		.flatMap((written) => {
			const target = resolveLink(path, written);
			return target.kind === "internal" ? [target.path] : [];
		});
}

/** Files of the bundle that a concept names as its sources. */
function sourceFilesOf(data: FrontMatter): readonly string[] {
	return data["sources"] === undefined
		? []
		: readEvidence({ sources: data["sources"] }, "").inBundle;
}

/** A relation of the front matter as an edge; `missing` is the target that is no concept. */
export function readRelation(
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

interface SourceDraft {
	readonly id: string | undefined;
	readonly address: string;
	readonly title: string | undefined;
	readonly date: unknown;
	readonly kind?: SourceKind | undefined;
}

/** Evidence from `sources`; without it from a `# Citations` section, as v0.1 of the format had it. */
export function readEvidence(data: FrontMatter, body: string) {
	const fromSources = listOf(data["sources"]).flatMap(toDraft);
	const drafts = fromSources.length > 0 ? fromSources : citationsOf(body);
	const nextSuffixes = new Map<string, number>();
	const evidence: Evidence[] = [];
	const droppedAddresses: string[] = [];
	/** Files of the bundle: sources, but no addresses that anyone else can open. */
	const inBundle: string[] = [];
	for (const draft of drafts.slice(0, BUNDLE_LIMITS.sources)) {
		if (!isWebAddress(draft.address)) {
			const isFile = /^\.{0,2}\/?[^:]*\.md$/i.test(draft.address);
			(isFile ? inBundle : droppedAddresses).push(draft.address.slice(0, 2_000));
			continue;
		}
		const date = parseSourceDate(draft.date);
		evidence.push({
			articleId: claimId(draft.id ?? `s${evidence.length + 1}`, nextSuffixes),
			title: truncateText(draft.title ?? hostAndPath(draft.address), BUNDLE_LIMITS.titleChars),
			sourceUrl: draft.address,
			publishedAt: date?.date,
			datePrecision: date?.precision,
			...(draft.kind && { kind: draft.kind }),
		});
	}
	return {
		evidence,
		droppedAddresses: droppedAddresses.map((address) => address.slice(0, 200)),
		inBundle,
		omitted: Math.max(0, drafts.length - BUNDLE_LIMITS.sources),
	};
}

function toDraft(source: unknown): readonly SourceDraft[] {
	if (typeof source === "string") {
		return [{ id: undefined, address: cleanLine(source), title: undefined, date: undefined }];
	}
	if (!isMapping(source)) return [];
	const date = ["last_modified", "published_at", "published", "date"]
		.map((key) => source[key])
		.find((value) => value !== undefined);
	const address = textOf(source["resource"]) ?? textOf(source["url"]) ?? "";
	const kind = SOURCE_KINDS.find((one) => one === textOf(source["kind"])?.toLowerCase());
	return [{ id: textOf(source["id"]), address, title: textOf(source["title"]), date, kind }];
}

/** One source per line of the section that has an address: `[1] [Title](https://…), 2018-08-01`. */
function citationsOf(body: string): readonly SourceDraft[] {
	const section = toSections(body).find(({ heading }) => heading?.toLowerCase() === "citations");
	return (section?.lines ?? []).flatMap((line) => {
		const link = /\[([^[\]]{1,500})\]\((https?:\/\/[^\s()<>]{1,2000})\)/.exec(line);
		const address =
			link?.[2] ?? trimEnd(/https?:\/\/[^\s<>)\]]{1,2000}/.exec(line)?.[0] ?? "", /[.,;]/);
		if (address === "") return [];
		const rest = line.replace(address, " ");
		const id = /^\s*(?:[-*+]\s+|\d+[.)]\s+)?\[\^?([\w.-]{1,80})\](?!\()/.exec(line)?.[1];
		const label = link?.[1] ?? rest.replace(/^\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:\[\^?[^\]]*\]:?)?/, "");
		const title = trimEnd(toPlainText(label), /[\s.,;:()<>]/) || undefined;
		return [{ id, address, title, date: /\b\d{4}-\d{2}(?:-\d{2})?\b/.exec(rest)?.[0] }];
	});
}

/** Every taken id leads to the first suffix not tried for it yet, so that a thousand of one name take a thousand steps. */
function claimId(wanted: string, nextSuffixes: Map<string, number>): string {
	let id = wanted;
	let suffix = nextSuffixes.get(wanted) ?? 2;
	for (; nextSuffixes.has(id); suffix++) id = `${wanted}-${suffix}`;
	nextSuffixes.set(wanted, suffix);
	if (id !== wanted) nextSuffixes.set(id, 2);
	return id;
}

/** Without the last characters of this kind; an expression anchored at the end alone would start over at each of them. */
function trimEnd(text: string, kind: RegExp): string {
	let end = text.length;
	while (end > 0 && kind.test(text.charAt(end - 1))) end -= 1;
	return text.slice(0, end);
}

function hostAndPath(address: string): string {
	const url = new URL(address);
	return `${url.host}${url.pathname === "/" ? "" : url.pathname}`;
}
