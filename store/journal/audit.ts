import { ServiceError } from "../../src/core/errors.js";
import type { Micros } from "../../src/core/money.js";
import type { AccountName, LedgerTransaction } from "../store.js";
import { damaged } from "./damage.js";
import type { ChainLink } from "./frame.js";
import type { JournalReader } from "./journal-reader.js";
import type { FrameBody } from "./operation.js";
import { type SegmentFacts, segmentPath } from "./segment.js";
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
	 * Reads every frame, or with `sinceLast` those after the last sound audit. Throws UNAVAILABLE where the chain breaks
	 * or what it adds up to is not what is in memory.
	 */
	audit(target: AuditTarget, options?: { sinceLast?: boolean }): Promise<AuditResult>;
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
		async audit(target, { sinceLast = false } = {}) {
			const tally = await addUp(reader, folder, { target, from: sinceLast ? last : NOTHING });
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

async function addUp(
	reader: JournalReader,
	folder: string,
	{ target, from }: { target: AuditTarget; from: Tally },
): Promise<Tally> {
	const balances = new Map(from.balances);
	let { link, transactions } = from;
	for (const [index, facts] of target.segments.entries()) {
		const seen = link?.sequence ?? 0;
		const end = target.segments[index + 1]?.start.sequence ?? target.head.sequence;
		if (link && end <= seen) continue;
		if (link && !follows(facts, link)) {
			const path = segmentPath(folder, facts.number);
			throw damaged({ path, offset: 0, problem: "the segment does not follow the one before" });
		}
		const { bodies, last } = await reader.readSegment(facts);
		const fresh = bodies.slice(Math.max(0, seen - facts.start.sequence));
		transactions += addPostings(balances, fresh);
		link = last;
	}
	return { link, balances, transactions };
}

/** A segment that begins where we stand must continue our chain; one we stand in the middle of checks itself. */
function follows({ start }: SegmentFacts, link: ChainLink): boolean {
	return (
		start.sequence < link.sequence || (start.sequence === link.sequence && start.crc === link.crc)
	);
}

/** Adds the entries of the frames to the balances; returns how many transactions they were. */
function addPostings(balances: Map<AccountName, Micros>, bodies: readonly FrameBody[]): number {
	let transactions = 0;
	for (const { entries } of bodies.flatMap((body) => [...postingsOf(body)])) {
		transactions++;
		for (const { account, amountMicros } of entries) {
			balances.set(account, (balances.get(account) ?? 0n) + amountMicros);
		}
	}
	return transactions;
}

function isSame({ link, balances, transactions }: Tally, { head, state }: AuditTarget): boolean {
	return (
		(link?.sequence ?? 0) === head.sequence &&
		transactions === state.transactions &&
		balances.size === state.balances.length &&
		state.balances.every(([account, amount]) => balances.get(account) === amount)
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
