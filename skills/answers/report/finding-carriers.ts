import type { CitedSentence } from "../../../src/evidence/evidence.js";
import type { Steps } from "../../../src/knowledge/knowledge.js";
import { compareClaim, toAtomicClaim } from "../../verify/verify.js";
import { isSupported } from "../citation-gate.js";
import type { FindingCluster } from "./finding-clusters.js";

/** Two sentences that cannot both hold. */
interface Pair {
	readonly one: CitedSentence;
	readonly other: CitedSentence;
}

/**
 * Clusters in which nothing denies the first sentence: what does, in the same words though it be, carries no finding of
 * that sentence and begins a cluster of its own.
 */
export function* withoutDeniers(
	clusters: readonly FindingCluster[],
	pairs: readonly Pair[],
): Steps<readonly FindingCluster[]> {
	const apart: FindingCluster[] = [];
	for (const { sentences } of clusters) {
		const [lead, ...others] = sentences;
		const same: CitedSentence[] = [];
		for (const other of others) {
			yield;
			if (areOpposed(lead, other, pairs)) apart.push({ sentences: [other] });
			else same.push(other);
		}
		apart.push({ sentences: [lead, ...same] });
	}
	return apart;
}

/** Those of a cluster that hold the words and numbers of its first sentence, that one included. */
export function carriersOf({
	sentences: [lead, ...others],
}: FindingCluster): readonly [CitedSentence, ...CitedSentence[]] {
	return [lead, ...others.filter(({ text }) => isSupported(lead.text, text))];
}

function areOpposed(one: CitedSentence, other: CitedSentence, pairs: readonly Pair[]): boolean {
	const ids = [one.evidenceId, other.evidenceId];
	const isPair = pairs.some(
		(pair) => ids.includes(pair.one.evidenceId) && ids.includes(pair.other.evidenceId),
	);
	return isPair || denies(one, other) || denies(other, one);
}

function denies({ text }: CitedSentence, claimed: CitedSentence): boolean {
	const { title, aliases } = claimed.concept;
	const names = [title, ...aliases];
	return compareClaim(toAtomicClaim(claimed.text), text, { names }).stance === "refutes";
}
