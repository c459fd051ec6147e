#!/usr/bin/env node
import { buildWhenStale } from "./build.mjs";

await buildWhenStale();
const startedMs = performance.now();
const { main } = await import("../dist/bundle/main.js");
await main(process.argv.slice(2), { startedMs });
