import { z } from "zod";
import type { OwnerOperationId } from "../core/operations.js";
import { ownerRoute } from "./define-route.js";
import type { OwnerRoute } from "./route.js";
import { sptBalanceSchema } from "./spt-schemas.js";

const nothing = z.strictObject({});

export type SptOwnerOperationId = Extract<OwnerOperationId, `spt.${string}`>;

/** What the holder of a Shared Payment Token may do with it. */
export const SPT_ROUTES: Readonly<Record<SptOwnerOperationId, OwnerRoute>> = {
	"spt.balance": ownerRoute({
		operationId: "spt.balance",
		summary: "Balance of a Shared Payment Token",
		description: "What the token has left, what is held, its limits, scopes and expiry.",
		scheme: "spt",
		path: nothing,
		query: nothing,
		isList: false,
		data: sptBalanceSchema,
		answer: (owner, { caller }) => owner.sptBalance(caller),
		example: {
			data: {
				id: "tok_01kg9yz3v0f6x2m8q4t7w1ab2c",
				label: "research crew",
				environment: "test",
				balance_usd: "24.50",
				held_usd: "0.00",
				expires_at: "2026-12-31T00:00:00.000Z",
				max_per_call_usd: "1.00",
				max_per_day_usd: null,
				spent_today_usd: "0.50",
				skills: [],
				graphs: ["agent-payments"],
				parent_id: null,
			},
		},
	}),
};
