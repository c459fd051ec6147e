import { createHash, randomBytes } from "node:crypto";

/**
 * Tells whether a name was perhaps added before, at 16 to 32 bytes a name: a whole history of settlements fits in memory.
 * Names are compared by 64 bits, so two may be taken for one: a hit is a reason to look again and proves nothing.
 */
export interface SeenNames {
	/** Adds the name; false when it was certainly not there. */
	add(name: string): boolean;
	/** False when the name was certainly not added. */
	has(name: string): boolean;
}

/** 64 bits that stand for a name; zero is not among them. */
export type MarkOf = (name: string) => bigint;

const FIRST_SLOTS = 1_024;
const FREE = 0n;

/** Open addressing; a free slot holds zero. */
export function createSeenNames(markOf: MarkOf = saltedMarks(randomBytes(16))): SeenNames {
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

/** Payers choose their nonces: without a secret salt they could search for two that share a mark. */
function saltedMarks(salt: Uint8Array): MarkOf {
	return (name) => {
		const mark = createHash("sha256").update(salt).update(name).digest().readBigUInt64LE(0);
		return mark === FREE ? 1n : mark;
	};
}
