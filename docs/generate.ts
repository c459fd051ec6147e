/** Writes the parts of the documents that code knows better; with --check only says whether they are true. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Operation } from "../src/contract/operation.js";
import { PACKAGE_ROOT } from "../src/kernel/package-info.js";
import { COMMANDS } from "../src/operator/commands/command-table.js";
import { renderSettingsTable } from "../src/settings/setting-rows.js";
import { renderMetricsTable } from "../src/telemetry/metrics.js";
import { renderClientOperations, renderClientSchema } from "./client-types.js";
import { renderCommands, renderManPage } from "./commands.js";
import { isAlike, renderReplies } from "./examples.js";
import { findOperations, renderCatalog, renderTable } from "./prices.js";

interface GeneratedPart {
	readonly file: string;
	/** Name in the markers `<!-- generated: name -->` … `<!-- end -->`. */
	readonly name: string;
	readonly render: () => string;
}

const REPLIES = "examples/replies.json";

const PARTS: readonly GeneratedPart[] = [
	{ file: "docs/prices.md", name: "operations", render: renderOperations },
	{ file: "docs/spec-coverage.md", name: "addresses", render: renderAddresses },
	{ file: "docs/configuration.md", name: "configuration", render: renderSettingsTable },
	{ file: "docs/operations.md", name: "metrics", render: renderMetricsTable },
	{ file: "docs/commands.md", name: "commands", render: renderCommands },
	{ file: "ARCHITECTURE.md", name: "modules", render: renderModules },
];

function renderOperations(): string {
	const rows = definitions.map(
		({ operation }) =>
			`| \`${operation.method} ${operation.path}\` | ${describePrice(operation)} |`,
	);
	return ["| operation | price |", "|---|---|", ...rows].join("\n");
}

/** Every address of both OpenAPI documents, callers' and operators', by what it is about. */
function renderAddresses(): string {
	const addresses = [
		...definitions.map(({ operation: { method, path } }) => `${method} ${path}`),
		...Object.values(COMMANDS).flatMap(({ at, also = [] }) =>
			[at, ...also].map((address) =>
				address.includes(" /v1/") ? address : address.replace(" ", " /v1/admin"),
			),
		),
	];
	const groups = new Map<string, string[]>();
	for (const address of addresses) {
		const group = /^\w+ \/v1\/([\w-]+)/.exec(address)?.[1] ?? "documents";
		groups.set(group, [...(groups.get(group) ?? []), address]);
	}
	const rows = [...groups].map(
		([group, all]) => `| ${group} | ${all.length} | ${all.map((one) => `\`${one}\``).join(", ")} |`,
	);
	return [
		`${addresses.length} addresses answer.`,
		"",
		"| about | addresses | which |",
		"|---|---|---|",
		...rows.sort(),
	].join("\n");
}

function describePrice(operation: Operation): string {
	if (operation.kind === "purchase") return "the amount you name";
	if (operation.kind === "owner") return "free, for its owner";
	if (operation.kind !== "paid") return "free";
	const price = `${operation.price.usd} USD`;
	return operation.units ? `${price} per ${operation.units.name}` : price;
}

/** Which folder imports which, read from the imports themselves. */
function renderModules(): string {
	const depcruise = join(
		PACKAGE_ROOT,
		"node_modules",
		"dependency-cruiser",
		"bin",
		"dependency-cruise.mjs",
	);
	const output = execFileSync(
		process.execPath,
		[
			depcruise,
			"--config",
			".dependency-cruiser.mjs",
			"-T",
			"json",
			"agent-card",
			"src",
			"skills",
			"payments",
			"store",
		],
		{ cwd: PACKAGE_ROOT, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
	);
	const { modules } = JSON.parse(output) as {
		modules: { source: string; dependencies: { resolved: string }[] }[];
	};
	const arrows = new Set<string>();
	for (const { source, dependencies } of modules) {
		for (const { resolved } of dependencies) {
			const [from, to] = [folderOf(source), folderOf(resolved)];
			if (from && to && from !== to && to !== "src/kernel" && to !== "src/contract")
				arrows.add(`\t${from} --> ${to}`);
		}
	}
	return ["```mermaid", "flowchart LR", ...[...arrows].sort(), "```"].join("\n");
}

/** `src/rest`, `store`, …; files directly under src are the composition root. */
function folderOf(path: string): string | undefined {
	const match = /^(?:(src)\/([^/]+)\/|(src)\/[^/]+$|(agent-card|skills|payments|store)\/)/.exec(
		path,
	);
	if (!match) return undefined;
	if (match[1]) return `src/${match[2]}`;
	return match[3] ? "app" : match[4];
}

function replacePart(text: string, { name, render, file }: GeneratedPart): string {
	const [start, end] = [`<!-- generated: ${name} -->`, "<!-- end -->"];
	const from = text.indexOf(start);
	const to = text.indexOf(end, from);
	if (from < 0 || to < 0) throw new Error(`${file} has no part "${name}".`);
	return `${text.slice(0, from + start.length)}\n${render()}\n${text.slice(to)}`;
}

const isCheck = process.argv.includes("--check");
const definitions = await findOperations();
const isNewCatalog = [
	update("src/service/operations.ts", renderCatalog(definitions)),
	update("src/contract/operation-table.ts", renderTable(definitions)),
].includes(true);
// What is loaded already serves the operations of before.
if (isNewCatalog && !isCheck) process.exitCode = generateAgain();
else {
	update("client/src/operations.ts", renderClientOperations(definitions));
	update("client/src/schema.ts", await renderClientSchema(definitions));
	await updateReplies();
	update("docs/tollgraph.1", renderManPage());
	for (const part of PARTS) {
		update(part.file, replacePart(readFileSync(join(PACKAGE_ROOT, part.file), "utf8"), part));
	}
}

function generateAgain(): number {
	const args = [...process.execArgv, ...process.argv.slice(1)];
	return spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 1;
}

async function updateReplies(): Promise<void> {
	const after = await renderReplies(definitions);
	const before = readFileSync(join(PACKAGE_ROOT, REPLIES), "utf8");
	if (!isAlike(JSON.parse(before), JSON.parse(after))) update(REPLIES, after);
}

/** True when the file was another. */
function update(file: string, after: string): boolean {
	const path = join(PACKAGE_ROOT, file);
	if (readFileSync(path, "utf8") === after) return false;
	if (isCheck) {
		process.stderr.write(`${file} is out of date; run npm run docs.\n`);
		process.exitCode = 1;
	} else {
		writeFileSync(path, after);
	}
	return true;
}
