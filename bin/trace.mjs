#!/usr/bin/env node
// `npm run trace`: the files that one paid search runs through, in order; --root for another checkout, --check for a tour of them.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const main = join(root, "bench", "trace", "main.ts");
const { status } = spawnSync(
	process.execPath,
	["--import", "tsx", main, ...process.argv.slice(2)],
	{ stdio: "inherit" },
);
process.exit(status ?? 1);
