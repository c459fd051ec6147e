import type { CardSigningKey, X402Terms } from "../../agent-card/agent-card.js";
import { stackOf } from "../kernel/kernel.js";
import { createA2aRouter, createCardSource } from "./a2a-router.js";
import type { A2aServices } from "./exchange.js";
import { createPushService, type PushTransport } from "./push-service.js";
import { createPushSign } from "./push-targets.js";
import { createLiveTasks, createTaskArchive } from "./task-archive.js";
import { createTaskWatch } from "./task-events.js";

/** The whole transport, for the composition root. */
export type A2a = ReturnType<typeof createA2a>;

export function createA2a(
	options: Omit<A2aServices, "acceptsX402"> & {
		/** Changes with what is on sale. */
		readonly revision: () => string;
		/** Private ES256 key that signs the card; after a rotation another one. */
		readonly signingJwk: () => CardSigningKey;
		/** Where payments on a chain settle; absent while none is configured. */
		readonly x402?: X402Terms | undefined;
		/** How those are reached who want to be notified of a task that a job goes on behind; without it no one is. */
		readonly push?: PushTransport | undefined;
	},
) {
	const { service, revision, store, clock, signingJwk, x402, jobs, logger } = options;
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
		/** Mount it at the root. */
		router: createA2aRouter({ ...options, tasks, watch, push, card, acceptsX402 }),
		/**
		 * Fails the tasks a crash left unfinished and no job goes on with, and goes on notifying of the others; call once, when
		 * the base address is known.
		 */
		async start() {
			const interrupted = await tasks.recover();
			if (interrupted > 0) logger?.info("unfinished tasks were failed", { tasks: interrupted });
			await push.resume();
		},
		close: push.close,
		sweep: tasks.sweep,
	};
}
