import type { Router } from "express";
import type { CardSigningKey } from "../../agent-card/published-card.js";
import type { X402Terms } from "../../agent-card/x402-extension.js";
import type { Store } from "../../store/store.js";
import type { Clock } from "../core/clock.js";
import type { Ids } from "../core/ids.js";
import type { Logger } from "../core/logger.js";
import type { Service } from "../service/service.js";
import { createA2aRouter } from "./a2a-router.js";
import { createCardSource } from "./card-source.js";
import { createTaskArchive } from "./task-archive.js";

export interface A2aOptions {
	readonly service: Service;
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	/** Private ES256 key that signs the card. */
	readonly signingJwk: CardSigningKey;
	/** Where payments on a chain settle; absent while none is configured. */
	readonly x402?: X402Terms | undefined;
	readonly logger?: Logger;
}

/** The whole transport, for the composition root. */
export interface A2a {
	/** Mount it at the root. */
	readonly router: Router;
	/** Fails the tasks a crash left unfinished and signs the card; call once, when the base address is known. */
	start(): Promise<void>;
	/** Forgets the tasks whose time is over; their text goes with the sweep of documents. */
	sweep(now: number): Promise<void>;
}

export function createA2a(options: A2aOptions): A2a {
	const { service, store, clock, ids, signingJwk, x402, logger } = options;
	const tasks = createTaskArchive({ store, clock });
	const card = createCardSource({ service, signingKey: signingJwk, x402 });
	const acceptsX402 = x402 !== undefined;
	return {
		router: createA2aRouter({ service, tasks, card, clock, ids, acceptsX402, logger }),
		async start() {
			const interrupted = await tasks.recover();
			if (interrupted > 0) logger?.info("unfinished tasks were failed", { tasks: interrupted });
			await card();
		},
		sweep: tasks.sweep,
	};
}
