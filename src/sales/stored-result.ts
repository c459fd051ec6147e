import type { ArtifactRepository, Caller, KeptResult } from "../contract/contract.js";
import { type Logger, toIsoTime } from "../kernel/kernel.js";
import type { Admission } from "./cashier.js";

export interface KeepResultDeps {
	/** Keeps what skills want kept of their answers; without one nothing is. */
	readonly artifacts?: Pick<ArtifactRepository, "keep" | "find"> | undefined;
	readonly logger?: Pick<Logger, "error"> | undefined;
}

/**
 * Keeps what an answer wants kept, on the first run of its call alone: sent again it finds what is kept, and what its owner
 * deleted stays deleted. Resolves to until when it can be read again; undefined where it cannot, be it that keeping failed,
 * which takes nothing from an answer that is paid for and at hand.
 */
export async function keepResult(
	{ artifacts, logger }: KeepResultDeps,
	{
		payer,
		admission,
	}: { readonly payer: Caller | undefined; readonly admission: Pick<Admission, "kind"> },
	result: KeptResult,
): Promise<number | undefined> {
	if (!artifacts || !payer) return undefined;
	const { kind, id } = result;
	try {
		if (admission.kind !== "replayed") return await artifacts.keep(payer, result);
		return (await artifacts.find(payer, kind, id))?.expiresAt;
	} catch (error) {
		logger?.error("a result could not be kept", { kind, error: String(error) });
		return undefined;
	}
}

/** An answer that says until when it is kept, saying what came of it. */
export function tellKeptUntil(result: unknown, expiresAt: number | undefined): unknown {
	const { data } = result as { readonly data?: { readonly kept_until?: unknown } };
	if (typeof data?.kept_until !== "string") return result;
	const kept_until = expiresAt === undefined ? null : toIsoTime(expiresAt);
	return { ...(result as object), data: { ...data, kept_until } };
}
