import { contentTerms, jaccard } from "../../src/evidence/evidence.js";
import { DOSSIER_LIMITS, type DossierDiff, type DossierWire } from "./dossier-wire.js";

type Compared = Pick<DossierWire, "citations"> & {
	readonly findings: readonly Pick<
		DossierWire["findings"][number],
		"statement" | "confidence" | "citation_ids"
	>[];
} & Partial<Pick<DossierWire, "summary" | "table">>;

/** A passage, wherever in its dossier it stands. */
interface Said {
	readonly statement: string;
	readonly confidence: number;
	readonly citation_ids: number[];
	readonly evidenceIds: readonly string[];
}

/** Share of words in common from which one passage is another one changed (Jaccard), and how much the same evidence id counts for it. */
const SAME_PASSAGE = 0.6;
const SAME_EVIDENCE = 0.3;

/**
 * What a newer dossier quotes that an older one did not, and the other way round, wherever in them it stands. A passage in the same
 * words with the same confidence is unchanged; one in nearly the same words, or of another confidence, is changed.
 */
export function compareDossiers(before: Compared, after: Compared): DossierDiff {
	const saidBefore = listSaid(before);
	const left = new Set(saidBefore);
	const take = (match: Said | undefined) => {
		if (match) left.delete(match);
		return match;
	};
	const said = listSaid(after);
	// Equal ones first, so that no other passage takes their place.
	const equals = said.map(({ statement }) =>
		take([...left].find((other) => other.statement === statement)),
	);
	const pairs = said.map((one, place) => ({
		one,
		earlier: equals[place] ?? take(mostAlike(one, left)),
	}));
	const changed = pairs.flatMap(({ one, earlier }) => (earlier ? changeOf(earlier, one) : []));
	const added = pairs.filter(({ earlier }) => !earlier).map(({ one }) => one);
	const { changesMax } = DOSSIER_LIMITS;
	return {
		added: added
			.slice(0, changesMax)
			.map(({ statement, citation_ids }) => ({ statement, citation_ids })),
		removed: [...left].slice(0, changesMax).map(({ statement, evidenceIds }) => ({
			statement,
			evidence_ids: [...evidenceIds],
		})),
		changed: changed.slice(0, changesMax),
		unchanged: pairs.length - added.length - changed.length,
	};
}

/** Its passages; what a language model wrote of them is none. */
function listSaid({ summary = [], table = null, findings, citations }: Compared): readonly Said[] {
	const idsOf = new Map(citations.map(({ n, evidence_id: id }) => [n, id]));
	const cells = table?.rows.flatMap((row) => row.cells.flatMap((cell) => cell ?? [])) ?? [];
	const quoted = [...summary, ...cells].flatMap(({ text, confidence, citation_ids }) =>
		confidence === undefined ? [] : [{ statement: text, confidence, citation_ids }],
	);
	return [...quoted, ...findings].map(({ statement, confidence, citation_ids }) => ({
		...{ statement, confidence, citation_ids },
		evidenceIds: citation_ids.flatMap((n) => idsOf.get(n) ?? []),
	}));
}

/** What changed between two versions of a passage; nothing where both say the same. */
function changeOf(before: Said, after: Said): DossierDiff["changed"] {
	const { statement, confidence, citation_ids } = after;
	if (before.statement === statement && before.confidence === confidence) return [];
	const confidences = { before: before.confidence, after: confidence };
	return [{ statement, before: before.statement, confidence: confidences, citation_ids }];
}

function mostAlike(one: Said, others: Iterable<Said>): Said | undefined {
	const terms = contentTerms(one.statement);
	const ids = new Set(one.evidenceIds);
	const ranked = [...others]
		.map((other) => {
			const isOfOne = other.evidenceIds.some((id) => ids.has(id));
			const likeness = jaccard(terms, contentTerms(other.statement));
			return { other, likeness: likeness + (isOfOne ? SAME_EVIDENCE : 0) };
		})
		.sort((a, b) => b.likeness - a.likeness);
	const [best] = ranked;
	return best && best.likeness >= SAME_PASSAGE ? best.other : undefined;
}
