import type { Adapter, AdapterPayload } from "oidc-provider";
import { OAUTH_LIMITS } from "../accounts/accounts.js";
import type { OAuthServices } from "./oauth-services.js";
import { createPassingRecords, type PassingRecords } from "./passing-records.js";

interface RecordAdapterDeps extends OAuthServices {
	/** Where the request came from that is being answered; undefined outside of one. */
	readonly currentAddress: () => string | undefined;
	/** What a request is refused with whose grant has just ended, or whose code someone else has just used. */
	readonly toInvalidGrant: (reason: string) => Error;
	/** What a request is refused with whose step is over, or was taken by another request at the same moment. */
	readonly toLostStep: () => Error;
	/** What is under way, by the provider's names for it; it outlives a provider that a rotation of keys replaces. */
	readonly passing: Passing;
}

/** Sessions and interactions. */
export type Passing = ReturnType<typeof createPassing>;

export function createPassing({ steps, ...deps }: OAuthServices) {
	return {
		Session: createPassingRecords({ ...deps, steps: steps("session") }),
		Interaction: createPassingRecords({ ...deps, steps: steps("interaction") }),
	};
}

const KINDS = {
	Client: "client",
	Grant: "grant",
	AuthorizationCode: "code",
	RefreshToken: "refresh_token",
} as const;

/** What the provider remembers, by its names for it: some for long, some while its user is on the way, the rest nowhere. */
export function createRecordAdapter(deps: RecordAdapterDeps): (model: string) => Adapter {
	return (model) => {
		if (model === "Session") return toSessions(deps.passing.Session, deps);
		if (model === "Interaction") return toInteractions(deps.passing.Interaction, deps);
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

/** Kept by the name that a session has as long as it lasts: its id, which is another with each step, never leaves the server. */
function toSessions(records: PassingRecords, { currentAddress }: RecordAdapterDeps): Adapter {
	return {
		...NOTHING,
		upsert: (id, payload) => records.put(payload.uid ?? id, payload, currentAddress()),
		find: records.find,
		findByUid: records.find,
	};
}

/** Each is ended once: of two requests that go on with it at the same moment one is refused, and neither brings it back. */
function toInteractions(
	records: PassingRecords,
	{ currentAddress, toLostStep }: RecordAdapterDeps,
): Adapter {
	return {
		...NOTHING,
		async upsert(id, payload) {
			// One that begins has no result.
			if (payload.result === undefined) return records.put(id, payload, currentAddress());
			if (!(await records.change(id, () => payload, currentAddress()))) throw toLostStep();
		},
		find: records.find,
		async destroy(id) {
			if (!(await records.remove(id))) throw toLostStep();
		},
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
