import { type AccessScope, namesOperation } from "../src/contract/contract.js";
import { ServiceError } from "../src/kernel/kernel.js";
import type { Purchase } from "./payment-method.js";

/** Throws SCOPE_FORBIDDEN for a purchase outside the scope; `subject` is what has it: "token", "key". */
export function assertInScope(
	{ skills, graphs }: AccessScope,
	{ quote: { operationId }, graphIds }: Pick<Purchase, "quote" | "graphIds">,
	subject: string,
): void {
	const refuse = (what: string) =>
		new ServiceError("SCOPE_FORBIDDEN", `This ${subject} may not pay for "${what}".`);
	if (skills.length > 0 && !namesOperation(skills, operationId)) throw refuse(operationId);
	if (graphs.length === 0) return;
	// A skill that chooses its graphs itself cannot promise to stay within them.
	const foreign =
		graphIds.length === 0 ? "all graphs" : graphIds.find((id) => !graphs.includes(id));
	if (foreign) throw refuse(foreign);
}
