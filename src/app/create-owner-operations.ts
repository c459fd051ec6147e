import {
	type Delegations,
	type SptAccounts,
	toBalanceWire,
	toDelegationWire,
	toStatementLine,
} from "../../payments/spt/spt.js";
import { createChatSessions } from "../../skills/chat/chat.js";
import { createDeepDiveOperations } from "../../skills/deep-dive/deep-dive.js";
import { createDossiers } from "../../skills/dossiers/dossiers.js";
import { createConsultations } from "../../skills/experts/experts.js";
import { createVerificationResults } from "../../skills/verify/verify.js";
import type { RefundRow, Store } from "../../store/store.js";
import { type AccountOperations, type Feedback, toSptScope } from "../accounts/accounts.js";
import { createBoundedWork, LIMITS } from "../contract/contract.js";
import type { Jobs } from "../jobs/jobs.js";
import { type Clock, formatUsd, parseUsd, toIsoTime } from "../kernel/kernel.js";
import type { GraphCatalog } from "../knowledge/knowledge.js";
import type { OwnerOperations, ResearchParts } from "../service/service.js";

export interface OwnerOperationDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly catalog: GraphCatalog;
	readonly accounts: SptAccounts;
	readonly delegations: Delegations;
	readonly account: AccountOperations;
	readonly feedback: Feedback;
	readonly jobs: Jobs;
	readonly research: Pick<ResearchParts, "schedules" | "artifacts" | "chatSessions" | "webhooks">;
}

const REFUND_REASON = "The holder asked for the balance that was not used.";

/** Wires what somebody known may ask. */
export function createOwnerOperations(deps: OwnerOperationDeps): OwnerOperations {
	const { store, clock, catalog, accounts, delegations } = deps;
	const journalReads = createBoundedWork({
		running: LIMITS.journalReadsRunning,
		waiting: LIMITS.journalReadsWaiting,
	});
	return {
		...deps.account,
		feedback: deps.feedback,
		dossiers: createDossiers(deps.research.artifacts),
		schedules: deps.research.schedules.service,
		chats: createChatSessions({ ...deps.research.chatSessions, catalog }),
		consultations: createConsultations(deps.research),
		jobs: createDeepDiveOperations(deps),
		verifications: createVerificationResults(deps.research.artifacts),
		webhooks: deps.research.webhooks.service,
		sptBalance: async ({ owner }) => toBalanceWire(await accounts.balance(owner)),

		async sptLedger({ owner }, { limit, cursor }, signal) {
			const read = () => store.statement(owner, { limit, cursor });
			const { postings, next = null } = await journalReads(read, signal);
			const items = postings.map((posting) => toStatementLine(owner, posting));
			return { items, next_cursor: next };
		},

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
