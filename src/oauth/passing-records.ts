import type { AdapterPayload } from "oidc-provider";
import { OAUTH_LIMITS, type OAuthStep, type OAuthSteps } from "../accounts/accounts.js";
import type { OAuthServices } from "./oauth-services.js";

/** What is worth nothing once its user has gone: kept no longer than it takes to click through the pages. */
export type PassingRecords = ReturnType<typeof createPassingRecords>;

/** Groups of an IPv6 address that one customer of a network usually has to himself. */
const NETWORK_GROUPS = 3;
/** Of those that have to go, with each that comes. */
const DROPPED_AT_ONCE = 50;

/**
 * Bounded, and fair: anyone may begin, and whichever network has begun most of those still open is the one to lose
 * something, of which the oldest goes that no one has signed in to. Each process counts those that it changed last, and has
 * its share of the bound.
 */
export function createPassingRecords({
	steps,
	clock,
	processCount,
}: Pick<OAuthServices, "clock" | "processCount"> & { readonly steps: OAuthSteps }) {
	const counted = createCount(() => Math.ceil(OAUTH_LIMITS.interactionsMax / processCount()));
	const toPayload = (step: OAuthStep | undefined): AdapterPayload | undefined =>
		step && clock.now() < step.until ? step.payload : undefined;
	const change = async (
		id: string,
		toNext: (payload: AdapterPayload | undefined) => AdapterPayload | undefined,
		address?: string | undefined,
	): Promise<boolean> => {
		let next: OAuthStep | undefined;
		await steps.change(id, (before) => {
			const payload = toNext(toPayload(before));
			const network = address === undefined ? (before?.network ?? "") : toNetwork(address);
			const until = clock.now() + OAUTH_LIMITS.interactionSeconds * 1000;
			next = payload && { payload, network, until };
			return next ?? before;
		});
		if (!next) return false;
		const dropped = counted.add(id, next, clock.now());
		// What stays, because it could not be removed now, goes with what is past its time.
		if (dropped.length > 0) await steps.drop(dropped).catch(() => undefined);
		return true;
	};
	return {
		find: async (id: string) => toPayload(await steps.find(id)),
		/** Without an address it stays with anyone who had it. */
		async put(id: string, payload: AdapterPayload, address?: string | undefined): Promise<void> {
			await change(id, () => payload, address);
		},
		/** Alone with one that is open; false for one that is not, and where `toNext` has nothing to put in its place. */
		change: (
			id: string,
			toNext: (payload: AdapterPayload) => AdapterPayload | undefined,
			address?: string | undefined,
		): Promise<boolean> => change(id, (payload) => payload && toNext(payload), address),
		/** False for one that was not open any more. */
		async remove(id: string): Promise<boolean> {
			counted.remove(id);
			return toPayload(await steps.change(id, () => undefined)) !== undefined;
		},
	};
}

interface Counted extends Pick<OAuthStep, "network" | "until"> {
	readonly isWaiting: boolean;
}

/** What is open, by network. */
function createCount(most: () => number) {
	const records = new Map<string, Counted>();
	/** Ids by network, oldest first. */
	const idsOf = new Map<string, Set<string>>();
	const remove = (id: string): void => {
		const { network = "" } = records.get(id) ?? {};
		const ids = idsOf.get(network);
		ids?.delete(id);
		if (ids?.size === 0) idsOf.delete(network);
		records.delete(id);
	};
	/** Records are in order of insertion, so the oldest expire first. */
	const findLapsed = (now: number): string[] => {
		const lapsed: string[] = [];
		for (const [id, { until }] of records) {
			if (now < until || lapsed.length >= DROPPED_AT_ONCE) break;
			lapsed.push(id);
		}
		return lapsed;
	};
	const findOneTooMany = (): string => {
		const largest = Math.max(...[...idsOf.values()].map(({ size }) => size));
		const ids = [...idsOf.values()]
			.filter(({ size }) => size === largest)
			.flatMap((set) => [...set]);
		return ids.find((id) => records.get(id)?.isWaiting) ?? ids[0] ?? "";
	};
	return {
		remove,
		/** Returns those that have to go for it. */
		add(id: string, { payload, network, until }: OAuthStep, now: number): readonly string[] {
			remove(id);
			const dropped = findLapsed(now);
			for (const one of dropped) remove(one);
			records.set(id, { network, until, isWaiting: !isSignedIn(payload) });
			idsOf.set(network, (idsOf.get(network) ?? new Set()).add(id));
			// Many where another process has begun, and shares the bound.
			while (records.size > most() && dropped.length <= DROPPED_AT_ONCE) {
				const one = findOneTooMany();
				remove(one);
				dropped.push(one);
			}
			return dropped;
		},
	};
}

function isSignedIn({ result, lastSubmission }: AdapterPayload): boolean {
	return result?.login !== undefined || lastSubmission?.login !== undefined;
}

/** Networks of 64 bits cost nothing, so they count by the larger one they are part of. */
function toNetwork(address: string): string {
	return address.split(":").slice(0, NETWORK_GROUPS).join(":");
}
