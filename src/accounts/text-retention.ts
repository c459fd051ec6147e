import type { AccountRow } from "../../store/store.js";

/** True for accounts that agreed on zero retention: no text of theirs is written anywhere. */
export function keepsNoText({ retention }: AccountRow): boolean {
	return retention === "zero";
}
