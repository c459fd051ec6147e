import type { AdapterPayload } from "oidc-provider";
import type { Clock } from "../core/clock.js";
import { OAUTH_LIMITS } from "../core/oauth-limits.js";

/** What is worth nothing once its user has gone: kept in memory, and no longer than it takes to click through the pages. */
export interface PassingRecords {
	find(id: string): AdapterPayload | undefined;
	findByUid(uid: string): AdapterPayload | undefined;
	put(id: string, payload: AdapterPayload): void;
	remove(id: string): void;
}

/** Bounded: anybody may begin, and whoever began longest ago is forgotten for a newcomer. */
export function createPassingRecords(clock: Clock): PassingRecords {
	const records = new Map<string, { readonly payload: AdapterPayload; readonly until: number }>();
	const idOfUid = new Map<string, string>();
	const remove = (id: string) => {
		const uid = records.get(id)?.payload.uid;
		if (uid !== undefined && idOfUid.get(uid) === id) idOfUid.delete(uid);
		records.delete(id);
	};
	const find = (id: string) => {
		const record = records.get(id);
		if (record && clock.monotonicMs() >= record.until) remove(id);
		return records.get(id)?.payload;
	};
	return {
		find,
		findByUid: (uid) => find(idOfUid.get(uid) ?? ""),
		put(id, payload) {
			remove(id);
			const until = clock.monotonicMs() + OAUTH_LIMITS.interactionSeconds * 1000;
			records.set(id, { payload, until });
			if (payload.uid !== undefined) idOfUid.set(payload.uid, id);
			if (records.size > OAUTH_LIMITS.interactionsMax) remove(records.keys().next().value ?? "");
		},
		remove,
	};
}
