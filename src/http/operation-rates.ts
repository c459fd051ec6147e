import { LIMITS, type OperationId } from "../contract/contract.js";
import type { Clock } from "../kernel/kernel.js";
import { createTokenBucket } from "./token-bucket.js";

/** Bounds operations that cost their caller nothing, whichever transport they are asked over. */
export interface OperationRates {
	/** Counts one call. Throws RATE_LIMITED when one address asks more often than `perMinute`. */
	take(operationId: OperationId, rate: AddressRate): void;
}

export interface AddressRate {
	/** From toCallerAddress. */
	readonly address: string;
	/** The same for every call of one operation. */
	readonly perMinute: number;
}

export function createOperationRates(clock: Clock): OperationRates {
	const keysMax = LIMITS.rateLimitedCallersMax;
	const buckets = new Map<OperationId, ReturnType<typeof createTokenBucket>>();
	return {
		take(operationId, { address, perMinute }) {
			const takeFrom = buckets.get(operationId) ?? createTokenBucket({ clock, perMinute, keysMax });
			buckets.set(operationId, takeFrom);
			takeFrom(address);
		},
	};
}
