import type { DenseSide } from "../dense/dense-side.js";
import type { SearchScope } from "../index/index-state.js";
import { FOREIGN_QUESTIONS } from "./foreign-questions.js";

/**
 * How close the nearest text of a graph comes to questions that have nothing to do with it: it comes the closer, the more texts there
 * are. Cosines of another model lie elsewhere, too; measured against this, they all say the same.
 */
export interface QuestionBackground {
	readonly mean: number;
	/** Standard deviation, above zero. */
	readonly spread: number;
}

/** A graph holds something on a few of any questions: the closest are left out. */
const FOREIGN_SHARE = 0.9;
const MIN_SPREAD = 0.01;
/** A graph that has grown or shrunk by less keeps its background. */
const SAME_SIZE = 0.1;

interface Measured {
	readonly rows: number;
	readonly sha256: string;
	readonly background: Promise<QuestionBackground | undefined>;
}

type QuestionSide = Pick<DenseSide, "search">;

/** Measures each graph when it is first asked about, and again once it has changed much. */
export function createQuestionBackgrounds(denseSide: QuestionSide | undefined) {
	const measured = new Map<string, Measured>();
	let last: Promise<unknown> = Promise.resolve();
	/** One graph after the other: the questions of many at once would leave no room for those of callers. */
	const measureInTurn = (dense: QuestionSide, scopesNow: () => readonly SearchScope[]) => {
		// What was there when it was asked for may have been freed by the time of its turn.
		const background = last.then(() => measure(dense, scopesNow())).catch(() => undefined);
		last = background;
		return background;
	};
	return {
		/**
		 * Of one graph's scopes, all of them, without a filter, as they are whenever they are asked for. Undefined without vectors, and when the
		 * model gives none in time; a later call tries again.
		 */
		async of(scopesNow: () => readonly SearchScope[]): Promise<QuestionBackground | undefined> {
			const scopes = scopesNow();
			const id = scopes[0]?.segment.graphId;
			const rows = scopes.reduce(
				(sum, { segment }) => sum + (segment.vectors?.scales.length ?? 0),
				0,
			);
			const sha256 = scopes[0]?.segment.vectors?.embedder.sha256;
			if (!denseSide || id === undefined || sha256 === undefined || rows === 0) return undefined;
			const known = measured.get(id);
			const isSame =
				known?.sha256 === sha256 && Math.abs(rows - known.rows) <= SAME_SIZE * known.rows;
			if (known && isSame) return known.background;
			const background = measureInTurn(denseSide, scopesNow);
			measured.set(id, { rows, sha256, background });
			const found = await background;
			if (!found && measured.get(id)?.background === background) measured.delete(id);
			return found;
		},
		/** Forgets graphs that are no longer there. */
		keepOnly(ids: ReadonlyMap<string, unknown>): void {
			for (const id of measured.keys()) if (!ids.has(id)) measured.delete(id);
		},
	};
}

async function measure(
	denseSide: QuestionSide,
	scopes: readonly SearchScope[],
): Promise<QuestionBackground | undefined> {
	const toSearch = scopes.flatMap(({ vectors, base, mask }) =>
		vectors ? [{ vectors, base, mask }] : [],
	);
	const found = await Promise.all(
		FOREIGN_QUESTIONS.map((query) =>
			denseSide.search({ query, scopes: toSearch, count: 1 }).catch(() => undefined),
		),
	);
	const tops = found.flatMap((hits) => hits?.cosines[0] ?? []);
	return tops.length < FOREIGN_QUESTIONS.length ? undefined : toBackground(tops);
}

/** Mean and standard deviation of the closest text's cosine over all but the closest questions. */
export function toBackground(tops: readonly number[]): QuestionBackground {
	const kept = [...tops].sort((a, b) => a - b).slice(0, Math.ceil(FOREIGN_SHARE * tops.length));
	const mean = kept.reduce((sum, top) => sum + top, 0) / kept.length;
	const variance = kept.reduce((sum, top) => sum + (top - mean) ** 2, 0) / kept.length;
	return { mean, spread: Math.max(MIN_SPREAD, Math.sqrt(variance)) };
}
