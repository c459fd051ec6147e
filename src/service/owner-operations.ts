import type { PresentedToken } from "../../payments/spt/spt.js";
import type { ScheduleService } from "../../skills/briefings/briefings.js";
import type { ChatSessions } from "../../skills/chat/chat.js";
import type { DeepDiveOperations } from "../../skills/deep-dive/deep-dive.js";
import type { Dossiers } from "../../skills/dossiers/dossiers.js";
import type { Consultations } from "../../skills/experts/experts.js";
import type { AccountOperations, Feedback, SptScope } from "../accounts/accounts.js";
import type { Caller, Json, PageRequest } from "../contract/contract.js";
import type { Webhooks } from "../webhooks/webhooks.js";

export interface DelegationOrder extends SptScope {
	readonly amount_usd: string;
}

/** What somebody who showed a credential may ask, paying nothing; each returns the `data` of the envelope. */
export interface OwnerOperations extends AccountOperations {
	/** What the token has left, what it may pay for and until when. */
	sptBalance(caller: Caller): Promise<Json>;
	/** Its postings, newest first. Throws RATE_LIMITED while too many such questions wait already. */
	sptLedger(caller: Caller, page: PageRequest, signal: AbortSignal): Promise<Json>;
	/** A new secret, shown once; the one that asked is worth nothing from then on. */
	sptRotate(holder: PresentedToken): Promise<Json>;
	sptDelegate(holder: PresentedToken, order: DelegationOrder): Promise<Json>;
	sptDelegations(holder: PresentedToken): Promise<Json>;
	sptRevokeDelegation(holder: PresentedToken, childId: string): Promise<Json>;
	/** What is left goes back to the wallet that bought the token. */
	sptRefund(holder: PresentedToken, reason: string | undefined): Promise<Json>;
	sptRevoke(holder: PresentedToken): Promise<Json>;
	readonly feedback: Feedback;
	readonly dossiers: Dossiers;
	readonly schedules: ScheduleService;
	readonly chats: ChatSessions;
	readonly consultations: Consultations;
	readonly jobs: DeepDiveOperations;
	readonly webhooks: Webhooks;
}
