import {
	createBriefings,
	createMailRefusals,
	createScheduleBook,
	createScheduleConsent,
	createScheduleDelivery,
	createScheduleLinks,
	createSchedulePreview,
	createScheduleRuns,
	createScheduleService,
	createScheduleTexts,
	createScheduleWorker,
	SCHEDULE_LIMITS,
	type Schedules,
	type ScheduleWorker,
} from "../../skills/briefings/briefings.js";
import { createCallerEgress, createSmtpMailer } from "../delivery/delivery.js";
import { createSealedText } from "../kernel/kernel.js";
import { createScheduleBilling } from "../sales/sales.js";
import {
	createWebhookDispatch,
	createWebhookSender,
	createWebhooks,
	createWebhookTexts,
	WEBHOOK_LIMITS,
	type WebhookDispatch,
	type WebhookParts,
} from "../webhooks/webhooks.js";
import type { Wiring } from "./services.js";

const SLACK_HOST = "hooks.slack.com";

/** Briefings and their subscriptions, wired to one store. */
export function createSchedules(
	deps: Pick<
		Wiring,
		| "store"
		| "clock"
		| "random"
		| "logger"
		| "settings"
		| "pepper"
		| "money"
		| "catalog"
		| "search"
		| "artifacts"
		| "writer"
		| "baseUrl"
		| "slack"
	>,
): Schedules {
	const { store, clock, random, pepper, artifacts, money, settings, baseUrl } = deps;
	const seal = (purpose: string) => createSealedText({ pepper, random, purpose });
	const links = createScheduleLinks({ seal: seal("schedule links"), clock, baseUrl });
	const texts = createScheduleTexts({
		documents: store.documents,
		seal: seal("schedule targets"),
		clock,
	});
	const refusals = createMailRefusals({ store, texts, pepper, clock });
	const { mail } = settings;
	const mailer = mail && createSmtpMailer({ ...mail, timeoutMs: SCHEDULE_LIMITS.mailTimeoutMs });
	const slack = deps.slack ?? createCallerEgress({ hosts: [SLACK_HOST], ports: [443] });
	const compose = createBriefings(deps);
	const runs = createScheduleRuns(store, artifacts);
	const parts = {
		...deps,
		compose,
		texts,
		runs,
		refusals,
		canMail: mail !== undefined,
		billing: createScheduleBilling({ ...money, store, clock }),
		delivery: createScheduleDelivery({ mailer, slack, links, baseUrl, logger: deps.logger }),
	};
	return {
		book: createScheduleBook(parts),
		service: createScheduleService(parts),
		free: {
			...createScheduleConsent({ store, links, refusals, clock, baseUrl }),
			preview: createSchedulePreview(compose),
		},
		worker: createScheduleWorker(parts),
	};
}

/** Looks for what is due again and again; the returned function stops that and waits for what is under way. */
export function startScheduleWorkers({
	worker,
	time,
	clock,
	logger,
	processes,
}: Pick<Wiring, "time" | "clock" | "logger" | "processes"> & {
	readonly worker: ScheduleWorker;
}): () => Promise<void> {
	const running = new Set<Promise<void>>();
	const stopping = new AbortController();
	const tick = () => {
		if (!processes.isLeader() || running.size >= SCHEDULE_LIMITS.workersMax) return;
		const done: Promise<void> = time
			.check()
			.then(async (isTrusted) => void (isTrusted && (await worker.tick(stopping.signal))))
			.catch((error: unknown) => logger.error("schedules failed", { error: String(error) }))
			.finally(() => running.delete(done));
		running.add(done);
	};
	const stop = clock.every(SCHEDULE_LIMITS.tickIntervalMs, tick);
	return async () => {
		stop();
		stopping.abort();
		await Promise.all(running);
	};
}

/** Webhooks, wired to one store; nothing is sent yet. */
export function openWebhooks(
	deps: Pick<
		Wiring,
		"store" | "clock" | "ids" | "random" | "logger" | "pepper" | "baseUrl" | "callerEgress"
	>,
): WebhookParts {
	const { store, clock, callerEgress: egress = createCallerEgress() } = deps;
	const seal = createSealedText({ ...deps, purpose: "webhooks" });
	const texts = createWebhookTexts({ documents: store.documents, seal, clock });
	const send = createWebhookSender({ egress, clock });
	const parts = { ...deps, texts, send };
	return {
		service: createWebhooks(parts),
		dispatch: createWebhookDispatch(parts),
	};
}

/** Looks for what is due again and again; the returned function stops that and waits for what is under way. */
export function startWebhookDispatch({
	dispatch,
	clock,
	logger,
	processes,
}: Pick<Wiring, "clock" | "logger" | "processes"> & {
	readonly dispatch: WebhookDispatch;
}): () => Promise<void> {
	const running = new Set<Promise<void>>();
	const stop = clock.every(WEBHOOK_LIMITS.tickIntervalMs, () => {
		if (!processes.isLeader()) return;
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
