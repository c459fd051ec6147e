import type { Adapter, AdapterPayload } from "oidc-provider";
import {
	OAUTH_LIMITS,
	type OAuthGrants,
	type OAuthRecords,
	type RefreshTokens,
} from "../accounts/accounts.js";
import type { Clock } from "../kernel/kernel.js";
import { createPassingRecords, type PassingRecords } from "./passing-records.js";

export interface RecordAdapterDeps {
	readonly records: OAuthRecords;
	readonly grants: OAuthGrants;
	readonly refreshTokens: Pick<RefreshTokens, "keyIdOf">;
	readonly clock: Clock;
	/** Where the request came from that is being answered; undefined outside of one. */
	readonly currentAddress: () => string | undefined;
	/** What a request is refused with whose grant has just ended, or whose code somebody else has just used. */
	readonly toInvalidGrant: (reason: string) => Error;
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
	const passing = new Map(PASSING.map((name) => [name, createPassingRecords(deps.clock)]));
	return (model) => {
		const inMemory = passing.get(model);
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
				// Somebody has used it before, and one of the two has stolen it.
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
