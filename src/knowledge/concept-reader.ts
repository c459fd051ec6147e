import type { TrustTier } from "../contract/contract.js";
import { BUNDLE_LIMITS } from "./bundle-limits.js";
import { type LinkSpace, readEdges } from "./edge-reader.js";
import { readEvidence } from "./evidence-reader.js";
import type { ReportFinding } from "./finding.js";
import { type FrontMatter, isMapping, listOf, textOf, textsOf } from "./front-matter.js";
import type { Concept, Verification } from "./graph.js";
import { firstHeading, firstParagraph } from "./markdown-prose.js";
import { truncateText } from "./served-text.js";
import { parseDay } from "./source-date.js";

/** A file that passed the one hard requirement, a `type`; its body is clean already. */
export interface ConceptFile {
	readonly path: string;
	readonly type: string;
	readonly data: FrontMatter;
	readonly body: string;
}

export interface ConceptReading {
	readonly concept: Concept;
	/** See `EdgeReading`. */
	readonly awaited: readonly string[];
}

/** Path without `.md`, `/` written as `.`: the id that appears in public identifiers. */
export function toConceptId(path: string): string {
	return path.replace(/\.md$/i, "").replaceAll("/", ".");
}

/** Maps one file to a node. Missing optionals have fallbacks, unknown keys are passed over, nothing here throws. */
export function readConcept(
	file: ConceptFile,
	space: LinkSpace,
	report: ReportFinding,
): ConceptReading {
	const { path, type, data, body } = file;
	const { evidence, droppedAddresses, omitted } = readEvidence(data, body);
	for (const address of droppedAddresses) {
		report({
			file: path,
			rule: "bad-address",
			severity: "warning",
			message: `The source address "${address}" is not an http or https address and is left out.`,
		});
	}
	if (omitted > 0) {
		report({
			file: path,
			rule: "too-many-sources",
			severity: "warning",
			message: `Only the first ${BUNDLE_LIMITS.sources} sources of the file are kept; ${omitted} are left out.`,
		});
	}
	const { edges, broken, awaited } = readEdges(path, file, space);
	for (const target of broken) {
		report({
			file: path,
			rule: "broken-link",
			severity: "warning",
			message: `The link to "${target.slice(0, 200)}" leads to no concept of this graph.`,
		});
	}
	const generated = isMapping(data["generated"]) ? data["generated"] : {};
	const verified = readVerifications(data["verified"]);
	const concept: Concept = {
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
	};
	return { concept, awaited };
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
		return by === undefined
			? []
			: [{ by, at: isMapping(entry) ? parseDay(entry["at"]) : undefined }];
	});
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
