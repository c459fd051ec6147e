import { isDamage } from "./damage.js";

/** Whether what is on the disk is still what was written. */
export interface DamageLog {
	note(): void;
	isIntact(): boolean;
	/**
	 * Notes the damage that a look at the journal finds, but not that it could not look. A look at the whole journal that
	 * finds nothing clears what was noted before it began: what was wrong has been put right.
	 */
	watch<T>(look: () => Promise<T>, options: { isWhole: boolean }): Promise<T>;
}

export function createDamageLog(): DamageLog {
	let damages = 0;
	const note = () => {
		damages += 1;
	};
	return {
		note,
		isIntact: () => damages === 0,
		async watch(look, { isWhole }) {
			const before = damages;
			try {
				const result = await look();
				if (isWhole && damages === before) damages = 0;
				return result;
			} catch (error) {
				if (isDamage(error)) note();
				throw error;
			}
		},
	};
}
