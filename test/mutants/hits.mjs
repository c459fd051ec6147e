/**
 * Loaded into each process of a test that runs instrumented code: it writes how often each mutant was reached, and makes a loop
 * that a mutant made endless throw, by the limit of Stryker's own switch.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { threadId } from "node:worker_threads";

const { MUTANT_HITS_FOLDER: folder, MUTANT_HIT_LIMIT: limit } = process.env;
globalThis.__stryker__ ??= {};
const state = globalThis.__stryker__;
if (limit) Object.assign(state, { hitCount: 0, hitLimit: Number(limit) });
process.on("exit", () => {
	if (!folder) return;
	const file = join(folder, `${process.pid}-${threadId}.json`);
	const { user, system } = process.cpuUsage();
	const seconds = threadId === 0 ? (user + system) / 1_000_000 : 0;
	writeFileSync(file, JSON.stringify({ seconds, hits: state.mutantCoverage?.static ?? {} }));
});
