import { resolve } from "node:path";
import { createApp } from "../app.js";
import { createOperatorEgress } from "../delivery/egress.js";
import type { Operator } from "../service/operator.js";
import type { Settings } from "../settings.js";
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
		return await command(app.operator);
	} finally {
		await app.close();
	}
}
