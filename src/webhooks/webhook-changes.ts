import type { Store, StoreTransaction, WebhookRow } from "../../store/store.js";
import type { Caller } from "../contract/contract.js";
import { assertCallerTarget } from "../delivery/delivery.js";
import { type Clock, type Random, ServiceError } from "../kernel/kernel.js";
import { pauseWebhook } from "./webhook-events.js";
import { getWebhook, noWebhook, toWebhookWire } from "./webhook-record.js";
import { newSecret, type WebhookText, type WebhookTexts } from "./webhook-texts.js";
import type { WebhookChange, WebhookWire } from "./webhook-wire.js";

export interface WebhookSecret {
	readonly secret: string;
}

/** Changes of a webhook: all that was asked for, or nothing. */
export interface WebhookChanges {
	change(caller: Caller, id: string, change: WebhookChange): Promise<WebhookWire>;
	/** A new secret, told this once; the old one signs too for so many seconds. */
	rotate(caller: Caller, id: string, overlapSeconds: number): Promise<WebhookWire & WebhookSecret>;
}

export interface WebhookChangeDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly random: Random;
	readonly texts: WebhookTexts;
}

export function createWebhookChanges(deps: WebhookChangeDeps): WebhookChanges {
	const { store, clock, random } = deps;
	return {
		async change(caller, id, change) {
			const row = await getWebhook(store, caller, id);
			if (change.url !== undefined) maskUrl(change.url);
			const changed = await rewrite(deps, row, {
				text: (text) => ({
					...text,
					url: change.url ?? text.url,
					...(change.description !== undefined && {
						description: change.description ?? undefined,
					}),
				}),
				row: (current) => withChange(current, change),
				isPaused: change.status === "paused",
			});
			return describe(deps, changed);
		},

		async rotate(caller, id, overlapSeconds) {
			const row = await getWebhook(store, caller, id);
			const secret = newSecret(random);
			const until = clock.now() + overlapSeconds * 1_000;
			const changed = await rewrite(deps, row, {
				text: (text) => ({ ...text, secret, previous: { secret: text.secret, until } }),
				row: ({ previousUntil: _, ...rest }) => ({
					...rest,
					...(overlapSeconds > 0 && { previousUntil: until }),
				}),
				isPaused: false,
			});
			return { ...(await describe(deps, changed)), secret };
		},
	};
}

interface Rewriting {
	readonly text: (text: WebhookText) => WebhookText;
	readonly row: (row: WebhookRow) => WebhookRow;
	readonly isPaused: boolean;
}

/** A text of its own for each change: whichever comes last names it, and a crash leaves the old one whole. */
async function rewrite(
	deps: WebhookChangeDeps,
	{ id, documentId: before }: WebhookRow,
	to: Rewriting,
): Promise<WebhookRow> {
	const { texts, clock } = deps;
	const text = await texts.get({ documentId: before });
	if (!text) throw noWebhook();
	const documentId = documentOf(deps, id);
	const expiresAt = await texts.put(documentId, to.text(text));
	const changed = await writeOrForget(deps, documentId, async (tx) => {
		const row = await tx.get("webhooks", id);
		if (!row) throw noWebhook();
		if (row.documentId !== before) throw changedMeanwhile();
		const next = { ...to.row(row), documentId, expiresAt };
		await tx.put("webhooks", next);
		return to.isPaused ? pauseWebhook(tx, next, { reason: "asked", now: clock.now() }) : next;
	});
	await texts.forget(before);
	return changed;
}

function withChange(row: WebhookRow, { url, events, status }: WebhookChange): WebhookRow {
	const { reason, failingSince, ...rest } = row;
	const isResumed = status === "active" && row.status === "paused";
	const isFresh = isResumed || url !== undefined;
	return {
		...(isFresh ? { ...rest, failedAttempts: 0 } : row),
		...(isFresh && !isResumed && reason !== undefined && { reason }),
		...(isResumed && { status: "active" as const }),
		...(url !== undefined && { masked: maskUrl(url) }),
		...(events && { events }),
	};
}

/** What was written for a row that did not come to be belongs to nothing. */
export async function writeOrForget<T>(
	{ store, texts }: Pick<WebhookChangeDeps, "store" | "texts">,
	documentId: string,
	work: (tx: StoreTransaction) => Promise<T>,
): Promise<T> {
	try {
		return await store.transaction(work);
	} catch (error) {
		await texts.forget(documentId);
		throw error;
	}
}

export async function describe({ texts }: Pick<WebhookChangeDeps, "texts">, row: WebhookRow) {
	return toWebhookWire(row, (await texts.get(row))?.description);
}

const REF_BYTES = 12;

export function documentOf({ random }: Pick<WebhookChangeDeps, "random">, id: string): string {
	return `${id}-${Buffer.from(random.bytes(REF_BYTES)).toString("base64url")}`;
}

/** Of an address that may be called the host alone. Throws INVALID_ARGUMENT. */
export function maskUrl(url: string): string {
	return `https://${assertCallerTarget(url).host}/…`;
}

function changedMeanwhile(): ServiceError {
	return new ServiceError(
		"IDEMPOTENCY_IN_FLIGHT",
		"The webhook was changed by another request in the same moment; send yours again.",
		{ retryAfterSeconds: 1 },
	);
}
