import type { AdapterPayload } from "oidc-provider";
import { OAUTH_LIMITS } from "../accounts/accounts.js";
import type { Clock } from "../kernel/kernel.js";

/** What is worth nothing once its user has gone: kept in memory, and no longer than it takes to click through the pages. */
export interface PassingRecords {
	find(id: string): AdapterPayload | undefined;
	findByUid(uid: string): AdapterPayload | undefined;
	/** Without an address it stays with whoever had it. */
	put(id: string, payload: AdapterPayload, address?: string | undefined): void;
	remove(id: string): void;
}

interface Kept {
	readonly payload: AdapterPayload;
	readonly until: number;
	readonly network: string;
}

/** Groups of an IPv6 address that one customer of a network usually has to himself. */
const NETWORK_GROUPS = 3;

/**
 * Bounded, and fair: anybody may begin, and whichever network has begun most of those still open is the one to lose
 * something, of which the oldest goes that nobody has signed in to.
 */
export function createPassingRecords(clock: Clock): PassingRecords {
	const records = new Map<string, Kept>();
	const idOfUid = new Map<string, string>();
	/** Ids by network, oldest first. */
	const idsOf = new Map<string, Set<string>>();
	const remove = (id: string) => {
		const { payload, network } = records.get(id) ?? {};
		if (payload?.uid !== undefined && idOfUid.get(payload.uid) === id) idOfUid.delete(payload.uid);
		const ids = idsOf.get(network ?? "");
		ids?.delete(id);
		if (ids?.size === 0) idsOf.delete(network ?? "");
		records.delete(id);
	};
	const find = (id: string) => {
		const record = records.get(id);
		if (record && clock.monotonicMs() >= record.until) remove(id);
		return records.get(id)?.payload;
	};
	const isWaiting = (id: string) => !isSignedIn(records.get(id)?.payload);
	/** Whoever was put last lasts longest. */
	const dropLapsed = () => {
		for (const [id, { until }] of records) {
			if (clock.monotonicMs() < until) return;
			remove(id);
		}
	};
	const makeRoom = () => {
		const sizes = [...idsOf.values()].map(({ size }) => size);
		const most = Math.max(...sizes);
		const ids = [...idsOf.values()].filter(({ size }) => size === most).flatMap((set) => [...set]);
		remove(ids.find(isWaiting) ?? ids[0] ?? "");
	};
	return {
		find,
		findByUid: (uid) => find(idOfUid.get(uid) ?? ""),
		put(id, payload, address) {
			const network = address === undefined ? records.get(id)?.network : toNetwork(address);
			remove(id);
			dropLapsed();
			const until = clock.monotonicMs() + OAUTH_LIMITS.interactionSeconds * 1000;
			const kept: Kept = { payload, until, network: network ?? "" };
			records.set(id, kept);
			if (payload.uid !== undefined) idOfUid.set(payload.uid, id);
			const ids = idsOf.get(kept.network) ?? new Set();
			idsOf.set(kept.network, ids.add(id));
			if (records.size > OAUTH_LIMITS.interactionsMax) makeRoom();
		},
		remove,
	};
}

function isSignedIn(payload: AdapterPayload | undefined): boolean {
	return payload?.result?.login !== undefined || payload?.lastSubmission?.login !== undefined;
}

/** Networks of 64 bits cost nothing, so they count by the larger one they are part of. */
function toNetwork(address: string): string {
	return address.split(":").slice(0, NETWORK_GROUPS).join(":");
}
