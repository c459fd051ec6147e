import type { Adapter, AdapterPayload } from "oidc-provider";
import { OAUTH_LIMITS } from "../accounts/accounts.js";
import type { Clock } from "../kernel/kernel.js";
import type { OAuthServices } from "./oauth-services.js";

interface RecordAdapterDeps extends OAuthServices {
	/** Where the request came from that is being answered; undefined outside of one. */
	readonly currentAddress: () => string | undefined;
	/** What a request is refused with whose grant has just ended, or whose code someone else has just used. */
	readonly toInvalidGrant: (reason: string) => Error;
	/** What is under way, by the provider's names for it; it outlives a provider that a rotation of keys replaces. */
	readonly passing: ReadonlyMap<string, PassingRecords>;
}

export function createPassing(clock: Clock): RecordAdapterDeps["passing"] {
	return new Map(PASSING.map((name) => [name, createPassingRecords(clock)]));
}

const KINDS = {
	Client: "client",
	Grant: "grant",
	AuthorizationCode: "code",
	RefreshToken: "refresh_token",
} as const;
const PASSING: readonly string[] = ["Session", "Interaction"];

/** What the provider remembers, by its names for it: some in the store, some in memory, the rest nowhere. */
export function createRecordAdapter(deps: RecordAdapterDeps): (model: string) => Adapter {
	return (model) => {
		const inMemory = deps.passing.get(model);
		if (inMemory) return toPassing(inMemory, deps);
		const kind = Object.entries(KINDS).find(([name]) => name === model)?.[1];
		return kind ? toStored(deps, kind) : NOTHING;
	};
}

/** Access tokens are signed, not kept, and everything else is switched off. */
const NOTHING: Adapter = {
	upsert: async () => undefined,
	find: async () => undefined,
	findByUserCode: async () => undefined,
	findByUid: async () => undefined,
	consume: async () => undefined,
	destroy: async () => undefined,
	revokeByGrantId: async () => undefined,
};

function toPassing(records: PassingRecords, { currentAddress }: RecordAdapterDeps): Adapter {
	return {
		...NOTHING,
		upsert: async (id, payload) => records.put(id, payload, currentAddress()),
		find: async (id) => records.find(id),
		findByUid: async (uid) => records.findByUid(uid),
		destroy: async (id) => records.remove(id),
	};
}

function toStored(
	{ records, grants, refreshTokens, clock, toInvalidGrant }: RecordAdapterDeps,
	kind: (typeof KINDS)[keyof typeof KINDS],
): Adapter {
	return {
		...NOTHING,
		async upsert(id, { jti: _secret, ...payload }, expiresIn) {
			const isKept = await records.put({
				kind,
				id,
				accountId: payload.accountId,
				clientId: payload.clientId,
				keyId: kind === "grant" ? id : payload.grantId,
				payload,
				expiresAt: clock.now() + (expiresIn ?? OAUTH_LIMITS.clientUnusedSeconds) * 1000,
			});
			if (!isKept) throw toInvalidGrant("access has ended");
		},
		async find(id) {
			const found = await records.find(kind, id);
			if (!found) {
				const keyId = kind === "refresh_token" ? refreshTokens.keyIdOf(id) : undefined;
				// Someone has used it before, and one of the two has stolen it.
				if (keyId !== undefined) await grants.end(keyId);
				return undefined;
			}
			if (kind === "client") return found.payload as AdapterPayload;
			const { consumedAt } = found;
			return {
				...found.payload,
				jti: id,
				...(consumedAt !== undefined && { consumed: Math.floor(consumedAt / 1000) }),
			};
		},
		async consume(id) {
			const found = await records.find(kind, id);
			const keyId = found?.payload["grantId"] ?? refreshTokens.keyIdOf(id);
			if (await records.consume(kind, id)) return;
			if (typeof keyId === "string") await grants.end(keyId);
			throw toInvalidGrant("it was used before");
		},
		destroy: (id) => (kind === "grant" ? grants.end(id) : records.remove(kind, id)),
		revokeByGrantId: (keyId) => records.removeOfKey(kind, keyId),
	};
}

/** What is worth nothing once its user has gone: kept in memory, and no longer than it takes to click through the pages. */
export type PassingRecords = ReturnType<typeof createPassingRecords>;

interface Kept {
	readonly payload: AdapterPayload;
	readonly until: number;
	readonly network: string;
}

/** Groups of an IPv6 address that one customer of a network usually has to himself. */
const NETWORK_GROUPS = 3;

/**
 * Bounded, and fair: anyone may begin, and whichever network has begun most of those still open is the one to lose
 * something, of which the oldest goes that no one has signed in to.
 */
export function createPassingRecords(clock: Clock) {
	const records = new Map<string, Kept>();
	const idOfUid = new Map<string, string>();
	/** Ids by network, oldest first. */
	const idsOf = new Map<string, Set<string>>();
	const remove = (id: string): void => {
		const { payload, network } = records.get(id) ?? {};
		if (payload?.uid !== undefined && idOfUid.get(payload.uid) === id) idOfUid.delete(payload.uid);
		const ids = idsOf.get(network ?? "");
		ids?.delete(id);
		if (ids?.size === 0) idsOf.delete(network ?? "");
		records.delete(id);
	};
	const find = (id: string): AdapterPayload | undefined => {
		const record = records.get(id);
		if (record && clock.monotonicMs() >= record.until) remove(id);
		return records.get(id)?.payload;
	};
	const isWaiting = (id: string) => !isSignedIn(records.get(id)?.payload);
	/** Records are in order of insertion, so the oldest expire first. */
	const dropLapsed = () => {
		for (const [id, { until }] of records) {
			if (clock.monotonicMs() < until) return;
			remove(id);
		}
	};
	const evictOldest = () => {
		const sizes = [...idsOf.values()].map(({ size }) => size);
		const most = Math.max(...sizes);
		const ids = [...idsOf.values()].filter(({ size }) => size === most).flatMap((set) => [...set]);
		remove(ids.find(isWaiting) ?? ids[0] ?? "");
	};
	return {
		find,
		findByUid: (uid: string) => find(idOfUid.get(uid) ?? ""),
		/** Without an address it stays with anyone who had it. */
		put(id: string, payload: AdapterPayload, address?: string | undefined): void {
			const network = address === undefined ? records.get(id)?.network : toNetwork(address);
			remove(id);
			dropLapsed();
			const until = clock.monotonicMs() + OAUTH_LIMITS.interactionSeconds * 1000;
			const kept: Kept = { payload, until, network: network ?? "" };
			records.set(id, kept);
			if (payload.uid !== undefined) idOfUid.set(payload.uid, id);
			const ids = idsOf.get(kept.network) ?? new Set();
			idsOf.set(kept.network, ids.add(id));
			if (records.size > OAUTH_LIMITS.interactionsMax) evictOldest();
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
