import type { Test } from "tap";
import { manualClock } from "../support/manual-clock.js";
import { startApp } from "../support/start-app.js";
import { startHookReceiver } from "./hook-receiver.js";

export const HOOKS = "/v1/webhooks";

interface WebhookShopOptions {
	readonly now?: string;
	readonly catalog?: string;
	readonly folder?: string | undefined;
}

/** A shop, a receiver of its webhooks, and a way for anybody with a secret to ask it. */
export async function startWebhookShop(
	t: Test,
	{ now = "2026-03-10T12:00:00Z", catalog = "none", folder }: WebhookShopOptions = {},
) {
	const receiver = await startHookReceiver(t);
	const clock = manualClock(now);
	const app = await startApp(t, {
		clock,
		callerEgress: receiver.egress,
		settings: { model: "none", catalog },
		...(folder !== undefined && { folder }),
	});
	const askAs = (secret: string) => (method: string, path: string, body?: object) =>
		app.send(path, {
			method,
			headers: {
				[secret.startsWith("spt_") ? "X-Pay-SPT" : "X-API-Key"]: secret,
				"Content-Type": "application/json",
			},
			...(body && { body: JSON.stringify(body) }),
		});
	const tick = () => app.app.webhooks.dispatch.tick();
	return { ...app, ...receiver, clock, askAs, tick };
}
