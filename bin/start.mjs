#!/usr/bin/env node
// `npm start`: builds when needed, then serves in this same process, so that signals reach the server itself.
import { buildWhenStale } from "./build.mjs";

await buildWhenStale();
const startedMs = performance.now();
const { main } = await import("../dist/bundle/main.js");
await main(["serve", ...process.argv.slice(2)], { startedMs });
