#!/usr/bin/env node
// `npm run bench`: measurements with their baselines in the same run; a table, or one JSON line with --json.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { status } = spawnSync(
	process.execPath,
	["--import", "tsx", join(root, "bench", "main.ts"), ...process.argv.slice(2)],
	{ cwd: root, stdio: "inherit" },
);
process.exit(status ?? 1);
