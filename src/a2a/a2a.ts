import type { CardSigningKey, X402Terms } from "../../agent-card/agent-card.js";
import type { RunningServer } from "../http/http.js";
import { stackOf } from "../kernel/kernel.js";
import { createA2aRouter, createCardSource } from "./a2a-router.js";
import type { A2aServices } from "./exchange.js";
import type { GrpcCallDeps } from "./grpc-call.js";
import type { GrpcAddress } from "./grpc-server.js";
import { createPaymentService } from "./payment-service.js";
import { createBuyAnswer } from "./purchase.js";
import { createPushService, type PushTransport } from "./push-service.js";
import { createPushSign } from "./push-targets.js";
import { createRequestHandler } from "./request-handler.js";
import { createKeepPaid, createSell } from "./sell.js";
import { createLiveTasks, createTaskArchive } from "./task-archive.js";
import { createTaskWatch } from "./task-events.js";

/** The whole transport, for the composition root. */
export type A2a = ReturnType<typeof createA2a>;

/** How gRPC is offered. */
export interface GrpcOffer extends GrpcAddress, Pick<GrpcCallDeps, "rates" | "isProxy"> {
	/** Host and port under which callers reach it; where it listens if absent. */
	readonly publicUrl: string | undefined;
}

export interface GrpcListening extends RunningServer {
	/** Host and port, as the card names them. */
	readonly url: string;
}

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
	const acceptsX402 = x402 !== undefined;
	let grpcUrl: string | undefined;
	const signingKey = signingJwk;
	const card = createCardSource({ service, revision, signingKey, x402, grpcUrl: () => grpcUrl });
	const deps = { ...options, acceptsX402, tasks, watch, push };
	const sell = createSell(deps);
	const keepPaid = createKeepPaid(deps);
	const paymentService = createPaymentService({ ...deps, sell, keepPaid });
	const requestHandler = createRequestHandler({
		...deps,
		card: async () => (await card()).card,
		openTasks: paymentService,
		buy: createBuyAnswer({ ...deps, sell, keepPaid, paymentService }),
	});
	const recover = async () => {
		await paymentService.takeUp();
		const interrupted = await tasks.recover();
		if (interrupted > 0) logger?.info("unfinished tasks were failed", { tasks: interrupted });
	};
	return {
		/** Mount it at the root. */
		router: createA2aRouter({ ...deps, card, requestHandler }),
		/**
		 * Listens for gRPC as well, whose code is loaded here: no start waits for what is not offered (docs/adr/0065). From now on
		 * the card names it, under `publicUrl` where that is set.
		 */
		async listenGrpc(offer: GrpcOffer): Promise<GrpcListening> {
			const { listenGrpc, toTarget } = await import("./grpc-server.js");
			// Behind a proxy it is the proxy that has the certificate.
			const scheme = offer.tls || offer.publicUrl ? "https" : "http";
			const url = () => grpcUrl ?? "";
			const baseUrl = () => `${scheme}://${url()}`;
			const server = await listenGrpc({ ...deps, ...offer, requestHandler, baseUrl }, offer);
			grpcUrl = offer.publicUrl ?? toTarget(server);
			return { ...server, url: grpcUrl };
		},
		/**
		 * Fails the tasks a crash left unfinished and no job goes on with, and goes on notifying of the others; call once, when
		 * the base address is known.
		 */
		async start() {
			await recover();
			await push.resume();
		},
		/** Takes over the tasks that wait of processes that have ended; fails what they left unfinished and no job goes on with. */
		recover,
		async close() {
			paymentService.close();
			await push.close();
		},
		async sweep(now: number) {
			await tasks.sweep(now);
			await paymentService.sweep(now);
		},
	};
}
