/** The measured side of the hostile calls: the sample catalog on loopback, in a process of its own. */
import { createApp } from "../src/app/create-app.js";
import { readSettings } from "../src/settings/read-settings.js";

export interface HostileServerReady {
	readonly port: number;
	/** One for each time the honest callers call, so that none of them runs out of money. */
	readonly tokens: readonly string[];
	/** Secret of an MCP address, with money for all honest calls. */
	readonly connection: string;
}

/** Before and during three rounds of three kinds, and once to warm up. */
const HONEST_RUNS = 19;

const flags = { data: process.argv[2] ?? "", port: "0", model: "none", facilitator: "off" };
const silent = { info: () => undefined, error: () => undefined };
const app = await createApp({
	settings: readSettings({ flags, environment: {}, folder: flags.data }),
	logger: silent,
});
const server = await app.listen({ host: "127.0.0.1", port: 0 });
await app.ready();
const tokens: string[] = [];
for (let index = 0; index < HONEST_RUNS; index++) {
	tokens.push((await app.operator.issueSpt({ usd: "9000" })).token);
}
const { account_id } = await app.operator.createKey({ usd: "9000" });
const { token: connection } = await app.operator.createToken({ account_id });
const ready: HostileServerReady = { port: server.port, tokens, connection };
process.send?.(ready);
