/** An app over a data folder alone, whose searches cost nothing and whose log says nothing. */
import { resolve } from "node:path";
import type { AppOptions } from "../../src/app/create-app.js";
import type { ModelLocation } from "../../src/search/model/model-folder.js";
import { BUNDLED } from "./our-index.js";

export interface FreeAppInput {
	/** A prepared data folder, made with this model: with another one, searches compare words only. */
	readonly folder: string;
	readonly model: ModelLocation;
}

/** The model as an operator sets it. */
export function toModelSetting({ folder }: ModelLocation): string {
	return resolve(folder) === BUNDLED.folder ? "table" : `local:${resolve(folder)}`;
}

export function freeApp({ folder, model }: FreeAppInput): AppOptions {
	return {
		settings: {
			profile: "demo",
			host: "127.0.0.1",
			port: 0,
			data: folder,
			catalog: "none",
			model: toModelSetting(model),
			judge: "none",
			publicUrl: undefined,
			onchain: { facilitator: "off" },
			prices: { "graphs.search": { amountMicros: 0n, billingType: "per_call" } },
		},
		logger: { info: () => undefined, error: () => undefined },
		isServing: true,
	};
}
