import { formatUsd, type Micros, ServiceError, toIsoTime } from "../../src/kernel/kernel.js";
import type { TokenRow } from "../../store/store.js";
import type { SptTerms } from "./spt-issuer.js";

/** What a holder asks for somebody else; whatever is left out is as the parent's. */
export interface DelegationTerms {
	readonly amountMicros: Micros;
	readonly label?: string | undefined;
	readonly expiresAt?: number | undefined;
	readonly maxPerCallMicros?: Micros | undefined;
	readonly maxPerDayMicros?: Micros | undefined;
	readonly skills?: readonly string[] | undefined;
	readonly graphs?: readonly string[] | undefined;
}

type Narrowed = Pick<
	SptTerms,
	"expiresAt" | "maxPerCallMicros" | "maxPerDayMicros" | "skills" | "graphs"
>;

/** A child's limits, scopes and expiry: its parent's, or tighter ones. Throws SCOPE_FORBIDDEN for wider ones. */
export function narrowTerms(parent: TokenRow, terms: DelegationTerms): Narrowed {
	const maxPerCallMicros = lower(
		"max_per_call_usd",
		parent.maxPerCallMicros,
		terms.maxPerCallMicros,
	);
	const maxPerDayMicros = lower("max_per_day_usd", parent.maxPerDayMicros, terms.maxPerDayMicros);
	const expiresAt = earlier(parent.expiresAt, terms.expiresAt);
	return {
		skills: subset("skills", parent.skills, terms.skills),
		graphs: subset("graphs", parent.graphs, terms.graphs),
		...(maxPerCallMicros !== undefined && { maxPerCallMicros }),
		...(maxPerDayMicros !== undefined && { maxPerDayMicros }),
		...(expiresAt !== undefined && { expiresAt }),
	};
}

function lower(field: string, parent: Micros | undefined, wanted: Micros | undefined) {
	if (parent === undefined || wanted === undefined) return wanted ?? parent;
	if (wanted <= parent) return wanted;
	throw wider(field, `at most ${formatUsd(parent)} USD, as of the token itself`);
}

function earlier(parent: number | undefined, wanted: number | undefined) {
	if (parent === undefined || wanted === undefined) return wanted ?? parent;
	if (wanted <= parent) return wanted;
	throw wider("expires_in_days", `no later than the token itself, ${toIsoTime(parent)}`);
}

/** An empty list means everything. */
function subset(
	field: string,
	parent: readonly string[],
	wanted: readonly string[] | undefined,
): readonly string[] {
	if (!wanted || wanted.length === 0 || parent.length === 0)
		return wanted?.length ? wanted : parent;
	if (wanted.every((id) => parent.includes(id))) return wanted;
	throw wider(field, `among the token's own: ${parent.slice(0, 20).join(", ")}`);
}

function wider(field: string, bound: string): ServiceError {
	return new ServiceError(
		"SCOPE_FORBIDDEN",
		`A delegated token cannot do more than the token it comes from: "${field}" must be ${bound}.`,
	);
}
