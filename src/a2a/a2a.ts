import type { Router } from "express";
import type { CardSigningKey, X402Terms } from "../../agent-card/agent-card.js";
import type { Store } from "../../store/store.js";
import type { JobViews } from "../jobs/jobs.js";
import { type Clock, type Ids, type Logger, stackOf } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import { createA2aRouter, createCardSource } from "./a2a-router.js";
import { createPushSign } from "./push-sender.js";
import { createPushService, type PushTransport } from "./push-service.js";
import { createLiveTasks, createTaskArchive } from "./task-archive.js";
import { createTaskWatch } from "./task-events.js";

/** The whole transport, for the composition root. */
export interface A2a {
	/** Mount it at the root. */
	readonly router: Router;
	/**
	 * Fails the tasks a crash left unfinished and no job goes on with, and goes on notifying of the others; call once, when the base
	 * address is known.
	 */
	start(): Promise<void>;
	/** Stops notifying of tasks; what is not sent yet is sent after the next start. */
	close(): Promise<void>;
	/** Forgets the tasks whose time is over; their text goes with the sweep of documents. */
	sweep(now: number): Promise<void>;
}

export function createA2a(options: {
	readonly service: Service;
	/** Changes with what is on sale. */
	readonly revision: () => string;
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	/** Private ES256 key that signs the card. */
	readonly signingJwk: CardSigningKey;
	/** Where payments on a chain settle; absent while none is configured. */
	readonly x402?: X402Terms | undefined;
	/** What goes on behind tasks of work that outlives its call; without it nothing does. */
	readonly jobs?: JobViews | undefined;
	/** How those are reached who want to be notified of such a task; without it no one is. */
	readonly push?: PushTransport | undefined;
	readonly logger?: Logger;
}): A2a {
	const { service, revision, store, clock, ids, signingJwk, x402, jobs, logger } = options;
	const live = createLiveTasks(jobs);
	const tasks = createTaskArchive({ store, clock, live });
	const watch = createTaskWatch({ jobs, live, clock });
	const sign = createPushSign({ signingKey: signingJwk, clock, issuer: service.info.baseUrl });
	const transport = options.push;
	const push = createPushService({ store, clock, jobs, transport, sign, read: tasks.read, logger });
	jobs?.onEnded((ended) => {
		tasks.settle(ended).catch((error) => {
			// Until the next start its row says that it goes on; what is read of it comes from its job.
			logger?.error("the end of a task was not written down", { error: stackOf(error) });
		});
	});
	const card = createCardSource({ service, revision, signingKey: signingJwk, x402 });
	const acceptsX402 = x402 !== undefined;
	return {
		router: createA2aRouter({
			...{ service, tasks, watch, push },
			card,
			clock,
			ids,
			acceptsX402,
			logger,
		}),
		async start() {
			const interrupted = await tasks.recover();
			if (interrupted > 0) logger?.info("unfinished tasks were failed", { tasks: interrupted });
			await push.resume();
		},
		close: push.close,
		sweep: tasks.sweep,
	};
}
