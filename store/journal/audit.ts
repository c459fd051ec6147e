import { ServiceError } from "../../src/core/errors.js";
import type { LedgerTransaction } from "../store.js";
import { damaged } from "./damage.js";
import type { ChainLink } from "./frame.js";
import type { JournalReader } from "./journal-reader.js";
import type { FrameBody } from "./operation.js";
import { type SegmentFacts, segmentPath } from "./segment.js";
import { applyBody, createState, type StateCopy } from "./state.js";

/** What the journal must add up to at one frame. */
export interface AuditTarget {
	readonly head: ChainLink;
	readonly segments: readonly SegmentFacts[];
	readonly state: StateCopy;
}

/** Reads every frame again. Throws UNAVAILABLE where the chain breaks or what it adds up to is not what is in memory. */
export async function audit(
	reader: JournalReader,
	folder: string,
	{ head, segments, state }: AuditTarget,
): Promise<{ readonly transactions: number; readonly frames: number }> {
	const replayed = createState();
	let link: ChainLink | undefined;
	for (const facts of segments) {
		if (link && (link.sequence !== facts.start.sequence || link.crc !== facts.start.crc)) {
			const path = segmentPath(folder, facts.number);
			throw damaged({ path, offset: 0, problem: "the segment does not follow the one before" });
		}
		const { bodies, last } = await reader.readSegment(facts);
		for (const body of bodies) applyBody(replayed, body);
		link = last;
	}
	const isSame =
		(link?.sequence ?? 0) === head.sequence &&
		replayed.transactions === state.transactions &&
		replayed.balances.size === state.balances.length &&
		state.balances.every(([account, amount]) => replayed.balances.get(account) === amount);
	if (isSame) return { transactions: replayed.transactions, frames: head.sequence };
	throw new ServiceError(
		"UNAVAILABLE",
		`The journal in "${folder}" adds up to other balances than the ones in use. Stop the service and start it again: it then works from the journal.`,
		{ retryable: false },
	);
}

/** Every posting of the given segments, oldest first. */
export async function* readHistory(
	reader: JournalReader,
	segments: readonly SegmentFacts[],
): AsyncGenerator<LedgerTransaction> {
	for (const facts of segments) {
		const { bodies } = await reader.readSegment(facts);
		for (const body of bodies) yield* postingsOf(body);
	}
}

function* postingsOf({ transactions }: FrameBody): Generator<LedgerTransaction> {
	for (const operations of transactions) {
		for (const operation of operations) {
			if (operation.kind === "post") yield operation.transaction;
		}
	}
}
