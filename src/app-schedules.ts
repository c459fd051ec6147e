import type { Store } from "../store/store.js";
import type { Money } from "./app-money.js";
import type { ArtefactShelf } from "./core/artefacts.js";
import type { Clock } from "./core/clock.js";
import type { Egress } from "./core/egress.js";
import type { Logger } from "./core/logger.js";
import type { Random } from "./core/random.js";
import { SCHEDULE_LIMITS } from "./core/schedule-limits.js";
import { createCallerEgress } from "./delivery/caller-egress.js";
import { createSmtpMailer } from "./delivery/mail.js";
import { createBriefings } from "./evidence/briefing.js";
import type { Writer } from "./evidence/writer.js";
import { createScheduleDelivery } from "./jobs/schedule-delivery.js";
import { createScheduleWorker, type ScheduleWorker } from "./jobs/schedule-worker.js";
import type { GraphCatalog } from "./knowledge/catalog.js";
import type { HybridSearch } from "./search/search.js";
import { createMailRefusals } from "./service/mail-refusals.js";
import { createScheduleBilling } from "./service/schedule-billing.js";
import { createScheduleBook } from "./service/schedule-book.js";
import { createScheduleConsent } from "./service/schedule-consent.js";
import { createScheduleDesk } from "./service/schedule-desk.js";
import { createScheduleLinks } from "./service/schedule-links.js";
import { createSchedulePreview } from "./service/schedule-preview.js";
import { createScheduleRuns } from "./service/schedule-runs.js";
import { createScheduleTexts } from "./service/schedule-text.js";
import type { Schedules } from "./service/schedules.js";
import { createSealedText } from "./service/sealed-text.js";
import type { Settings } from "./settings.js";

export interface ScheduleServiceDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly random: Random;
	readonly logger: Logger;
	readonly settings: Pick<Settings, "mail">;
	readonly pepper: Uint8Array;
	readonly money: Pick<Money, "prices" | "methods" | "guard">;
	readonly catalog: GraphCatalog;
	readonly search: HybridSearch;
	readonly artefacts: ArtefactShelf;
	readonly writer: Writer;
	readonly baseUrl: () => string;
	/** How Slack is reached; by https to its own host where absent. */
	readonly slack?: Egress | undefined;
}

const SLACK_HOST = "hooks.slack.com";

/** Briefings and their subscriptions, wired to one store. */
export function createSchedules(deps: ScheduleServiceDeps): Schedules {
	const { store, clock, random, pepper, artefacts, money, settings, baseUrl } = deps;
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
	const runs = createScheduleRuns({ store, artefacts });
	const parts = {
		...deps,
		compose,
		texts,
		runs,
		readRun: runs.read,
		refusals,
		canMail: mail !== undefined,
		billing: createScheduleBilling({ ...money, store, clock }),
		delivery: createScheduleDelivery({ mailer, slack, links }),
	};
	return {
		book: createScheduleBook(parts),
		desk: createScheduleDesk(parts),
		free: {
			...createScheduleConsent({ store, links, refusals, clock }),
			preview: createSchedulePreview(compose),
		},
		worker: createScheduleWorker(parts),
	};
}

/** Looks for what is due again and again; the returned function stops that and waits for what is under way. */
export function startScheduleWorkers({
	worker,
	clock,
	logger,
}: {
	readonly worker: ScheduleWorker;
	readonly clock: Clock;
	readonly logger: Logger;
}): () => Promise<void> {
	const running = new Set<Promise<void>>();
	const stopping = new AbortController();
	const tick = () => {
		if (running.size >= SCHEDULE_LIMITS.workersMax) return;
		const done: Promise<void> = worker
			.tick(stopping.signal)
			.then(() => undefined)
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
