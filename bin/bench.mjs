#!/usr/bin/env node
// `npm run bench` and `npm run bench:search`: measurements with their baselines in the same run; --json for one line.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildWhenStale, compile } from "./build.mjs";
import { bundle } from "./bundle.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [first, ...rest] = process.argv.slice(2);
const [main, args] =
	first === "search" ? [["search", "main.js"], rest] : [["main.js"], process.argv.slice(2)];
// Servers begin with what the build has made of the sample catalog.
await buildWhenStale();
// What is measured is what is shipped: a loader that compiles on the fly wraps each closure and doubles the cost.
// Two runs at once must not compile into each other.
const outDir = join(root, "node_modules", ".cache", "tollgraph", `bench-${process.pid}`);
compile("tsconfig.bench.json", outDir);
await bundle(outDir);
const { status } = spawnSync(
	process.execPath,
	["--expose-gc", join(outDir, "bench", ...main), ...args],
	{ cwd: root, stdio: "inherit" },
);
rmSync(outDir, { recursive: true, force: true });
process.exit(status ?? 1);
