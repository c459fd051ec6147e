/**
 * `npm run mutants [-- <folder or file> …]`: which changes of the sources in `payments/` and `store/` no test notices. Mutants and their
 * switch are Stryker's (docs/adr/0068); `--sample <count>` takes so many by chance, `--minutes` ends after so long, both with `--seed`;
 * `--tests <part of a path>` asks only these tests, `--servers` also those that start a server far from payments and jobs;
 * `--budget <seconds>` is how much processor time the tests of one mutant may take together, and `--again <report>` tries the survivors of a report that `--json` wrote.
 */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { measureCoverage } from "./coverage.mjs";
import { compileInstrumented } from "./instrumented.mjs";
import { judgeMutants } from "./judged-mutants.mjs";
import { toReport, writeReport } from "./report.mjs";
import { chooseMutants } from "./sample.mjs";
import { endTests } from "./test-run.mjs";

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		sample: { type: "string" },
		seed: { type: "string", default: "1" },
		minutes: { type: "string", default: "Infinity" },
		jobs: { type: "string", default: String(availableParallelism()) },
		budget: { type: "string", default: "30" },
		again: { type: "string" },
		tests: { type: "string", multiple: true, default: [] },
		servers: { type: "boolean", default: false },
		json: { type: "boolean" },
	},
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
	process.on(signal, () => {
		endTests();
		process.exit(1);
	});

const begunMs = Date.now();
const instrumented = await compileInstrumented(Number(values.jobs));
process.on("exit", instrumented.remove);
const chosen = chooseMutants(instrumented.mutants, {
	paths: positionals,
	seed: Number(values.seed),
	...(values.sample !== undefined && { count: Number(values.sample) }),
	...(values.again !== undefined && { keys: survivorsIn(values.again) }),
});
if (chosen.length === 0) {
	say(`There is no mutant in ${positionals.join(", ") || "payments, store"}.`);
	process.exit(2);
}
say(`${chosen.length} of ${instrumented.mutants.length} mutants`);
const coverage = await measureCoverage({
	...instrumented,
	say,
	parts: values.tests,
	withServers: values.servers,
});
const judged = await judgeMutants(chosen, {
	...instrumented,
	coverage,
	say,
	budgetSeconds: Number(values.budget),
	endsMs: begunMs + Number(values.minutes) * 60_000,
});
const report = toReport(judged, { chosen: chosen.length, seconds: (Date.now() - begunMs) / 1_000 });
process.stdout.write(
	values.json ? `${JSON.stringify(report, undefined, "\t")}\n` : writeReport(report),
);

function say(line) {
	process.stderr.write(`${line}\n`);
}

function survivorsIn(file) {
	const { survivors } = JSON.parse(readFileSync(file, "utf8"));
	return new Set(survivors.map(({ key }) => key));
}
