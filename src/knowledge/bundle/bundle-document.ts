import { GRAPH_TYPES, type GraphType, READING_LIMITS } from "../../contract/contract.js";
import {
	cleanText,
	type FrontMatter,
	isMapping,
	listOf,
	parseDay,
	parseMarkdown,
	textOf,
	textsOf,
} from "../../documents/documents.js";
import { parseGraphId } from "../../kernel/kernel.js";
import type {
	AnalystProfile,
	ExpertConsent,
	ExpertProfile,
	Finding,
	GraphRecord,
} from "../model/graph.js";
import { SETTABLE_FIELDS } from "../model/graph.js";
import { faultOfConceptPrice, readTerms } from "../model/graph-terms.js";
import { BUNDLE_LIMITS } from "./bundle-limits.js";
import type { ConceptFile } from "./concept-reader.js";

export const RECORD_PATH = "graph.md";

/** Listings and logs are no concepts, at any level. */
export function isReserved(path: string): boolean {
	return /(?:^|\/)(?:index|log)\.md$/.test(path);
}

/** `a` and `a/b` for `a/b/c.md`. */
export function foldersAbove(path: string): readonly string[] {
	const folders: string[] = [];
	for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
		folders.push(path.slice(0, at));
	}
	return folders;
}

/** True for a relative path without dot segments, separators of other systems and characters no id may have. */
export function isConfined(path: string): boolean {
	return (
		!/[\\:?#%\p{Cc}]/u.test(path) &&
		path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..")
	);
}

/** True unless `graph.md` is an ordinary concept of somebody else's bundle. */
export function isRecord({ path, type }: ConceptFile): boolean {
	return path === RECORD_PATH && toGraphType(type) !== undefined;
}

/** A file that can be a concept or the record, or what keeps it from being one; undefined for all other files. */
export function readDocument(path: string, bytes: Uint8Array): ConceptFile | Finding | undefined {
	if (!/\.md$/i.test(path) || isReserved(path)) return undefined;
	const refuse = (rule: Finding["rule"], message: string): Finding => ({
		file: path,
		rule,
		severity: "error",
		message,
	});
	if (!isConfined(path)) {
		return refuse("bad-path", "The path leaves the bundle or holds characters no id may have.");
	}
	if (path.length > READING_LIMITS.nodeIdChars) {
		return refuse("bad-path", `The path has more than ${READING_LIMITS.nodeIdChars} characters.`);
	}
	if (bytes.length > BUNDLE_LIMITS.fileBytes) {
		return refuse("too-large", `The file has more than ${BUNDLE_LIMITS.fileBytes} bytes.`);
	}
	const { data, body, problem } = parseMarkdown(new TextDecoder().decode(bytes));
	const type = textOf(data["type"]);
	if (problem) return refuse("bad-front-matter", problem);
	if (!type) return refuse("no-type", "The front matter has no type, which every concept needs.");
	// The record's price is that of the graph, and read with it.
	const badPrice = faultOfConceptPrice(data);
	if (badPrice !== undefined) return refuse("bad-price", badPrice);
	return { path, type, data, body: cleanText(body).trim() };
}

/** By code unit: the same order on every machine. */
export function compareText(a: string, b: string): number {
	if (a === b) return 0;
	return a < b ? -1 : 1;
}

/** The kind of graph a type names, whatever its case and separators; undefined for other types. */
export function toGraphType(type: string | undefined): GraphType | undefined {
	const normalized = type?.toLowerCase().replace(/[\s_-]+/g, " ");
	return GRAPH_TYPES.find((known) => known === normalized);
}

/**
 * The record from `graph.md`, or from fallbacks. Throws INVALID_ARGUMENT when the id or slug cannot
 * name a graph, and for prices and owners that are none.
 */
export function readRecord(
	{ data, body }: { data: FrontMatter; body: string },
	/** What a bundle says of itself outside its record, for bundles that have none. */
	fallbacks: { readonly id: string; readonly title: string | undefined; readonly updated: string },
): GraphRecord {
	const id = parseGraphId(textOf(data["id"]) ?? fallbacks.id);
	const setFields = textsOf(data["set_by_owner"]);
	const setByOwner = SETTABLE_FIELDS.filter((field) => setFields.includes(field));
	return {
		id,
		slug: parseGraphId(textOf(data["slug"]) ?? id),
		title: textOf(data["title"]) ?? fallbacks.title ?? id,
		type: toGraphType(textOf(data["type"])) ?? "domain",
		version: versionOf(data["version"]),
		updated: parseDay(data["updated"]) ?? fallbacks.updated,
		description: textOf(data["description"]) ?? "",
		about: body.trim(),
		topics: textsOf(data["topics"] ?? data["tags"]),
		exampleQueries: listOf(data["example_queries"])
			.map(textOf)
			.filter((query) => query !== undefined),
		curator: curatorOf(data["curator"]),
		expert: expertOf(data["expert"], id),
		analyst: analystOf(data["analyst"], id),
		terms: readTerms(data, RECORD_PATH),
		...withoutMissing({
			contact: textOf(data["contact"]),
			license: textOf(data["license"] ?? data["licence"]),
			setByOwner: setByOwner.length > 0 ? setByOwner : undefined,
		}),
	};
}

/** Graphs are compared part by part: what is not there has no key. */
function withoutMissing<T extends object>(parts: T): T {
	return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as T;
}

/** `1` and `1.2`, which YAML reads as numbers, are completed to three places. */
function versionOf(value: unknown): string {
	const text = textOf(value) ?? "1.0.0";
	const [major, minor = "0"] = text.split(".");
	return /^\d+(?:\.\d+)?$/.test(text) ? `${major}.${minor}.0` : text;
}

function curatorOf(value: unknown): GraphRecord["curator"] {
	const name = isMapping(value) ? textOf(value["name"]) : textOf(value);
	if (name === undefined) return undefined;
	return { name, note: isMapping(value) ? (textOf(value["note"]) ?? "") : "" };
}

function expertOf(value: unknown, id: string): ExpertProfile | undefined {
	if (!isMapping(value)) return undefined;
	const agentId = textOf(value["agent_id"]) ?? id;
	return {
		agentId,
		name: textOf(value["name"]) ?? agentId,
		headline: textOf(value["headline"]) ?? "",
		// Anyone who does not say that a person answers is taken for a machine.
		isAiTwin: value["is_ai_twin"] !== false,
		disclosure: textOf(value["disclosure"]) ?? "",
		consent: consentOf(value["consent"]),
	};
}

/** An end that is no day has passed: what cannot be read permits nothing. */
function consentOf(value: unknown): ExpertConsent | undefined {
	const basis = isMapping(value) ? textOf(value["basis"]) : textOf(value);
	if (basis === undefined) return undefined;
	const end = isMapping(value) ? (value["until"] ?? undefined) : undefined;
	return { basis, until: end === undefined ? undefined : (parseDay(end) ?? LONG_PAST) };
}

const LONG_PAST = "0001-01-01";

function analystOf(value: unknown, id: string): AnalystProfile | undefined {
	if (!isMapping(value)) return undefined;
	return {
		name: textOf(value["name"]) ?? id,
		domain: textOf(value["domain"]) ?? "",
		method: textOf(value["method"]) ?? "",
	};
}
