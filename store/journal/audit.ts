import { type Micros, ServiceError } from "../../src/kernel/kernel.js";
import type { AccountName, CommittedTransaction, VerifyOptions } from "../store.js";
import { damaged } from "./damage.js";
import { CHAIN_START, type ChainLink } from "./frame.js";
import { committedIn } from "./history.js";
import type { CheckedFrame, JournalReader } from "./journal-reader.js";
import { type SegmentFacts, segmentPath } from "./segments.js";
import type { StateCopy } from "./state.js";

/** What the journal must add up to at one frame. */
export interface AuditTarget {
	readonly head: ChainLink;
	readonly segments: readonly SegmentFacts[];
	readonly state: Pick<StateCopy, "balances" | "transactions">;
}

export interface AuditResult {
	readonly transactions: number;
	readonly frames: number;
}

/** Adds up the journal from its own bytes, never from memory. */
export interface Auditor {
	/**
	 * Reads every frame, or with `sinceLast` those after the last sound audit, and shows what they hold. Throws UNAVAILABLE
	 * where the chain breaks or what it adds up to is not what is in memory.
	 */
	audit(target: AuditTarget, options?: VerifyOptions): Promise<AuditResult>;
}

/** How far the journal has been added up, and to what. */
interface Tally {
	readonly link: ChainLink | undefined;
	readonly balances: ReadonlyMap<AccountName, Micros>;
	readonly transactions: number;
}

const NOTHING: Tally = { link: undefined, balances: new Map(), transactions: 0 };

export function createAuditor(reader: JournalReader, folder: string): Auditor {
	let last = NOTHING;
	return {
		async audit(target, { sinceLast = false, onTransaction } = {}) {
			const from = sinceLast ? last : NOTHING;
			const tally = await addUp(reader, folder, { target, from, onTransaction });
			if (!isSame(tally, target)) {
				throw new ServiceError(
					"UNAVAILABLE",
					`The journal in "${folder}" adds up to other balances than the ones in use. Stop the service and start it again: it then works from the journal.`,
					{ retryable: false },
				);
			}
			last = tally;
			return { transactions: tally.transactions, frames: target.head.sequence };
		},
	};
}

interface Audit {
	readonly target: AuditTarget;
	readonly from: Tally;
	readonly onTransaction: VerifyOptions["onTransaction"];
}

async function addUp(
	reader: JournalReader,
	folder: string,
	{ target, from, onTransaction }: Audit,
): Promise<Tally> {
	const balances = new Map(from.balances);
	let { link, transactions } = from;
	for await (const frame of unseenFrames(reader, folder, { target, from })) {
		({ link } = frame);
		for (const committed of committedIn(frame.body())) {
			transactions += addPostings(balances, committed);
			onTransaction?.(committed);
		}
	}
	return { link, balances, transactions };
}

/** The frames after those that were added up before. */
async function* unseenFrames(
	reader: JournalReader,
	folder: string,
	{ target, from }: Pick<Audit, "target" | "from">,
): AsyncGenerator<CheckedFrame> {
	let link = from.link ?? CHAIN_START;
	const seen = link.sequence;
	for (const facts of segmentsAfter(target, seen)) {
		if (link.sequence > 0) assertFollows(facts, link, folder);
		for await (const frame of reader.readFrames(facts)) {
			({ link } = frame);
			if (link.sequence > seen) yield frame;
		}
	}
}

/** Segments that hold a frame after this one; all of them when none was seen. */
function segmentsAfter({ segments, head }: AuditTarget, seen: number): readonly SegmentFacts[] {
	if (seen === 0) return segments;
	const endOf = (index: number) => segments[index + 1]?.start.sequence ?? head.sequence;
	return segments.filter((_, index) => endOf(index) > seen);
}

/** A segment that begins where we stand must continue our chain; one we stand in the middle of checks itself. */
function assertFollows({ start, number }: SegmentFacts, link: ChainLink, folder: string): void {
	if (start.sequence < link.sequence) return;
	if (start.sequence === link.sequence && start.crc === link.crc) return;
	const path = segmentPath(folder, number);
	throw damaged({ path, offset: 0, problem: "the segment does not follow the one before" });
}

/** Adds the entries to the balances; returns how many ledger transactions they were. */
function addPostings(
	balances: Map<AccountName, Micros>,
	{ postings }: CommittedTransaction,
): number {
	for (const { entries } of postings) {
		for (const { account, amountMicros } of entries) {
			balances.set(account, (balances.get(account) ?? 0n) + amountMicros);
		}
	}
	return postings.length;
}

function isSame({ link, balances, transactions }: Tally, { head, state }: AuditTarget): boolean {
	return (
		(link?.sequence ?? 0) === head.sequence &&
		transactions === state.transactions &&
		balances.size === state.balances.length &&
		state.balances.every(([account, amount]) => balances.get(account) === amount)
	);
}
