import type { Steps } from "../../../src/knowledge/knowledge.js";

/** Who is linked with whom: by place, the weight of each link, both ways. */
export type Ties = readonly ReadonlyMap<number, number>[];

const LEVELS_MAX = 10;
const PASSES_MAX = 20;

/**
 * Parts that are linked more within than with others, by greedy modularity (Blondel et al. 2008, the Louvain method): places move one by
 * one, in order, to the part that gains most by it, then parts become places. Equal graphs give equal parts. What is linked with
 * nothing is a part by itself.
 */
export function* findCommunities(ties: Ties): Steps<readonly (readonly number[])[]> {
	let parts: readonly (readonly number[])[] = ties.map((_, place) => [place]);
	let level: Ties = ties;
	for (let count = 0; count < LEVELS_MAX; count++) {
		const communities = yield* moveAll(level);
		const groups = groupBy(communities);
		if (groups.length === level.length) break;
		const before = parts;
		parts = groups.map((group) => group.flatMap((place) => before[place] ?? []));
		level = joinTies(level, groups);
		yield;
	}
	return parts;
}

function* moveAll(ties: Ties): Steps<Int32Array> {
	const communities = Int32Array.from(ties.keys());
	const degrees = ties.map((links) => [...links.values()].reduce((sum, weight) => sum + weight, 0));
	const totals = Float64Array.from(degrees);
	const all = degrees.reduce((sum, degree) => sum + degree, 0);
	for (let pass = 0, moved = true; moved && pass < PASSES_MAX; pass++) {
		moved = false;
		for (const [place, links] of ties.entries()) {
			yield;
			const own = communities[place] ?? place;
			const degree = degrees[place] ?? 0;
			totals[own] = (totals[own] ?? 0) - degree;
			const best = bestFor({ place, links, own, degree }, { communities, totals, all });
			totals[best] = (totals[best] ?? 0) + degree;
			communities[place] = best;
			moved ||= best !== own;
		}
	}
	return communities;
}

/** The community whose gain is greatest; the present one where no other gains more. */
function bestFor(
	moving: {
		readonly place: number;
		readonly links: ReadonlyMap<number, number>;
		readonly own: number;
		readonly degree: number;
	},
	{
		communities,
		totals,
		all,
	}: { readonly communities: Int32Array; readonly totals: Float64Array; readonly all: number },
): number {
	const { place, links, own, degree } = moving;
	const weights = new Map<number, number>([[own, 0]]);
	for (const [other, weight] of links) {
		// What a part has within itself moves with it.
		if (other === place) continue;
		const community = communities[other] ?? other;
		weights.set(community, (weights.get(community) ?? 0) + weight);
	}
	const gainOf = (community: number, weight: number) =>
		weight - ((totals[community] ?? 0) * degree) / (all || 1);
	let best = own;
	let most = gainOf(own, weights.get(own) ?? 0);
	for (const [community, weight] of weights) {
		const gain = gainOf(community, weight);
		if (gain > most + Number.EPSILON * all) [best, most] = [community, gain];
	}
	return best;
}

/** Places of each community, in the order of their first ones. */
function groupBy(communities: Int32Array): readonly (readonly number[])[] {
	const groups = new Map<number, number[]>();
	for (const [place, community] of communities.entries()) {
		const group = groups.get(community);
		if (group) group.push(place);
		else groups.set(community, [place]);
	}
	return [...groups.values()];
}

function joinTies(ties: Ties, groups: readonly (readonly number[])[]): Ties {
	const groupOf = new Int32Array(ties.length);
	for (const [at, group] of groups.entries()) for (const place of group) groupOf[place] = at;
	return groups.map((group) => {
		const joined = new Map<number, number>();
		for (const place of group) {
			for (const [other, weight] of ties[place] ?? []) {
				const at = groupOf[other] ?? 0;
				joined.set(at, (joined.get(at) ?? 0) + weight);
			}
		}
		return joined;
	});
}
