import type { SptHolder } from "../../payments/spt/token.js";
import type { Caller } from "../core/call.js";
import type { AccountOperations } from "./account-operations.js";
import type { ChatSessions } from "./chat-sessions.js";
import type { Consultations } from "./consultations.js";
import type { Dossiers } from "./dossiers.js";
import type { Feedback } from "./feedback.js";
import type { Json } from "./free-operations.js";
import type { JobDesk } from "./job-desk.js";
import type { PageRequest } from "./page-request.js";
import type { ScheduleDesk } from "./schedule-desk.js";
import type { SptScope } from "./spt-scope.js";
import type { VerificationResults } from "./verification-results.js";
import type { Webhooks } from "./webhooks.js";

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
	sptRotate(holder: SptHolder): Promise<Json>;
	sptDelegate(holder: SptHolder, order: DelegationOrder): Promise<Json>;
	sptDelegations(holder: SptHolder): Promise<Json>;
	sptRevokeDelegation(holder: SptHolder, childId: string): Promise<Json>;
	/** What is left goes back to the wallet that bought the token. */
	sptRefund(holder: SptHolder, reason: string | undefined): Promise<Json>;
	sptRevoke(holder: SptHolder): Promise<Json>;
	readonly feedback: Feedback;
	readonly dossiers: Dossiers;
	readonly schedules: ScheduleDesk;
	readonly chats: ChatSessions;
	readonly consultations: Consultations;
	readonly jobs: JobDesk;
	readonly verifications: VerificationResults;
	readonly webhooks: Webhooks;
}
