#!/usr/bin/env node
// `npm run torture`: simulated crashes from a seed, or with --kill9 real ones, with --processes of several servers on a database; exit code 1 when a promise was broken.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const args = process.argv.slice(2);
if (args.includes("--help") || args.includes("-h")) {
	process.stdout.write(`npm run torture -- [--seed N] [--minutes N] [--crashes N] [--worlds N] [--until N] [--trace] [--json]
npm run torture -- --kill9 N [--turns-away] [--clients N] [--minutes N] [--seed N] [--json]
npm run torture -- --processes N --kill9 N [--database N] [--freeze N] [--clients N] [--seed N] [--json]
`);
	process.exit(0);
}
const has = (name) => args.some((arg) => arg.startsWith(name));
const main = has("--processes") ? "kill-processes.ts" : has("--kill9") ? "kill-nine.ts" : "main.ts";
const { status } = spawnSync(
	process.execPath,
	["--import", "tsx", join(root, "test", "torture", main), ...args],
	{ cwd: root, stdio: "inherit" },
);
process.exit(status ?? 1);
