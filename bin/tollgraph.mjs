#!/usr/bin/env node
import { existsSync } from "node:fs";

// Only a checkout has sources to compile; an installed package comes compiled.
if (existsSync(new URL("../tsconfig.build.json", import.meta.url))) {
	const { buildWhenStale } = await import("./build.mjs");
	await buildWhenStale();
}
const startedMs = performance.now();
const { main } = await import("../dist/bundle/main.js");
await main(process.argv.slice(2), { startedMs });
