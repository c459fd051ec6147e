import type { Store } from "../../store/store.js";
import { type A2a, createA2a } from "../a2a/a2a.js";
import { assertCallerTarget, createCallerEgress } from "../delivery/delivery.js";
import { createJobViews, type Jobs } from "../jobs/jobs.js";
import { createSealedText } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import type { Ports } from "./app-ports.js";

export interface A2aParts {
	readonly ports: Ports;
	readonly service: Service;
	readonly store: Store;
	readonly jobs: Jobs;
	/** Changes with what is on sale. */
	readonly revision: () => string;
}

/** Agent-to-agent over the whole house: tasks of long work are its jobs, whoever wants to be told is told on the public internet. */
export function openA2a({ ports, service, store, jobs, revision }: A2aParts): A2a {
	const { keys, clock, random, callerEgress: egress = createCallerEgress() } = ports;
	const { pepper, signingJwk } = keys;
	const seal = createSealedText({ pepper, random, purpose: "a2a push targets" });
	return createA2a({
		...ports,
		service,
		revision,
		store,
		signingJwk,
		x402: ports.onchain?.terms,
		jobs: createJobViews({ jobs, clock }),
		push: { egress, judge: assertCallerTarget, seal },
	});
}
