import type { Store } from "../../store/store-port.js";
import { createCallerEgress } from "../delivery/caller-egress.js";
import type { Clock } from "../kernel/clock.js";
import type { Egress } from "../kernel/egress.js";
import type { Ids } from "../kernel/ids.js";
import type { Logger } from "../kernel/logger.js";
import type { Random } from "../kernel/random.js";
import { createSealedText } from "../kernel/sealed-text.js";
import { createWebhookDeliveries } from "../webhooks/webhook-deliveries.js";
import { createWebhookDispatch, type WebhookDispatch } from "../webhooks/webhook-dispatch.js";
import { WEBHOOK_LIMITS } from "../webhooks/webhook-limits.js";
import { createWebhookSender } from "../webhooks/webhook-sender.js";
import { createWebhooks, type WebhookParts } from "../webhooks/webhook-service.js";
import { createWebhookTexts } from "../webhooks/webhook-texts.js";

/** Webhooks, wired to one store; nothing is sent yet. */
export function openWebhooks(deps: {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly random: Random;
	readonly logger: Logger;
	readonly pepper: Uint8Array;
	readonly baseUrl: () => string;
	/** How addresses that callers name are reached; by https on the public internet where absent. */
	readonly callerEgress?: Egress | undefined;
}): WebhookParts {
	const { store, clock, callerEgress: egress = createCallerEgress() } = deps;
	const seal = createSealedText({ ...deps, purpose: "webhooks" });
	const texts = createWebhookTexts({ documents: store.documents, seal, clock });
	const send = createWebhookSender({ egress, clock });
	const parts = { ...deps, texts, send };
	return {
		desk: createWebhooks({ ...parts, deliveries: createWebhookDeliveries(deps) }),
		dispatch: createWebhookDispatch(parts),
	};
}

/** Looks for what is due again and again; the returned function stops that and waits for what is under way. */
export function startWebhookDispatch({
	dispatch,
	clock,
	logger,
}: {
	readonly dispatch: WebhookDispatch;
	readonly clock: Clock;
	readonly logger: Logger;
}): () => Promise<void> {
	const running = new Set<Promise<void>>();
	const stop = clock.every(WEBHOOK_LIMITS.tickIntervalMs, () => {
		const done: Promise<void> = dispatch
			.tick()
			.then(() => undefined)
			.catch((error: unknown) => logger.error("webhooks failed", { error: String(error) }))
			.finally(() => running.delete(done));
		running.add(done);
	});
	return async () => {
		stop();
		await dispatch.close();
		await Promise.all(running);
	};
}
