import { createHash } from "node:crypto";
import { type Micros, unavailable } from "../../src/kernel/kernel.js";
import { type AccountName, addEntries, type StoreDigest, type VerifyOptions } from "../store.js";
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

/** How far the journal has been added up, and to what. */
interface Tally {
	readonly link: ChainLink;
	readonly balances: ReadonlyMap<AccountName, Micros>;
	readonly transactions: number;
}

const NOTHING: Tally = { link: CHAIN_START, balances: new Map(), transactions: 0 };

/** Adds up the journal from its own bytes, never from memory. */
export function createAuditor(reader: JournalReader, folder: string) {
	let last = NOTHING;
	return {
		/**
		 * Throws UNAVAILABLE where the chain breaks or its sums differ from memory; `sinceLast` reads
		 * only new frames.
		 */
		async audit(
			target: AuditTarget,
			{ sinceLast = false, onTransaction }: VerifyOptions = {},
		): Promise<{ readonly transactions: number; readonly frames: number }> {
			const from = sinceLast ? last : NOTHING;
			const balances = new Map(from.balances);
			let { link, transactions } = from;
			for await (const frame of framesAfter(from.link, { reader, folder, target })) {
				({ link } = frame);
				for (const committed of committedIn(frame.body())) {
					for (const { entries } of committed.postings) addEntries(balances, entries);
					transactions += committed.postings.length;
					onTransaction?.(committed);
				}
			}
			last = assertSame({ link, balances, transactions }, target, folder);
			return { transactions, frames: target.head.sequence };
		},
	};
}

/** SHA-256 of all frames up to one, the last by default; undefined where the journal ends before it. */
export async function digestFrames(
	reader: JournalReader,
	{ segments, head }: { readonly segments: readonly SegmentFacts[]; readonly head: ChainLink },
	at = head.sequence,
): Promise<StoreDigest | undefined> {
	if (at > head.sequence) return undefined;
	const hash = createHash("sha256");
	for (const facts of segments) {
		if (facts.start.sequence >= at) break;
		for await (const frame of reader.readFrames(facts)) {
			if (frame.link.sequence > at) break;
			hash.update(frame.bytes());
		}
	}
	return { sequence: at, sha256: hash.digest("hex") };
}

/** The frames after one that was audited before. */
async function* framesAfter(
	seen: ChainLink,
	{ reader, folder, target }: { reader: JournalReader; folder: string; target: AuditTarget },
): AsyncGenerator<CheckedFrame> {
	const { segments, head } = target;
	let link = seen;
	for (const [index, facts] of segments.entries()) {
		const end = segments[index + 1]?.start.sequence ?? head.sequence;
		if (seen.sequence > 0 && end <= seen.sequence) continue;
		if (link.sequence > 0) assertFollows(facts, link, folder);
		for await (const frame of reader.readFrames(facts)) {
			({ link } = frame);
			if (link.sequence > seen.sequence) yield frame;
		}
	}
}

/** A segment that begins after the link must continue its chain; one that begins earlier is checked by reading it. */
function assertFollows({ start, number }: SegmentFacts, link: ChainLink, folder: string): void {
	if (start.sequence < link.sequence) return;
	if (start.sequence === link.sequence && start.crc === link.crc) return;
	const path = segmentPath(folder, number);
	throw damaged({ path, offset: 0, problem: "the segment does not follow the one before" });
}

function assertSame(tally: Tally, { head, state }: AuditTarget, folder: string): Tally {
	const { link, balances, transactions } = tally;
	const isSame =
		link.sequence === head.sequence &&
		transactions === state.transactions &&
		balances.size === state.balances.length &&
		state.balances.every(([account, amount]) => balances.get(account) === amount);
	if (isSame) return tally;
	throw unavailable(
		`The journal in "${folder}" adds up to other balances than the ones in use. Stop the service and start it again: it then works from the journal.`,
		{ retryable: false },
	);
}
