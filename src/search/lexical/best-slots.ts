/** The best slots offered so far, kept in order: for a few dozen, moving the weaker ones down is cheaper than a heap. */
export interface BestSlots {
	/** The score that a slot must reach to be among the best; 0 while there is room. */
	floor(): number;
	/** Equal scores go by slot, the lower one first. Scores are above zero. */
	offer(slot: number, score: number): void;
	/** Best first; nothing may be offered any more. */
	list(): { readonly slots: readonly number[]; readonly scores: readonly number[] };
}

export function createBestSlots(capacity: number): BestSlots {
	const slots: number[] = [];
	const scores: number[] = [];
	let size = 0;
	let floor = 0;
	const isBefore = (at: number, slot: number, score: number): boolean => {
		const other = scores[at] as number;
		return other > score || (other === score && (slots[at] as number) < slot);
	};
	return {
		floor: () => floor,
		offer(slot, score) {
			if (size === capacity && (score < floor || isBefore(size - 1, slot, score))) return;
			let at = size < capacity ? size++ : size - 1;
			for (; at > 0 && !isBefore(at - 1, slot, score); at--) {
				slots[at] = slots[at - 1] as number;
				scores[at] = scores[at - 1] as number;
			}
			slots[at] = slot;
			scores[at] = score;
			if (size === capacity) floor = scores[size - 1] as number;
		},
		list: () => ({ slots, scores }),
	};
}
