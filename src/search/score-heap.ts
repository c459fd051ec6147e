/** The best slots seen so far: a binary heap with the weakest on top, so that it goes first. */
export interface ScoreHeap {
	/** The score that a slot must reach to be among the best; 0 while there is room. */
	floor(): number;
	/** Equal scores go by slot, the lower one first. Scores are above zero. */
	offer(slot: number, score: number): void;
	/** Best first. */
	drain(): { readonly slots: readonly number[]; readonly scores: readonly number[] };
	clear(): void;
}

export function createScoreHeap(capacity: number): ScoreHeap {
	const slots = new Uint32Array(capacity);
	const scores = new Float64Array(capacity);
	let size = 0;

	const isWeaker = (one: number, other: number): boolean => {
		const difference = (scores[one] as number) - (scores[other] as number);
		return (
			difference < 0 || (difference === 0 && (slots[one] as number) > (slots[other] as number))
		);
	};
	const swap = (one: number, other: number): void => {
		const slot = slots[one] as number;
		const score = scores[one] as number;
		slots[one] = slots[other] as number;
		scores[one] = scores[other] as number;
		slots[other] = slot;
		scores[other] = score;
	};
	const rise = (start: number): void => {
		for (let at = start; at > 0; ) {
			const parent = (at - 1) >>> 1;
			if (!isWeaker(at, parent)) return;
			swap(at, parent);
			at = parent;
		}
	};
	const sink = (): void => {
		for (let at = 0; ; ) {
			const left = 2 * at + 1;
			if (left >= size) return;
			const right = left + 1;
			const weakest = right < size && isWeaker(right, left) ? right : left;
			if (!isWeaker(weakest, at)) return;
			swap(weakest, at);
			at = weakest;
		}
	};
	return {
		floor: () => (size < capacity ? 0 : (scores[0] as number)),
		offer(slot, score) {
			if (size < capacity) {
				slots[size] = slot;
				scores[size] = score;
				rise(size++);
				return;
			}
			const worst = scores[0] as number;
			if (score < worst || (score === worst && slot > (slots[0] as number))) return;
			slots[0] = slot;
			scores[0] = score;
			sink();
		},
		drain() {
			const order = Array.from({ length: size }, (_, at) => at).sort((a, b) =>
				isWeaker(a, b) ? 1 : -1,
			);
			const drained = {
				slots: order.map((at) => slots[at] as number),
				scores: order.map((at) => scores[at] as number),
			};
			size = 0;
			return drained;
		},
		clear() {
			size = 0;
		},
	};
}
