import { type Clock, toIsoTime } from "../../src/core/clock.js";
import { formatUsd } from "../../src/core/money.js";
import type { Store } from "../../store/store.js";
import { custAccount, heldAccount } from "../ledger.js";
import { getToken } from "./token.js";

/** What the holder of a token may see of it. */
export interface SptAccounts {
	balance(tokenId: string): Promise<Record<string, unknown>>;
}

export function createSptAccounts({ store }: { store: Store; clock: Clock }): SptAccounts {
	return {
		balance: (tokenId) =>
			store.read(async (reader) => {
				const token = await getToken(reader, tokenId);
				return {
					id: token.id,
					label: token.label,
					environment: token.environment,
					balance_usd: formatUsd(await reader.balance(custAccount(token.id))),
					held_usd: formatUsd(await reader.balance(heldAccount(token.id))),
					expires_at: token.expiresAt === undefined ? null : toIsoTime(token.expiresAt),
					max_per_call_usd: usdOrNull(token.maxPerCallMicros),
					max_per_day_usd: usdOrNull(token.maxPerDayMicros),
					spent_today_usd: "0.00",
					skills: token.skills,
					graphs: token.graphs,
					parent_id: token.parentId ?? null,
				};
			}),
	};
}

function usdOrNull(micros: bigint | undefined): string | null {
	return micros === undefined ? null : formatUsd(micros);
}
