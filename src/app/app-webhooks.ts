import type { Store } from "../../store/store.js";
import { createCallerEgress } from "../delivery/delivery.js";
import {
	type Clock,
	createSealedText,
	type Egress,
	type Ids,
	type Logger,
	type Random,
} from "../kernel/kernel.js";
import {
	createWebhookDeliveries,
	createWebhookDispatch,
	createWebhookSender,
	createWebhooks,
	createWebhookTexts,
	WEBHOOK_LIMITS,
	type WebhookDispatch,
	type WebhookParts,
} from "../webhooks/webhooks.js";

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
		service: createWebhooks({ ...parts, deliveries: createWebhookDeliveries(deps) }),
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
