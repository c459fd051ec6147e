import { type Delegations, toDelegationWire } from "../../payments/spt/delegations.js";
import { type SptAccounts, toBalanceWire } from "../../payments/spt/spt-accounts.js";
import type { RefundRow } from "../../store/store.js";
import { type Clock, toIsoTime } from "../core/clock.js";
import { formatUsd, parseUsd } from "../core/money.js";
import type { GraphCatalog } from "../knowledge/catalog.js";
import type { OwnerOperations } from "./owner-operations.js";
import { toSptScope } from "./spt-scope.js";

export interface OwnerOperationDeps {
	readonly clock: Clock;
	readonly catalog: GraphCatalog;
	readonly accounts: SptAccounts;
	readonly delegations: Delegations;
}

const REFUND_REASON = "The holder asked for the balance that was not used.";

/** Wires what somebody known may ask. */
export function createOwnerOperations(deps: OwnerOperationDeps): OwnerOperations {
	const { clock, catalog, accounts, delegations } = deps;
	return {
		sptBalance: async ({ owner }) => toBalanceWire(await accounts.balance(owner)),

		async sptRotate(holder) {
			const { token, balanceMicros } = await accounts.rotate(holder);
			return { token, id: holder.tokenId, balance_usd: formatUsd(balanceMicros) };
		},

		async sptDelegate(holder, order) {
			const scope = toSptScope({ catalog, now: clock.now() }, order);
			const amountMicros = parseUsd(order.amount_usd);
			const { token, state, ...made } = await delegations.create(holder, {
				...scope,
				amountMicros,
			});
			return {
				token,
				...toDelegationWire(state),
				parent_id: holder.tokenId,
				parent_balance_usd: formatUsd(made.parentBalanceMicros),
			};
		},

		sptDelegations: async (holder) => ({
			items: (await delegations.list(holder)).map(toDelegationWire),
		}),

		async sptRevokeDelegation(holder, childId) {
			const { returnedMicros, balanceMicros } = await delegations.revoke(holder, childId);
			return {
				id: childId,
				status: "revoked",
				returned_usd: formatUsd(returnedMicros),
				parent_balance_usd: formatUsd(balanceMicros),
			};
		},

		sptRefund: async (holder, reason) =>
			toRefundWire(await accounts.refund(holder, reason ?? REFUND_REASON)),

		async sptRevoke(holder) {
			const { returnedMicros, refund, balanceMicros } = await accounts.revoke(holder);
			return {
				id: holder.tokenId,
				status: "revoked",
				returned_usd: formatUsd(returnedMicros),
				refund: refund ? toRefundWire(refund) : null,
				balance_usd: formatUsd(balanceMicros),
			};
		},
	};
}

function toRefundWire({ id, amountMicros, state, destination, createdAt }: RefundRow) {
	return {
		refund_id: id,
		amount_usd: formatUsd(amountMicros),
		state,
		destination: destination ?? null,
		created_at: toIsoTime(createdAt),
	};
}
