/**
 * `npm run trace`: sends one paid search to a server of this checkout, or of the one named by `--root`, whose functions report when they
 * are called, and prints its files in the order in which they are first entered. How files and returns are counted stands at
 * `summarizeTrace`. Exit code 3: the tour that `--check` names is not the way the search goes.
 */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { findTourFault, readTour } from "./tour.js";
import { summarizeTrace, type TraceSummary } from "./trace-summary.js";
import { makeTracedPackage } from "./traced-package.js";
import { traceSearch } from "./traced-search.js";

const WRONG_TOUR = 3;

const { values } = parseArgs({
	options: {
		/** The checkout that is traced; its packages are installed. */
		root: { type: "string", default: PACKAGE_ROOT },
		/** A folder whose files are listed, but not counted. */
		"leave-out": { type: "string", multiple: true, default: ["src/search", "store"] },
		/** A document whose tour is compared with the trace. */
		check: { type: "string" },
		json: { type: "boolean", default: false },
	},
});

const summary = await traceCheckout(realpathSync(values.root), values["leave-out"]);
if (values.check !== undefined) checkTour(values.check, summary);
else process.stdout.write(values.json ? toJson(summary) : toText(summary, values["leave-out"]));

async function traceCheckout(root: string, leftOut: readonly string[]): Promise<TraceSummary> {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "tollgraph-trace-")));
	// Sources that do not compile end the process.
	process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
	const functions = await makeTracedPackage(root, folder);
	const calls = (await traceSearch(folder)).flatMap((id) => functions[id] ?? []);
	return summarizeTrace(calls, leftOut);
}

function checkTour(path: string, { firstEntries }: TraceSummary): void {
	const tour = readTour(readFileSync(path, "utf8"));
	const fault = tour
		? findTourFault(
				tour,
				firstEntries.map(({ file }) => file),
			)
		: "It has no tour, from <!-- tour --> to <!-- end tour -->.";
	if (fault === undefined) {
		process.stdout.write(`${path}: ${tour?.length} files run in the order of the tour.\n`);
	} else {
		process.stderr.write(`${path}: ${fault}\n`);
		process.exitCode = WRONG_TOUR;
	}
}

function toJson({ firstEntries, ...counted }: TraceSummary): string {
	return `${JSON.stringify({ files: firstEntries.map(({ file }) => file), ...counted })}\n`;
}

function toText(
	{ firstEntries, filesOutside, returns }: TraceSummary,
	leftOut: readonly string[],
): string {
	const lines = firstEntries.map(
		({ file, line, name }, index) => `${String(index + 1).padStart(3)}  ${file}:${line}  ${name}`,
	);
	const outside = leftOut.join(" and ");
	return [
		...lines,
		"",
		`${filesOutside} files run outside ${outside}`,
		`${returns} returns to a file that was left`,
		"",
	].join("\n");
}
