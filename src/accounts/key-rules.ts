import { isUsable } from "../../payments/plan/plan.js";
import type { KeyRow, StoreReader } from "../../store/store.js";
import { ServiceError } from "../kernel/kernel.js";

/** Whoever manages an account can make a key without limits, so limits on such a key would be none. */
export function assertSound(row: KeyRow): void {
	const { skills, graphs, maxTotalMicros, maxPerMonthMicros } = row;
	const isLimited =
		(skills ?? []).length > 0 ||
		(graphs ?? []).length > 0 ||
		maxTotalMicros !== undefined ||
		maxPerMonthMicros !== undefined;
	if (!isManager(row) || !isLimited) return;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		"A key that manages its account has no scopes and no caps; leave manages_account out, or the limits.",
	);
}

/**
 * Throws INVALID_ARGUMENT where an account would be left that nobody can change or erase: without this key none of its
 * keys manages it, and no identity token opens it.
 */
export async function assertStillManaged(
	reader: StoreReader,
	row: KeyRow,
	now: number,
): Promise<void> {
	const manages = (key: KeyRow) => isManager(key) && isUsable(key, now);
	if (!manages(row)) return;
	const account = await reader.get("accounts", row.accountId);
	if (account?.subjectHash !== undefined) return;
	const keys = await reader.findBy("keys", "accountId", row.accountId);
	if (keys.some((key) => key.id !== row.id && manages(key))) return;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		"This is the last key that manages its account; make another one first (manages_account), or erase the account.",
	);
}

function isManager({ isManager: manages = true }: KeyRow): boolean {
	return manages;
}
