/** The models that search and verification run on, sold by themselves: texts to vectors, documents in the order in which they answer. */
import { createBoundedWork } from "../../src/contract/contract.js";
import { ServiceError, unavailable } from "../../src/kernel/kernel.js";

/** Calls that take turns, and how many more may wait: what they hold stays a matter of megabytes. */
const CALLS = { running: 8, waiting: 24 } as const;

interface PieceBounds {
	readonly itemsMax: number;
	/** A single item may have more. */
	readonly charsMax: number;
}

interface ModelWork<Item, Result> {
	readonly items: readonly Item[];
	/** One result for each item of a piece, in order. */
	readonly ask: (piece: readonly Item[]) => Promise<readonly Result[]>;
	readonly signal: AbortSignal;
}

/**
 * Long work for a model that searches wait for: it goes there in small pieces, one at a time of all calls together, so that a search
 * waits for one piece at most and a short call does not wait for a long one. Resolves to one result for each item, in order. Rejects
 * with the signal's reason once it is aborted, after which no piece is begun; with RATE_LIMITED when too many calls wait, and with
 * UNAVAILABLE when the model fails.
 */
export function createModelWork<Item>(
	what: string,
	charsOf: (item: Item) => number,
	bounds: PieceBounds,
) {
	const inCalls = createBoundedWork(CALLS);
	const inPieces = createBoundedWork({ running: 1, waiting: CALLS.running });
	return <Result>({ items, ask, signal }: ModelWork<Item, Result>): Promise<readonly Result[]> =>
		inCalls(async () => {
			const results = new Array<Result>(items.length);
			for (const places of toPieces(items.map(charsOf), bounds)) {
				const piece = places.map((place) => items[place] as Item);
				const found = await inPieces(() => ask(piece).catch(withoutDetails(what)), signal);
				places.forEach((place, at) => {
					results[place] = found[at] as Result;
				});
			}
			return results;
		}, signal);
}

/** What a model says of its failure may name folders of the machine; that is for the operator. */
function withoutDetails(what: string): (error: unknown) => never {
	return (error) => {
		if (!(error instanceof ServiceError)) throw error;
		throw unavailable(`${what} of this server gives no answer right now; try again in a moment.`, {
			cause: error,
		});
	};
}

/** Places of items, in pieces; items of like length stand together, so that little is spent on padding. */
function toPieces(chars: readonly number[], { itemsMax, charsMax }: PieceBounds): number[][] {
	const places = chars.map((_, place) => place);
	places.sort((a, b) => (chars[a] ?? 0) - (chars[b] ?? 0));
	const pieces: number[][] = [];
	let piece: number[] = [];
	let taken = 0;
	for (const place of places) {
		const count = chars[place] ?? 0;
		if (piece.length === itemsMax || (piece.length > 0 && taken + count > charsMax)) {
			pieces.push(piece);
			piece = [];
			taken = 0;
		}
		piece.push(place);
		taken += count;
	}
	return piece.length > 0 ? [...pieces, piece] : pieces;
}
