import { createProgram } from "../../src/cli/main.js";
import { probeServer } from "../../src/cli/probe/probe-server.js";
import { createConfiguredEgress } from "../../src/delivery/configured-egress.js";

export const probe = (
	origin: string,
	changes: { routesMax?: number; publicOrigin?: string } = {},
) =>
	probeServer({
		egress: createConfiguredEgress({ urls: [origin] }),
		origin,
		timeoutMs: 60_000,
		routesMax: 500,
		...changes,
	});

export const PRICE = { "x-svc-price-usd": 0.25 };

/** The command in this process. */
export const runProbe = (...args: string[]) => runInProcess("probe", ...args);

export async function runInProcess(...args: string[]) {
	const [stdout, stderr]: [string[], string[]] = [[], []];
	const terminal = {
		data: (line: string) => void stdout.push(line),
		say: (line: string) => void stderr.push(line),
		status: () => undefined,
		stream: async () => undefined,
	};
	const context = { terminal, environment: {}, folder: ".", startedMs: 0 };
	process.exitCode = 0;
	await createProgram(context, "0.0.0").parseAsync(args, { from: "user" });
	const { exitCode: code } = process;
	process.exitCode = 0;
	return { code, stdout: stdout.join("\n"), stderr: stderr.join("\n") };
}
