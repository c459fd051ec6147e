import type { Store, StoreTransaction, WebhookDeliveryRow, WebhookRow } from "../../store/store.js";
import {
	type Caller,
	createBoundedWork,
	grantIdOf,
	isTheirs,
	type PageRequest,
	readCursor,
	takePage,
} from "../contract/contract.js";
import { assertCallerTarget } from "../delivery/delivery.js";
import { type Ids, invalidArgument, notFound, ServiceError } from "../kernel/kernel.js";
import type { WebhookDispatch, WebhookServices } from "./webhook-dispatch.js";
import { pauseWebhook, toEventBody } from "./webhook-events.js";
import {
	getWebhook,
	newSecret,
	noWebhook,
	refuseReplaced,
	signingSecrets,
	toDeliveryWire,
	toWebhookWire,
	type WebhookText,
} from "./webhook-record.js";
import { WEBHOOK_LIMITS, type WebhookChange, type WebhookOrder } from "./webhook-wire.js";

/** Webhooks, as their owners see them and as they are sent. */
export interface WebhookParts {
	readonly service: Webhooks;
	readonly dispatch: WebhookDispatch;
}

type OwnerServices = Omit<WebhookServices, "logger" | "baseUrl"> & { readonly ids: Ids };
type ChangeServices = Pick<WebhookServices, "store" | "clock" | "random" | "texts">;

/** Addresses to which a caller wants events sent; others' and unknown ids throw the same NOT_FOUND. */
export type Webhooks = ReturnType<typeof createWebhooks>;

export function createWebhooks(deps: OwnerServices) {
	const { store, clock, random, texts } = deps;
	const { change, rotate } = createWebhookChanges(deps);
	return {
		...createWebhookDeliveries(deps),
		change,
		rotate,
		test: createTest(deps),

		async list(caller: Caller) {
			refuseReplaced(caller);
			const rows = await store.read((reader) => reader.findBy("webhooks", "owner", caller.owner));
			const mine = rows.filter((row) => isTheirs(caller, row));
			return { items: await Promise.all(mine.map((row) => describe(deps, row))) };
		},

		/** With its secret, this once. Throws INVALID_ARGUMENT for an address that may not be called, or for one too many. */
		async create(caller: Caller, order: WebhookOrder) {
			refuseReplaced(caller);
			const { url, description } = order;
			const masked = maskUrl(url);
			const secret = newSecret(random);
			const id = deps.ids.next("whk");
			const documentId = documentOf(deps, id);
			const expiresAt = await texts.put(documentId, { url, secret, description });
			const grantId = grantIdOf(caller.access);
			const row: WebhookRow = {
				id,
				owner: caller.owner,
				...(grantId !== undefined && { grantId }),
				isForAll: caller.access?.isManager ?? true,
				documentId,
				masked,
				events: order.events,
				status: "active",
				failedAttempts: 0,
				createdAt: clock.now(),
				expiresAt,
			};
			await writeOrForget(deps, documentId, async (tx) => {
				const others = await tx.findBy("webhooks", "owner", caller.owner);
				if (others.length >= WEBHOOK_LIMITS.perOwnerMax) {
					throw invalidArgument(
						`You have ${WEBHOOK_LIMITS.perOwnerMax} webhooks, as many as there may be; delete one first.`,
					);
				}
				await tx.put("webhooks", row);
			});
			return { ...toWebhookWire(row, description), secret };
		},

		/** Nothing more is sent; address and secret are gone before this resolves. */
		async remove(caller: Caller, id: string) {
			const row = await getWebhook(store, caller, id);
			await texts.forget(row.documentId);
			const documentId = await store.transaction(async (tx) => {
				for (const { id: delivery } of await tx.findBy("webhook_deliveries", "webhookId", id)) {
					await tx.delete("webhook_deliveries", delivery);
				}
				const current = await tx.get("webhooks", id);
				await tx.delete("webhooks", id);
				return current?.documentId;
			});
			// A change that came in between has written a text of its own.
			if (documentId && documentId !== row.documentId) await texts.forget(documentId);
			return { id, status: "deleted" as const };
		},
	};
}

/** Sends a signed test event at once, paused or not. */
function createTest({ store, clock, ids, texts, send }: OwnerServices) {
	const bounded = createBoundedWork({ running: 4, waiting: 16 });
	return async (caller: Caller, id: string, signal: AbortSignal) => {
		const text = await texts.get(await getWebhook(store, caller, id));
		if (!text) throw noWebhook();
		const eventId = ids.next("evt");
		const now = clock.now();
		const body = toEventBody(
			{ type: "webhook.test", data: { webhook_id: id }, occurredAt: now },
			"",
		);
		const secrets = signingSecrets(text, now);
		const { httpStatus = null, failure = null } = await bounded(
			() => send({ url: text.url, secrets, eventId, body }),
			signal,
		);
		const is_delivered = failure === null;
		return { is_delivered, event_id: eventId, http_status: httpStatus, failure };
	};
}

/** All webhooks of an owner, for exports; without their secrets. */
export async function* webhooksOf(store: Store, owner: string) {
	const rows = await store.read((reader) => reader.findBy("webhooks", "owner", owner));
	for (const row of rows) {
		const { description: _, ...wire } = toWebhookWire(row, undefined);
		yield wire;
	}
}

/** Changes of a webhook: all that was asked for, or nothing. */
function createWebhookChanges(deps: ChangeServices) {
	const { store, clock, random } = deps;
	return {
		async change(caller: Caller, id: string, change: WebhookChange) {
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

		/** A new secret, shown this once; the old one signs too for so many seconds. */
		async rotate(caller: Caller, id: string, overlapSeconds: number) {
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

/** A text of its own for each change: whichever comes last names it, and a crash leaves the old one whole. */
async function rewrite(
	deps: ChangeServices,
	{ id, documentId: before }: WebhookRow,
	to: {
		readonly text: (text: WebhookText) => WebhookText;
		readonly row: (row: WebhookRow) => WebhookRow;
		readonly isPaused: boolean;
	},
): Promise<WebhookRow> {
	const { texts, clock } = deps;
	const text = await texts.get({ documentId: before });
	if (!text) throw noWebhook();
	const documentId = documentOf(deps, id);
	const expiresAt = await texts.put(documentId, to.text(text));
	const changed = await writeOrForget(deps, documentId, async (tx) => {
		const row = await tx.get("webhooks", id);
		if (!row) throw noWebhook();
		if (row.documentId !== before) {
			throw new ServiceError(
				"IDEMPOTENCY_IN_FLIGHT",
				"The webhook was changed by another request in the same moment; send yours again.",
				{ retryAfterSeconds: 1 },
			);
		}
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
async function writeOrForget<T>(
	{ store, texts }: ChangeServices,
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

async function describe({ texts }: ChangeServices, row: WebhookRow) {
	return toWebhookWire(row, (await texts.get(row))?.description);
}

function documentOf({ random }: ChangeServices, id: string): string {
	return `${id}-${Buffer.from(random.bytes(12)).toString("base64url")}`;
}

/** Of an address that may be called the host alone. Throws INVALID_ARGUMENT. */
function maskUrl(url: string): string {
	return `https://${assertCallerTarget(url).host}/…`;
}

/** What was sent to a webhook, or will be. */
function createWebhookDeliveries({ store, clock }: ChangeServices) {
	return {
		/** Newest first, for seven days. Throws INVALID_ARGUMENT for a cursor of another list. */
		async deliveries(caller: Caller, id: string, { limit, cursor }: PageRequest) {
			const hook = await getWebhook(store, caller, id);
			const list = { list: "webhook deliveries", asked: { id } };
			const [before] = cursor === undefined ? [] : readCursor(cursor, list, 1);
			const rows = await store.read((reader) =>
				reader.findBy("webhook_deliveries", "webhookId", hook.id),
			);
			const left = [...rows]
				.sort((one, other) => (placeOf(one) < placeOf(other) ? 1 : -1))
				.filter((row) => before === undefined || placeOf(row) < before);
			const { page, next_cursor } = takePage(left, limit, list, (row) => [placeOf(row)]);
			return { items: page.map(toDeliveryWire), next_cursor };
		},

		/** Sends it again, from the first attempt on, under the same event id. Throws INVALID_ARGUMENT while the webhook is paused. */
		async redeliver(caller: Caller, id: string, deliveryId: string) {
			const { id: webhookId } = await getWebhook(store, caller, id);
			const again = await store.transaction(async (tx) => {
				const row = await tx.get("webhook_deliveries", deliveryId);
				if (row?.webhookId !== webhookId) {
					throw notFound("No delivery of this webhook has this id.");
				}
				const hook = await tx.get("webhooks", webhookId);
				if (hook?.status !== "active") {
					throw invalidArgument(
						'The webhook is paused; resume it first with {"status": "active"}.',
					);
				}
				const now = clock.now();
				const next: WebhookDeliveryRow = {
					...row,
					state: "pending",
					tries: 0,
					nextAt: now,
					updatedAt: now,
					expiresAt: now + WEBHOOK_LIMITS.deliveriesKeptMs,
				};
				await tx.put("webhook_deliveries", next);
				return next;
			});
			return toDeliveryWire(again);
		},
	};
}

/** All deliveries of an owner, for exports. */
export async function* deliveriesOf(store: Store, owner: string) {
	const rows = await store.read((reader) => reader.findBy("webhook_deliveries", "owner", owner));
	for (const row of rows) yield { webhook_id: row.webhookId, ...toDeliveryWire(row) };
}

/** Sorts as they happened. */
function placeOf({ occurredAt, id }: WebhookDeliveryRow): string {
	return `${String(occurredAt).padStart(16, "0")} ${id}`;
}
