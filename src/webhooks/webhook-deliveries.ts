import type { Store, WebhookDeliveryRow } from "../../store/store.js";
import { type Caller, type PageRequest, readCursor, toCursor } from "../contract/contract.js";
import { type Clock, ServiceError } from "../kernel/kernel.js";
import { WEBHOOK_LIMITS } from "./webhook-limits.js";
import { getWebhook, toDeliveryWire } from "./webhook-record.js";
import type { DeliveryWire } from "./webhook-wire.js";

/** What was sent to a webhook, or will be. */
export interface WebhookDeliveries {
	/** Newest first, for seven days. Throws INVALID_ARGUMENT for a cursor of another list. */
	deliveries(
		caller: Caller,
		id: string,
		page: PageRequest,
	): Promise<{ readonly items: readonly DeliveryWire[]; readonly next_cursor: string | null }>;
	/** Sends it again, from the first attempt on, under the same event id. Throws INVALID_ARGUMENT while the webhook is paused. */
	redeliver(caller: Caller, id: string, deliveryId: string): Promise<DeliveryWire>;
}

export function createWebhookDeliveries({
	store,
	clock,
}: {
	readonly store: Store;
	readonly clock: Clock;
}): WebhookDeliveries {
	return {
		async deliveries(caller, id, { limit, cursor }) {
			const hook = await getWebhook(store, caller, id);
			const list = { list: "webhook deliveries", asked: { id } };
			const [before] = cursor === undefined ? [] : readCursor(cursor, list, 1);
			const rows = await store.read((reader) =>
				reader.findBy("webhook_deliveries", "webhookId", hook.id),
			);
			const left = [...rows]
				.sort((one, other) => (placeOf(one) < placeOf(other) ? 1 : -1))
				.filter((row) => before === undefined || placeOf(row) < before);
			const page = left.slice(0, limit);
			const last = page.at(-1);
			return {
				items: page.map(toDeliveryWire),
				next_cursor: last && left.length > limit ? toCursor(list, [placeOf(last)]) : null,
			};
		},

		async redeliver(caller, id, deliveryId) {
			const { id: webhookId } = await getWebhook(store, caller, id);
			const again = await store.transaction(async (tx) => {
				const row = await tx.get("webhook_deliveries", deliveryId);
				if (row?.webhookId !== webhookId) throw noDelivery();
				const hook = await tx.get("webhooks", webhookId);
				if (hook?.status !== "active") throw isPaused();
				const now = clock.now();
				const times = { nextAt: now, updatedAt: now };
				const expiresAt = now + WEBHOOK_LIMITS.deliveriesKeptMs;
				const next: WebhookDeliveryRow = {
					...row,
					...times,
					state: "pending",
					tries: 0,
					expiresAt,
				};
				await tx.put("webhook_deliveries", next);
				return next;
			});
			return toDeliveryWire(again);
		},
	};
}

/** All deliveries of an owner, for exports. */
export async function* deliveriesOf(
	store: Store,
	owner: string,
): AsyncIterable<DeliveryWire & { readonly webhook_id: string }> {
	const rows = await store.read((reader) => reader.findBy("webhook_deliveries", "owner", owner));
	for (const row of rows) yield { webhook_id: row.webhookId, ...toDeliveryWire(row) };
}

/** Sorts as they happened. */
function placeOf({ occurredAt, id }: WebhookDeliveryRow): string {
	return `${String(occurredAt).padStart(16, "0")} ${id}`;
}

function noDelivery(): ServiceError {
	return new ServiceError("NOT_FOUND", "No delivery of this webhook has this id.");
}

function isPaused(): ServiceError {
	return new ServiceError(
		"INVALID_ARGUMENT",
		'The webhook is paused; resume it first with {"status": "active"}.',
	);
}
