#!/usr/bin/env node
// `npm run bench`: measurements with their baselines in the same run; a table, or one JSON line with --json.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "./build.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// What is measured is what is shipped: a loader that compiles on the fly wraps each closure and doubles the cost.
const outDir = join(root, "node_modules", ".cache", "tollgraph", "bench");
rmSync(outDir, { recursive: true, force: true });
compile("tsconfig.bench.json", outDir);
const { status } = spawnSync(
	process.execPath,
	[join(outDir, "bench", "main.js"), ...process.argv.slice(2)],
	{ cwd: root, stdio: "inherit" },
);
process.exit(status ?? 1);
