import { contentTerms, jaccard } from "../../src/evidence/evidence.js";
import { DOSSIER_LIMITS, type DossierDiff, type DossierWire } from "./dossier-wire.js";

type Finding = DossierWire["findings"][number];
type Compared = Pick<DossierWire, "findings" | "citations">;

/** Share of words in common from which one finding is another one changed (Jaccard). */
const SAME_FINDING = 0.6;

/**
 * What a newer dossier says that an older one did not, and the other way round. A finding in the same words with the same
 * confidence is unchanged; one in nearly the same words, or of another confidence, is changed.
 */
export function compareDossiers(before: Compared, after: Compared): DossierDiff {
	const left = new Set(before.findings);
	const take = (match: Finding | undefined) => {
		if (match) left.delete(match);
		return match;
	};
	// Equal ones first, so that no other finding takes their place.
	const equals = after.findings.map(({ statement }) =>
		take([...left].find((other) => other.statement === statement)),
	);
	const pairs = after.findings.map((finding, place) => ({
		finding,
		earlier: equals[place] ?? take(mostAlike(finding, left)),
	}));
	const idsOf = new Map(before.citations.map(({ n, evidence_id: id }) => [n, id]));
	const changed = pairs.flatMap(({ finding, earlier }) =>
		earlier && !isSame(earlier, finding) ? [toChange(earlier, finding)] : [],
	);
	const added = pairs.filter(({ earlier }) => !earlier).map(({ finding }) => finding);
	const { changesMax } = DOSSIER_LIMITS;
	return {
		added: added
			.slice(0, changesMax)
			.map(({ statement, citation_ids }) => ({ statement, citation_ids })),
		removed: [...left].slice(0, changesMax).map(({ statement, citation_ids: ids }) => ({
			statement,
			evidence_ids: ids.flatMap((n) => idsOf.get(n) ?? []),
		})),
		changed: changed.slice(0, changesMax),
		unchanged: pairs.length - added.length - changed.length,
	};
}

function isSame(one: Finding, other: Finding): boolean {
	return one.statement === other.statement && one.confidence === other.confidence;
}

function toChange(before: Finding, after: Finding): DossierDiff["changed"][number] {
	return {
		statement: after.statement,
		before: before.statement,
		confidence: { before: before.confidence, after: after.confidence },
		citation_ids: after.citation_ids,
	};
}

function mostAlike(finding: Finding, others: Iterable<Finding>): Finding | undefined {
	const terms = contentTerms(finding.statement);
	const ranked = [...others]
		.map((other) => ({ other, likeness: jaccard(terms, contentTerms(other.statement)) }))
		.sort((a, b) => b.likeness - a.likeness);
	const [best] = ranked;
	return best && best.likeness >= SAME_FINDING ? best.other : undefined;
}
