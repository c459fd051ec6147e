import type { TokenPrice } from "../../../src/contract/contract.js";
import { currentCall, formatUsd, type Logger, type Micros } from "../../../src/kernel/kernel.js";
import type { WriterUsage } from "./writer-endpoint.js";

const MILLION = 1_000_000n;

/** What tokens cost, rounded up to a whole micro-USD; undefined where no price is known. */
export function costOfTokens(
	{ tokensIn, tokensOut }: Pick<WriterUsage, "tokensIn" | "tokensOut">,
	price: TokenPrice | undefined,
): Micros | undefined {
	if (!price) return undefined;
	const millionfold = BigInt(tokensIn) * price.inMicros + BigInt(tokensOut) * price.outMicros;
	return (millionfold + MILLION - 1n) / MILLION;
}

/** What a model took since the server was started, in all and by operation. */
export interface WriterReport {
	readonly requests: number;
	readonly tokens_in: number;
	readonly tokens_out: number;
	/** Null where the operator has set no price. */
	readonly cost_usd: string | null;
	readonly operations: readonly (Omit<WriterReport, "operations"> & {
		readonly operation: string;
	})[];
}

interface Sum {
	readonly requests: number;
	readonly tokensIn: number;
	readonly tokensOut: number;
	readonly micros: Micros;
}

const NONE: Sum = { requests: 0, tokensIn: 0, tokensOut: 0, micros: 0n };

export type WriterMeter = ReturnType<typeof createWriterMeter>;

/** Logs what each request to a model took beside the call it was for, and adds it up: for the operator, and in no caller's price. */
export function createWriterMeter({
	logger,
	price,
}: {
	readonly logger: Pick<Logger, "info">;
	readonly price: TokenPrice | undefined;
}) {
	const sums = new Map<string, Sum>();
	const toRow = ({ requests, tokensIn, tokensOut, micros }: Sum) => ({
		requests,
		tokens_in: tokensIn,
		tokens_out: tokensOut,
		cost_usd: price ? formatUsd(micros) : null,
	});
	return {
		add(usage: WriterUsage): void {
			const { id, operationId = "none" } = currentCall() ?? {};
			const { tokensIn, tokensOut } = usage;
			const micros = costOfTokens(usage, price);
			const sum = sums.get(operationId) ?? NONE;
			sums.set(operationId, added(sum, { requests: 1, tokensIn, tokensOut, micros: micros ?? 0n }));
			logger.info("a language model drafted", {
				call: id,
				operation: operationId,
				...usage,
				cost_micro_usd: micros,
			});
		},
		report(): WriterReport {
			const operations = [...sums].map(([operation, sum]) => ({ operation, ...toRow(sum) }));
			return { ...toRow([...sums.values()].reduce(added, NONE)), operations };
		},
	};
}

function added(a: Sum, b: Sum): Sum {
	return {
		requests: a.requests + b.requests,
		tokensIn: a.tokensIn + b.tokensIn,
		tokensOut: a.tokensOut + b.tokensOut,
		micros: a.micros + b.micros,
	};
}
