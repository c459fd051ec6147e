import type { BundleReading } from "../../src/knowledge/bundle/bundle-reader.js";
import type { Concept, Finding, Graph } from "../../src/knowledge/model/graph.js";

/** What reading alone does not show: faults of a whole graph. Errors are what must not be sold. */
type LintRule =
	| Finding["rule"]
	| "orphan"
	| "uncited"
	| "undated-source"
	| "future-date"
	| "stale"
	| "duplicate-title"
	| "duplicate-alias"
	| "undisclosed-expert"
	| "no-consent"
	| "no-description";

interface LintFinding {
	readonly file: string;
	readonly rule: LintRule;
	readonly severity: Finding["severity"] | "note";
	readonly message: string;
}

interface LintOptions {
	/** `YYYY-MM-DD`: later dates are in the future, earlier `stale_after` dates have passed. */
	readonly today: string;
}

type Complaint = Omit<LintFinding, "file">;

/** What reading found and only the whole graph shows, in path order; errors are what must not be sold. */
export function lintGraph(
	{ graph, findings }: BundleReading,
	options: LintOptions,
): readonly LintFinding[] {
	const linked = new Set(graph.concepts.flatMap(({ edges }) => edges.map(({ target }) => target)));
	const found = [
		...findings,
		...lintRecord(graph, options),
		...graph.concepts.flatMap((concept) =>
			[...lintConcept(concept, linked), ...lintDates(concept, options.today)].map(
				(complaint): LintFinding => ({ file: concept.path, ...complaint }),
			),
		),
		...duplicates(graph.concepts, "duplicate-title", ({ title }) => [title]),
		...duplicates(graph.concepts, "duplicate-alias", ({ aliases }) => aliases),
	];
	return found.sort((a, b) => (a.file === b.file ? 0 : a.file < b.file ? -1 : 1));
}

function lintRecord({ record }: Graph, { today }: LintOptions): readonly LintFinding[] {
	const complaints: Complaint[] = [];
	if (record.description === "") {
		complaints.push(warn("no-description", "The record has no description."));
	}
	if (record.updated > today) complaints.push(future("updated", record.updated));
	if (record.type === "expert" && !record.expert?.disclosure) {
		complaints.push(
			fail(
				"undisclosed-expert",
				"An expert graph must disclose what speaks: expert.disclosure is missing.",
			),
		);
	}
	complaints.push(...lintConsent(record, today));
	return complaints.map((complaint) => ({ file: "graph.md", ...complaint }));
}

/** Such an expert stays on sale as a graph, and cannot be consulted. */
function lintConsent({ type, expert }: Graph["record"], today: string): readonly Complaint[] {
	if (type !== "expert" || !expert) return [];
	const { consent } = expert;
	if (!consent) {
		const how =
			"give expert.consent a basis: synthetic where no person stands behind it, else where the person's consent is recorded.";
		return [warn("no-consent", `The expert cannot be consulted: ${how}`)];
	}
	if (consent.until === undefined || consent.until >= today) return [];
	return [warn("no-consent", `The expert's consent ended on ${consent.until}.`)];
}

function lintConcept(concept: Concept, linked: ReadonlySet<string>): readonly Complaint[] {
	const { evidence, edges, id, summary } = concept;
	return [
		...(evidence.length === 0 ? [warn("uncited", "The concept names no source.")] : []),
		...(edges.length === 0 && !linked.has(id)
			? [warn("orphan", "No link leads to this concept or away from it.")]
			: []),
		...(summary === ""
			? [warn("no-description", "The concept has neither description nor prose.")]
			: []),
		...evidence
			.filter(({ publishedAt }) => publishedAt === undefined)
			.map(({ articleId }) =>
				note("undated-source", `The source "${articleId}" has no date that can be read.`),
			),
	];
}

function lintDates(concept: Concept, today: string): readonly Complaint[] {
	const { evidence, generatedAt, staleAfter } = concept;
	const complaints = evidence.flatMap(({ articleId, publishedAt }) =>
		publishedAt && publishedAt > today ? future(articleId, publishedAt) : [],
	);
	if (generatedAt && generatedAt > today) complaints.push(future("generated", generatedAt));
	if (staleAfter && staleAfter < today) {
		complaints.push(warn("stale", `The concept was to be checked again by ${staleAfter}.`));
	}
	return complaints;
}

/** A name that two concepts carry leads a search to the wrong one half of the time. */
function duplicates(
	concepts: readonly Concept[],
	rule: LintRule,
	namesOf: (concept: Concept) => readonly string[],
): readonly LintFinding[] {
	const firstPath = new Map<string, string>();
	return concepts.flatMap((concept) =>
		namesOf(concept).flatMap((name) => {
			const key = name.toLowerCase();
			const first = firstPath.get(key) ?? concept.path;
			firstPath.set(key, first);
			if (first === concept.path) return [];
			return [{ file: concept.path, ...warn(rule, `"${name}" also names "${first}".`) }];
		}),
	);
}

function future(what: string, day: string): Complaint {
	return fail("future-date", `The date ${day} of "${what}" lies in the future.`);
}

const complain =
	(severity: LintFinding["severity"]) =>
	(rule: LintRule, message: string): Complaint => ({ rule, severity, message });
const fail = complain("error");
const warn = complain("warning");
const note = complain("note");
