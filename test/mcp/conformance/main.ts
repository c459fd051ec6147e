/**
 * Programs of the protocol's own makers against this server: `npm run conformance:mcp`. They are installed into a
 * temporary folder; `TOLLGRAPH_INTEROP` keeps one between runs. Linux on x64 only, for the sake of the Node they need.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "../../../src/app/create-app.js";
import { KNOWN_QUERY, testSettings } from "../../support/start-app.js";
import { checkAuthorization } from "./authorization-suite.js";
import { startFixtureServer } from "./fixture-server.js";
import { type Ended, type OnDemandTools, openOnDemandTools } from "./on-demand-tools.js";

const REVISIONS = ["2025-11-25", "2026-07-28"] as const;
/** Scenarios that need no fixture, by the revision they are run in. */
const SHOP_SCENARIOS: Readonly<Record<(typeof REVISIONS)[number], readonly string[]>> = {
	"2025-11-25": [
		"server-initialize",
		"ping",
		"tools-list",
		"resources-list",
		"prompts-list",
		"dns-rebinding-protection",
	],
	"2026-07-28": [
		"server-stateless",
		"tools-list",
		"resources-list",
		"sep-2164-resource-not-found",
		"prompts-list",
		"dns-rebinding-protection",
		"caching",
		"http-header-validation",
		"input-required-result-unsupported-methods",
		"server-sse-multiple-streams",
	],
};
/** Lines of their output that say how it went. */
const SUMMARY = /^(✓|✗|Total:|Passed:| {2}[✓✗~] )|^\d+ (schema|tool)|portab/;
const SILENT = { info: () => undefined, error: () => undefined };

const here = (name: string) => join(import.meta.dirname, name);
const data = mkdtempSync(join(tmpdir(), "tollgraph-conformance-data-"));
const kept = process.env["TOLLGRAPH_INTEROP"];
const folder = kept ?? mkdtempSync(join(tmpdir(), "tollgraph-conformance-"));
try {
	say("installing what is missing");
	await check(await openOnDemandTools(folder));
} finally {
	rmSync(data, { recursive: true, force: true });
	if (kept === undefined) rmSync(folder, { recursive: true, force: true });
}

async function check(tools: OnDemandTools): Promise<void> {
	const app = await createApp({ settings: testSettings(data, { model: "none" }), logger: SILENT });
	const server = await app.listen({ host: "127.0.0.1", port: 0 });
	await app.ready();
	const fixtures = await startFixtureServer(app);
	try {
		const baseUrl = `http://127.0.0.1:${server.port}`;
		const { key, account_id } = await app.operator.createKey({ usd: "50.00" });
		const { token } = await app.operator.createToken({ account_id });
		for (const revision of REVISIONS) {
			await checkFixtures(tools, fixtures.url, revision);
			await checkShop(tools, `${baseUrl}/c/${token}`, revision);
		}
		report("authorization server", await checkAuthorization(tools, { baseUrl, key }));
		await inspect(tools, "/c/<token>", [`${baseUrl}/c/${token}`]);
		for (const path of ["/mcp", "/copilot"]) {
			await inspect(tools, path, [`${baseUrl}${path}`, "--header", `X-API-Key: ${key}`]);
		}
	} finally {
		fixtures.close();
		await server.drain();
		await app.close();
	}
}

/** Everything a revision requires of a server, and what the suite runs beside it. */
async function checkFixtures(tools: OnDemandTools, url: string, revision: string) {
	const expected = ["--expected-failures", here("expected-failures.yaml")];
	const args = ["server", "--url", url, "--requirements", revision, ...expected];
	const kept = ["--output-dir", join(data, "results", revision)];
	report(`${revision}, fixtures`, await tools.run("conformance", [...args, ...kept]));
}

/** The shop as it is sold, at an address that needs no header. */
async function checkShop(tools: OnDemandTools, url: string, revision: (typeof REVISIONS)[number]) {
	const expected = ["--expected-failures", here("shop-expected-failures.yaml")];
	for (const scenario of SHOP_SCENARIOS[revision]) {
		const args = ["server", "--url", url, "--scenario", scenario, "--spec-version", revision];
		const ended = await tools.run("conformance", [...args, ...expected]);
		report(`${revision}, the shop, ${scenario}`, ended);
	}
}

/** Lists the tools with their schemas judged, and calls one. */
async function inspect(tools: OnDemandTools, name: string, place: readonly string[]) {
	const ask = (...method: readonly string[]) =>
		tools.run("mcp-inspector", [
			"--cli",
			"--transport",
			"http",
			"--server-url",
			...place,
			...method,
		]);
	report(`inspector, ${name}, list`, await ask("--method", "tools/list", "--strict"));
	const args = ["graph_id=agent-payments", `query=${KNOWN_QUERY}`, "limit=2"];
	const called = await ask(
		"--method",
		"tools/call",
		"--tool-name",
		"search_graph",
		...args.flatMap((arg) => ["--tool-arg", arg]),
	);
	const isAnswered = called.output.includes("http.http-402");
	report(`inspector, ${name}, call`, isAnswered ? called : { ...called, code: called.code || 1 });
}

/** Says how it went, and everything where it went wrong. */
function report(name: string, { code, output }: Ended): void {
	const told = output.split("\n").filter((line) => SUMMARY.test(line));
	say(`${code === 0 ? "ok" : "NOT OK"} - ${name}`);
	for (const line of told) say(`    ${line.trim()}`);
	if (code === 0) return;
	say(output);
	process.exitCode = 1;
}

function say(text: string): void {
	process.stdout.write(`${text}\n`);
}
