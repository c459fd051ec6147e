#!/usr/bin/env node
import { buildWhenStale } from "./build.mjs";

buildWhenStale();
const startedMs = performance.now();
const { main } = await import("../dist/src/main.js");
await main(process.argv.slice(2), { startedMs });
