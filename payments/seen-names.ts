import { createHash } from "node:crypto";

/** Tells whether a name was added before, at 16 to 32 bytes a name: a whole history of settlements fits in memory. */
export interface SeenNames {
	/** Adds the name; true when it was there. Names are compared by 64 bits of their SHA-256. */
	add(name: string): boolean;
	has(name: string): boolean;
}

const FIRST_SLOTS = 1_024;
const FREE = 0n;

/** Open addressing; a free slot holds zero. */
export function createSeenNames(): SeenNames {
	let slots = new BigUint64Array(FIRST_SLOTS);
	let size = 0;
	const grow = () => {
		const kept = slots;
		slots = new BigUint64Array(2 * kept.length);
		for (const mark of kept) if (mark !== FREE) slots[slotOf(slots, mark)] = mark;
	};
	return {
		add(name) {
			const mark = markOf(name);
			const slot = slotOf(slots, mark);
			if (slots[slot] === mark) return true;
			slots[slot] = mark;
			size += 1;
			if (size * 2 > slots.length) grow();
			return false;
		},
		has(name) {
			const mark = markOf(name);
			return slots[slotOf(slots, mark)] === mark;
		},
	};
}

/** Where the mark is, or else the free slot where it belongs. */
function slotOf(slots: BigUint64Array, mark: bigint): number {
	const last = slots.length - 1;
	let slot = Number(mark & BigInt(last));
	while (slots[slot] !== FREE && slots[slot] !== mark) slot = (slot + 1) & last;
	return slot;
}

function markOf(name: string): bigint {
	const mark = createHash("sha256").update(name).digest().readBigUInt64LE(0);
	return mark === FREE ? 1n : mark;
}
