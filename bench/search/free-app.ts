/** An app over a data folder alone, whose searches cost nothing and whose log says nothing. */
import type { AppOptions } from "../../src/app.js";

export function freeApp(folder: string): AppOptions {
	return {
		settings: {
			profile: "demo",
			host: "127.0.0.1",
			port: 0,
			data: folder,
			catalog: "none",
			model: "bundled",
			publicUrl: undefined,
			onchain: { facilitator: "off" },
			prices: { "graphs.search": { amountMicros: 0n, billingType: "per_call" } },
		},
		logger: { info: () => undefined, error: () => undefined },
		isServing: true,
	};
}
