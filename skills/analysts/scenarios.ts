import type { Momentum } from "../../src/evidence/evidence.js";
import { CONSULT_LIMITS } from "../experts/experts.js";
import type { ScenarioName } from "./analyst-wire.js";

/** What speaks for more of something, for things as they are, for less of it. */
export type Votes = Readonly<Record<ScenarioName, number>>;

export interface ScenarioOdds {
	/** Three decimals, adding up to 1. */
	readonly probabilities: Votes;
	readonly votes: Votes;
	/** True below CONSULT_LIMITS.sampleLeast votes: then the numbers say little beyond "nobody knows". */
	readonly isSmallSample: boolean;
}

/** Fewer dated sources than these move nothing. */
const SOURCES_LEAST = 3;

/** The vote of one concept by the momentum of its dated sources; undefined where none is dated within two years. */
export function voteOf({ score, recent, before }: Momentum): ScenarioName | undefined {
	if (recent + before === 0) return undefined;
	if (score === 0 || recent + before < SOURCES_LEAST) return "base";
	return score > 0 ? "upside" : "downside";
}

/**
 * Probabilities of three scenarios by counting votes, one of each added (Laplace's rule of succession):
 * P(s) = (votes(s) + 1) / (all votes + 3). Votes are one for each concept by the momentum of its sources, one for each
 * argument for (upside) and against (downside), one for each open question (base), and one for the side of the thesis.
 */
export function oddsOf(votes: Votes): ScenarioOdds {
	const count = votes.base + votes.upside + votes.downside;
	const share = (name: ScenarioName) => Math.round(((votes[name] + 1) / (count + 3)) * 1000);
	const [upside, downside] = [share("upside"), share("downside")];
	const probabilities = {
		base: (1000 - upside - downside) / 1000,
		upside: upside / 1000,
		downside: downside / 1000,
	};
	return { probabilities, votes, isSmallSample: count < CONSULT_LIMITS.sampleLeast };
}
