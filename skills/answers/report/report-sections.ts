import { type CitedSentence, daysOf } from "../../../src/evidence/evidence.js";
import { groupSources } from "./findings.js";

const DAY_MS = 86_400_000;

/** Something the evidence leaves open. */
export interface ReportGap<S extends CitedSentence = CitedSentence> {
	readonly kind: "not_covered" | "open_question" | "single_source" | "outdated" | "undated";
	readonly message: string;
	/** The sentence that says so itself; absent where the report counts. */
	readonly sentence?: S | undefined;
}

/** Sentences in which evidence says itself what is not known. */
const OPEN =
	/\b(?:open (?:question|issue)s?|unclear|not (?:yet )?(?:known|clear|settled|decided|measured|specified)|remains? (?:open|unclear|undecided)|undecided|unresolved|(?:does|do) not (?:say|tell|specify|state)|no (?:data|figures|evidence))\b/i;
const OPEN_MAX = 5;
const OLD_DAYS = 3 * 365;

/** What is not known: words nothing covers, questions the evidence leaves open itself, findings of one publisher, old or undated sources. */
export function findGaps<S extends CitedSentence>(found: {
	readonly missing: readonly string[];
	readonly sentences: readonly S[];
	/** Independent sources of each finding. */
	readonly groups: readonly number[];
	readonly profile: Pick<ReturnType<typeof profileSources>, "date_span" | "undated">;
	readonly asOf: string;
}): readonly ReportGap<S>[] {
	const { missing, sentences, groups, profile, asOf } = found;
	const {
		undated,
		date_span: { newest },
	} = profile;
	const single = groups.filter((count) => count <= 1).length;
	const isOld = newest !== null && Date.parse(asOf) - Date.parse(newest) > OLD_DAYS * DAY_MS;
	const gaps: (ReportGap<S> | false)[] = [
		missing.length > 0 && {
			kind: "not_covered",
			message: `Nothing covers: ${missing.join(", ")}.`,
		},
		...sentences
			.filter(({ text }) => OPEN.test(text))
			.slice(0, OPEN_MAX)
			.map((sentence) => ({ kind: "open_question" as const, message: sentence.text, sentence })),
		single > 0 && {
			kind: "single_source",
			message: `${single} of ${groups.length} findings rest on one publisher alone.`,
		},
		isOld && { kind: "outdated", message: `The newest source dates from ${newest}.` },
		undated > 0 && { kind: "undated", message: `${undated} sources have no date.` },
	];
	return gaps.filter((gap) => gap !== false);
}

const PUBLISHERS_MAX = 10;

/** What a report rests on, in numbers; tiers count sentences by how their concept was checked. */
export function profileSources(sentences: readonly CitedSentence[]) {
	const tiers = { "human-reviewed": 0, "machine-confirmed": 0, unverified: 0 };
	for (const { concept } of sentences) tiers[concept.trust] += 1;
	const all = sentences.flatMap(({ sources }) => sources);
	const distinct = [...new Map(all.map((source) => [source.sourceUrl, source])).values()];
	const groups = groupSources(distinct);
	return {
		tiers,
		sources: distinct.length,
		independent_groups: groups.length,
		publishers: groups
			.map(({ publisher, sources }) => ({ publisher, sources: sources.length }))
			.sort((a, b) => b.sources - a.sources)
			.slice(0, PUBLISHERS_MAX),
		date_span: daysOf(distinct.map(({ publishedAt }) => publishedAt)),
		undated: distinct.filter(({ publishedAt }) => publishedAt === undefined).length,
	};
}
