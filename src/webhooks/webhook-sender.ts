import { Webhook } from "standardwebhooks";
import {
	type Clock,
	type Egress,
	type ErrorCode,
	readRetryAfterMs,
	ServiceError,
} from "../kernel/kernel.js";
import { WEBHOOK_LIMITS } from "./webhook-limits.js";
import type { WebhookFailure } from "./webhook-wire.js";

export interface WebhookMessage {
	readonly url: string;
	/** `whsec_…`; each of them signs. */
	readonly secrets: readonly string[];
	/** The same however often one event is sent: receivers tell repetitions by it. */
	readonly eventId: string;
	readonly body: string;
	readonly signal?: AbortSignal | undefined;
}

/** What became of one attempt; nothing of what the receiver wrote is kept. */
export interface WebhookOutcome {
	readonly httpStatus?: number | undefined;
	/** Absent when it was taken. */
	readonly failure?: WebhookFailure | undefined;
	/** How long the receiver asks to be left alone. */
	readonly retryAfterMs?: number | undefined;
}

/** Sends one message once, signed as Standard Webhooks say; never throws for what the receiver does. */
export type SendWebhook = (message: WebhookMessage) => Promise<WebhookOutcome>;

const FAILURE_OF: Readonly<Partial<Record<ErrorCode, WebhookFailure>>> = {
	INVALID_ARGUMENT: "address_refused",
	UPSTREAM: "redirect_or_size",
};

/** The address is judged again each time it is asked; the egress must be that for addresses that callers name. */
export function createWebhookSender({
	egress,
	clock,
}: {
	readonly egress: Egress;
	readonly clock: Pick<Clock, "now">;
}): SendWebhook {
	return async ({ url, secrets, eventId, body, signal }) => {
		const at = new Date(clock.now());
		const signatures = secrets.map((secret) => new Webhook(secret).sign(eventId, at, body));
		try {
			const response = await egress.request({
				method: "POST",
				url,
				headers: {
					"Content-Type": "application/json",
					"User-Agent": "tollgraph-webhooks",
					"webhook-id": eventId,
					"webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
					"webhook-signature": signatures.join(" "),
				},
				body,
				timeoutMs: WEBHOOK_LIMITS.sendTimeoutMs,
				signal,
			});
			const { status: httpStatus, ok } = response;
			if (ok) return { httpStatus };
			const bounds = { now: clock.now(), maxMs: WEBHOOK_LIMITS.retryAfterMaxMs };
			return { httpStatus, failure: "status", retryAfterMs: readRetryAfterMs(response, bounds) };
		} catch (error) {
			const code = error instanceof ServiceError ? error.code : undefined;
			return { failure: (code && FAILURE_OF[code]) ?? "unreachable" };
		}
	};
}
