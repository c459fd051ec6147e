/** The measured side of the hostile calls: the sample catalog on loopback, in a process of its own. */
import { createApp } from "../src/app.js";
import { readSettings } from "../src/settings.js";

export interface HostileServerReady {
	readonly port: number;
	readonly token: string;
}

const flags = { data: process.argv[2] ?? "", port: "0", model: "none", facilitator: "off" };
const silent = { info: () => undefined, error: () => undefined };
const app = await createApp({
	settings: readSettings({ flags, environment: {}, folder: flags.data }),
	logger: silent,
});
const server = await app.listen({ host: "127.0.0.1", port: 0 });
await app.ready();
const { token } = await app.operator.issueSpt({ usd: "9000" });
const ready: HostileServerReady = { port: server.port, token };
process.send?.(ready);
