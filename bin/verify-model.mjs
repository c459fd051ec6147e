#!/usr/bin/env node
// `npm run model:verify [-- --model bundled|local:<folder>] [--json]`: is a model the one that was measured? Exit code 1 when not.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { tsImport } from "tsx/esm/api";

const { values } = parseArgs({
	options: {
		model: { type: "string", default: "bundled" },
		models: { type: "string", default: join(".tollgraph", "models") },
		json: { type: "boolean", default: false },
	},
});
const load = (/** @type {string} */ path) => tsImport(path, import.meta.url);
const { systemClock } = await load("../src/kernel/kernel.ts");
const { parseModelName } = await load("../src/search/search.ts");
const { locateModel } = await load("../src/app/app.ts");
const { verifyModel } = await load("../bench/search/verify-model.ts");

const checks = await run();
const isPassed = checks.every((/** @type {{ isPassed: boolean }} */ check) => check.isPassed);
if (values.json) {
	process.stdout.write(`${JSON.stringify({ model: values.model, passed: isPassed, checks })}\n`);
} else {
	for (const { name, isPassed, detail } of checks) {
		process.stdout.write(`${isPassed ? "ok  " : "FAIL"} ${name}: ${detail}\n`);
	}
}
process.exitCode = isPassed ? 0 : 1;

async function run() {
	try {
		const location = locateModel(parseModelName(values.model), values.models);
		if (location) return await verifyModel(location, systemClock);
		return [{ name: "files", isPassed: false, detail: "There is nothing to verify in no model." }];
	} catch (error) {
		if (error?.code === undefined) throw error;
		return [{ name: "files", isPassed: false, detail: error.message }];
	}
}
