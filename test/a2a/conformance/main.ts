/**
 * The test kit of the protocol's own makers against this server: `npm run conformance:a2a`. It is not fetched from here:
 * `A2A_TCK`, or the first argument, names a checkout with its Python packages. `--transports grpc,jsonrpc` picks bindings.
 */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs, promisify } from "node:util";
import { parse } from "yaml";
import { runTollgraph, startServerProcess } from "../../support/server-process.js";
import { startTokenProxy } from "./token-proxy.js";
import { LEVELS, type Level, readVerdicts, type Verdict } from "./verdicts.js";

const RUN_TIMEOUT_MS = 900_000;
const OUTPUT_BYTES_MAX = 32 * 1024 * 1024;
/** Many of its requests are given up after five seconds. */
const QUICK = ["--model", "none", "--judge", "none"];
/** For some 100 messages at the price of an answer. */
const BALANCE_USD = "500";

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { transports: { type: "string", default: "jsonrpc,http_json" } },
});
const kit = await findKit(positionals[0] ?? process.env["A2A_TCK"]);
if (kit) await check(kit);
else process.exitCode = 2;

interface Kit {
	readonly folder: string;
	readonly python: string;
}

/** Undefined, with a sentence on what to get, where it cannot run. */
async function findKit(named: string | undefined): Promise<Kit | undefined> {
	const folder = resolve(named ?? "");
	if (named === undefined || !existsSync(join(folder, "tests/compatibility"))) {
		say(
			`${named === undefined ? "No checkout of the test kit is named" : `"${folder}" is no checkout of the test kit`}: get the branch 1.0-dev of github.com/a2aproject/a2a-tck, run "python3 -m venv .venv && .venv/bin/pip install -e ." in it (Python 3.11 or later), and name it in A2A_TCK or as the first argument.`,
		);
		return undefined;
	}
	const own = join(folder, ".venv/bin/python");
	const python = existsSync(own) ? own : "python3";
	try {
		await promisify(execFile)(python, [
			"-c",
			"import pytest, httpx, grpc, jsonschema, pytest_html",
		]);
		return { folder, python };
	} catch {
		say(
			`"${python}" lacks the packages of the test kit: run "python3 -m venv .venv && .venv/bin/pip install -e ." in ${folder} (Python 3.11 or later).`,
		);
		return undefined;
	}
}

async function check(kit: Kit): Promise<void> {
	const work = mkdtempSync(join(tmpdir(), "tollgraph-tck-"));
	const data = join(work, "data");
	const proxy = await startTokenProxy();
	try {
		say("starting a server");
		const server = await startServerProcess(["--data", data, "--public-url", proxy.url, ...QUICK]);
		try {
			const issued = await runTollgraph([
				"spt",
				"issue",
				"--usd",
				BALANCE_USD,
				"--data",
				data,
				"--json",
			]);
			const { token } = JSON.parse(issued.stdout) as { token: string };
			const file = JSON.parse(readFileSync(join(data, "server.json"), "utf8"));
			proxy.forward({ origin: new URL(file.admin_url).origin, token });
			await judge(kit, work, proxy.url);
		} finally {
			server.child.kill("SIGTERM");
			await once(server.child, "exit");
		}
	} finally {
		proxy.close();
		rmSync(work, { recursive: true, force: true });
	}
}

/** Prints how each level went; anything but the failures that are expected fails the run. */
async function judge(kit: Kit, work: string, url: string): Promise<void> {
	const expected = new Map(readExpected().map(({ test, reason }) => [test, reason]));
	const notOk: string[] = [];
	for (const level of LEVELS) {
		const verdicts = await runLevel(kit, { level, work, url });
		const known = level === "must" ? expected : new Map<string, string>();
		report(level, verdicts, known);
		if (level === "must") notOk.push(...differences(verdicts, known));
	}
	for (const line of notOk) say(`NOT OK - ${line}`);
	if (notOk.length > 0) process.exitCode = 1;
	else say("ok - no MUST fails but those that are listed");
}

function report(
	level: Level,
	verdicts: readonly Verdict[],
	known: ReadonlyMap<string, string>,
): void {
	const failed = verdicts.filter(({ outcome }) => outcome === "failed");
	const skipped = verdicts.filter(({ outcome }) => outcome === "skipped").length;
	const ran = verdicts.length - skipped;
	say(
		`${level.toUpperCase()}: ${failed.length} of ${ran} that ran failed; ${skipped} were skipped`,
	);
	for (const { test, reason } of failed) {
		const expected = known.get(test);
		say(`    ${test}\n        ${expected ? `expected, ${expected}` : firstLine(reason)}`);
	}
}

/** Failures that are not listed, and listed ones that are none. */
function differences(
	verdicts: readonly Verdict[],
	known: ReadonlyMap<string, string>,
): readonly string[] {
	return verdicts.flatMap(({ test, outcome }) => {
		if (outcome === "failed" && !known.has(test)) return [`${test} fails and is not listed.`];
		if (outcome === "passed" && known.has(test)) return [`${test} is listed and passes.`];
		return [];
	});
}

interface Expected {
	readonly test: string;
	readonly reason: string;
}

/** One entry for each test, in the terms of the report: a reason may hold for several tests and transports. */
function readExpected(): readonly Expected[] {
	const file = join(import.meta.dirname, "expected-failures.yaml");
	const { must } = parse(readFileSync(file, "utf8")) as {
		readonly must: readonly {
			readonly section: string;
			readonly says: string;
			readonly tests: readonly string[];
		}[];
	};
	return must.flatMap(({ section, says, tests }) =>
		tests.map((test) => ({ test, reason: `${section}: ${says}` })),
	);
}

function firstLine(text: string): string {
	return text.split("\n")[0]?.slice(0, 400) ?? "";
}

async function runLevel(
	{ folder, python }: Kit,
	{ level, work, url }: { readonly level: Level; readonly work: string; readonly url: string },
): Promise<readonly Verdict[]> {
	const report = join(work, `${level}.xml`);
	const args = [
		"-m",
		"pytest",
		"tests/compatibility/",
		"-q",
		"--tb=short",
		"-p",
		"no:cacheprovider",
	];
	const run = promisify(execFile)(
		python,
		[
			...args,
			"-m",
			level,
			`--sut-host=${url}`,
			`--transport=${values.transports}`,
			`--junitxml=${report}`,
		],
		{
			cwd: folder,
			// Nothing of a run may stay in the checkout.
			env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
			maxBuffer: OUTPUT_BYTES_MAX,
			timeout: RUN_TIMEOUT_MS,
		},
	);
	const output = await run.then(
		({ stdout }) => stdout,
		(error: { stdout?: string; stderr?: string }) => `${error.stdout ?? ""}${error.stderr ?? ""}`,
	);
	if (!existsSync(report)) throw new Error(`The test kit did not run: ${output}`);
	return readVerdicts(readFileSync(report, "utf8"));
}

function say(text: string): void {
	process.stdout.write(`${text}\n`);
}
