import type { DenseSide } from "./dense/dense-side.js";
import type { PairJudge } from "./judge/pair-judge.js";
import type { Embedder } from "./model/embedder.js";

/** Runs what is asked of a model: the encoder gives a query's vector with what is near it, or vectors of texts; the judge reads pairs. */
export type TimeModel = <T>(model: "encoder" | "judge", work: () => Promise<T>) => Promise<T>;

/** Where no one takes the time, each of them is what it was. */
export function createModelTiming(time: TimeModel | undefined) {
	return {
		denseSide: (denseSide: DenseSide | undefined): DenseSide | undefined =>
			time && denseSide
				? { ...denseSide, search: (asked) => time("encoder", () => denseSide.search(asked)) }
				: denseSide,
		judge: (judge: PairJudge | undefined): PairJudge | undefined =>
			time && judge
				? { ...judge, read: (...asked) => time("judge", () => judge.read(...asked)) }
				: judge,
		embedder: <E extends Embedder>(embedder: E | undefined): E | undefined =>
			time && embedder
				? {
						...embedder,
						embed: (...asked: Parameters<Embedder["embed"]>) =>
							time("encoder", () => embedder.embed(...asked)),
					}
				: embedder,
	};
}
