import type { Store, WebhookRow } from "../../store/store.js";
import { type Caller, createBoundedWork, grantIdOf, isTheirs } from "../contract/contract.js";
import { type Clock, type Ids, type Random, ServiceError } from "../kernel/kernel.js";
import {
	createWebhookChanges,
	describe,
	documentOf,
	maskUrl,
	type WebhookChanges,
	type WebhookSecret,
	writeOrForget,
} from "./webhook-changes.js";
import type { WebhookDeliveries } from "./webhook-deliveries.js";
import type { WebhookDispatch } from "./webhook-dispatch.js";
import { toEventBody } from "./webhook-events.js";
import { WEBHOOK_LIMITS } from "./webhook-limits.js";
import { getWebhook, noWebhook, refuseReplaced, toWebhookWire } from "./webhook-record.js";
import type { SendWebhook } from "./webhook-sender.js";
import { newSecret, signingSecrets, type WebhookTexts } from "./webhook-texts.js";
import type { WebhookOrder, WebhookTestWire, WebhookWire } from "./webhook-wire.js";

/** Addresses that somebody wants to be told of events at; others' and unknown ids throw the same NOT_FOUND. */
export interface Webhooks extends WebhookDeliveries, WebhookChanges {
	list(caller: Caller): Promise<{ readonly items: readonly WebhookWire[] }>;
	/** With its secret, this once. Throws INVALID_ARGUMENT for an address that may not be called, or for one too many. */
	create(caller: Caller, order: WebhookOrder): Promise<WebhookWire & WebhookSecret>;
	/** Nothing more is sent; address and secret are gone before this resolves. */
	remove(caller: Caller, id: string): Promise<{ readonly id: string; readonly status: "deleted" }>;
	/** Sends a signed test event at once, paused or not. */
	test(caller: Caller, id: string, signal: AbortSignal): Promise<WebhookTestWire>;
}

/** Webhooks, as their owners see them and as they are sent. */
export interface WebhookParts {
	readonly desk: Webhooks;
	readonly dispatch: WebhookDispatch;
}

export interface WebhookDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly random: Random;
	readonly texts: WebhookTexts;
	readonly send: SendWebhook;
	readonly deliveries: WebhookDeliveries;
}

export function createWebhooks(deps: WebhookDeps): Webhooks {
	const { store, clock, random, texts } = deps;
	return {
		...deps.deliveries,
		...createWebhookChanges(deps),
		test: createTest(deps),

		async list(caller) {
			refuseReplaced(caller);
			const rows = await store.read((reader) => reader.findBy("webhooks", "owner", caller.owner));
			const mine = rows.filter((row) => isTheirs(caller, row));
			return { items: await Promise.all(mine.map((row) => describe(deps, row))) };
		},

		async create(caller, order) {
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
				if (others.length >= WEBHOOK_LIMITS.perOwnerMax) throw tooMany();
				await tx.put("webhooks", row);
			});
			return { ...toWebhookWire(row, description), secret };
		},

		async remove(caller, id) {
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
			return { id, status: "deleted" };
		},
	};
}

type Test = Webhooks["test"];

function createTest({ store, clock, ids, texts, send }: WebhookDeps): Test {
	const bounded = createBoundedWork({ running: 4, waiting: 16 });
	return async (caller, id, signal) => {
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
export async function* webhooksOf(
	store: Store,
	owner: string,
): AsyncIterable<Omit<WebhookWire, "description">> {
	const rows = await store.read((reader) => reader.findBy("webhooks", "owner", owner));
	for (const row of rows) {
		const { description: _, ...wire } = toWebhookWire(row, undefined);
		yield wire;
	}
}

function tooMany(): ServiceError {
	return new ServiceError(
		"INVALID_ARGUMENT",
		`You have ${WEBHOOK_LIMITS.perOwnerMax} webhooks, as many as there may be; delete one first.`,
	);
}
