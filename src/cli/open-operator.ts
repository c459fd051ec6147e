import { resolve } from "node:path";
import { type App, createApp } from "../app/app.js";
import { createOperatorEgress } from "../delivery/delivery.js";
import { ServiceError } from "../kernel/kernel.js";
import type { Operator } from "../operator/operator.js";
import { planOnchain, type Settings } from "../settings/settings.js";
import { createOperatorClient } from "./operator-client.js";
import { findServer } from "./server-file.js";

/**
 * Runs one operator command: through the running server while one holds the data folder, else on the folder itself.
 * Throws UNAVAILABLE when another process holds the folder without answering.
 */
export async function withOperator<T>(
	settings: Settings,
	command: (operator: Operator) => Promise<T>,
): Promise<T> {
	const server = findServer(resolve(settings.data));
	if (server)
		return command(
			createOperatorClient(createOperatorEgress(new URL(server.admin_url).hostname), server),
		);
	const app = await createApp({ settings });
	try {
		return await command(withIndexDone(app, withoutChain(settings, app.operator)));
	} finally {
		await app.close();
	}
}

/** Whoever serves the folder next finds the vectors of what a command changed. */
function withIndexDone({ ready }: Pick<App, "ready">, operator: Operator): Operator {
	const thenReady = async <T>(work: Promise<T>): Promise<T> => {
		const result = await work;
		await ready();
		return result;
	};
	return {
		...operator,
		putConcept: (request) => thenReady(operator.putConcept(request)),
		removeConcept: (request) => thenReady(operator.removeConcept(request)),
	};
}

/** Only a server opens the chain its settings name, so what needs it says that none runs, and not that none is named. */
function withoutChain(settings: Settings, operator: Operator): Operator {
	const assertNoneNamed = () => {
		const plan = planOnchain(settings.onchain, settings.profile);
		// A chain that nobody can read is no matter of the server.
		if (plan.kind === "off" || (plan.kind === "remote" && plan.rpcUrl === undefined)) return;
		throw new ServiceError(
			"UNAVAILABLE",
			"This needs the chain, and only a running server reaches it: start the server first (tollgraph serve, with the same settings), then run this again.",
		);
	};
	return {
		...operator,
		async payRefund(request) {
			const { items } = await operator.listRefunds();
			const row = items.find(({ id }) => id === request.id);
			const isTransfer = row !== undefined && row.destination !== null && row.state !== "paid";
			if (isTransfer && request.tx === undefined) assertNoneNamed();
			return operator.payRefund(request);
		},
		async reconcileLedger(...request) {
			assertNoneNamed();
			return operator.reconcileLedger(...request);
		},
	};
}
