import { readRefundReason } from "../../payments/refunds/refunds.js";
import { toStatementLine } from "../../payments/spt/spt.js";
import { schedulesOf } from "../../skills/briefings/briefings.js";
import { chatsOf } from "../../skills/chat/chat.js";
import type { Store } from "../../store/store.js";
import { artifactsOf } from "../artifacts/artifacts.js";
import { type AccountAccess, inputDocument, type Json, LIMITS } from "../contract/contract.js";
import { toJobWire } from "../jobs/jobs.js";
import { ServiceError, toIsoTime } from "../kernel/kernel.js";
import { deliveriesOf, webhooksOf } from "../webhooks/webhooks.js";
import { createAccountKeys, type KeyServices, requireManager } from "./account-keys.js";
import { createAccountProfile } from "./account-profile.js";
import type { AccountServices } from "./account-services.js";
import { createAccountUsage, getAccount, toCallWire } from "./account-usage.js";
import { feedbackOf } from "./feedback.js";
import { createInvoices, type InvoiceServices } from "./invoices.js";
import { grantedAccessOf } from "./oauth-grants.js";

/** What an account's owner may ask, paying nothing. Changes throw SCOPE_FORBIDDEN for a key that does not manage it. */
export type AccountOperations = ReturnType<typeof createAccountOperations>;

export function createAccountOperations(services: KeyServices & InvoiceServices) {
	const lists: AccountLists = createAccountLists(services);
	return { ...lists, accountExport: createAccountExport({ ...services, lists }) };
}

type AccountLists = ReturnType<typeof createAccountLists>;

function createAccountLists(services: KeyServices & InvoiceServices) {
	const keys: ReturnType<typeof createAccountKeys> = createAccountKeys(services);
	const profile: ReturnType<typeof createAccountProfile> = createAccountProfile(services);
	return { ...keys, ...profile, ...createAccountUsage(services), ...createInvoices(services) };
}

interface ExportServices extends Pick<AccountServices, "store" | "clock"> {
	/** The lists that its owner can ask for one by one. */
	readonly lists: AccountLists;
}

const PAGE = 200;
const FIRST_DAY = "1970-01-01";

/**
 * All that is held about an account, as pieces of one JSON object: profile, keys, usage, every posting and receipt, the
 * text of its queries and of its tasks. Read in small parts; few at a time, and one of an account: throws RATE_LIMITED
 * while others run.
 */
function createAccountExport(deps: ExportServices) {
	const running = new Set<string>();
	return async function* (
		access: AccountAccess,
		signal: AbortSignal,
	): AsyncGenerator<string, void, undefined> {
		requireManager(access);
		const { accountId } = access;
		if (running.has(accountId) || running.size >= LIMITS.accountExportsRunning) {
			throw new ServiceError("RATE_LIMITED", "Other exports are running; ask again in a minute.", {
				retryAfterSeconds: 60,
			});
		}
		running.add(accountId);
		try {
			for await (const piece of pieces(deps, access)) {
				signal.throwIfAborted();
				yield piece;
			}
		} finally {
			running.delete(accountId);
		}
	};
}

async function* pieces(deps: ExportServices, access: AccountAccess) {
	const { store, lists } = deps;
	const { id, createdAt } = await getAccount(store, access.accountId);
	const asked = { by: "day", from: FIRST_DAY } as const;
	const parts: Readonly<Record<string, Json>> = {
		account: await lists.accountGet(access),
		quota: await lists.accountQuota(access),
		keys: await lists.accountKeys(access),
		connection_tokens: await lists.accountConnections(access),
		usage: await lists.accountUsage(access, asked),
	};
	yield "{";
	for (const [name, part] of Object.entries(parts)) {
		yield `${JSON.stringify(name)}:${JSON.stringify(part["items"] ?? part)},`;
	}
	const items: Readonly<Record<string, AsyncIterable<object>>> = {
		postings: postingsOf(store, id),
		calls: callsOf(store, id, createdAt),
		queries: store.queryLog.read(id),
		feedback: feedbackOf(store, id),
		jobs: jobsOf(store, id),
		schedules: schedulesOf(deps, id),
		webhooks: webhooksOf(store, id),
		webhook_deliveries: deliveriesOf(store, id),
		granted_access: grantedAccessOf(store, id),
		results: artifactsOf(store, id),
		chats: chatsOf(store, id),
		refund_requests: refundRequestsOf(store, id),
	};
	for (const [name, rows] of Object.entries(items)) {
		yield* list(name, rows);
		yield ",";
	}
	yield* list("tasks", tasksOf(store, id));
	yield "}";
}

async function* list(name: string, items: AsyncIterable<object>) {
	let separator = `${JSON.stringify(name)}:[`;
	for await (const item of items) {
		yield `${separator}${JSON.stringify(item)}`;
		separator = ",";
	}
	yield separator === "," ? "]" : `${separator}]`;
}

async function* postingsOf(store: Store, accountId: string) {
	let cursor: string | undefined;
	do {
		const page = await store.statement(accountId, { limit: PAGE, cursor });
		for (const posting of page.postings) yield toStatementLine(accountId, posting);
		cursor = page.next;
	} while (cursor !== undefined);
}

async function* callsOf(store: Store, accountId: string, since: number) {
	let cursor: string | undefined;
	do {
		const page = await store.receipts(accountId, { limit: PAGE, cursor, since });
		for (const receipt of page.receipts) yield toCallWire(receipt);
		cursor = page.next;
	} while (cursor !== undefined);
}

async function* refundRequestsOf(store: Store, accountId: string) {
	const rows = await store.read((reader) => reader.findBy("refund_requests", "owner", accountId));
	for (const row of rows) {
		const { id: refund_id, receiptId: receipt_id, state } = row;
		const reason = await readRefundReason(store, row);
		yield { refund_id, receipt_id, reason, state, created_at: toIsoTime(row.createdAt) };
	}
}

/** A2A tasks with their messages and artifacts, as far as their time is not over. */
async function* tasksOf(store: Store, accountId: string) {
	const rows = await store.read((reader) => reader.findBy("tasks", "owner", accountId));
	for (const { id, state, documentId } of rows) {
		const text = await store.documents.get(documentId);
		if (text !== undefined) yield { id, state, task: JSON.parse(text) as unknown };
	}
}

/** Jobs with what they were asked, as far as they are remembered; their reports are among the results. */
async function* jobsOf(store: Store, accountId: string) {
	const rows = await store.read((reader) => reader.findBy("jobs", "owner", accountId));
	for (const row of rows) {
		const input = await store.documents.get(inputDocument(row.id));
		const asked = input === undefined ? null : (JSON.parse(input) as unknown);
		yield { ...toJobWire(row, row.updatedAt), asked };
	}
}
