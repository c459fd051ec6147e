import { accessSync, constants, mkdirSync, readdirSync, statfsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { Command } from "commander";
import { lookAt } from "../../skills/answers/answers.js";
import { type PlacedSecret, readPlacedSecret } from "../accounts/accounts.js";
import { type App, checkOnchain, createApp, openLlmWriter } from "../app/app.js";
import { OPERATION_ADDRESSES, PAID_OPERATION_IDS } from "../contract/contract.js";
import { createOperatorEgress } from "../delivery/delivery.js";
import { type Egress, systemClock } from "../kernel/kernel.js";
import { keysFolderOf, type Settings } from "../settings/settings.js";
import { findServer } from "./operator-client.js";
import { addCommand, type CommandContext } from "./operator-command.js";
import { toColumns } from "./output.js";
import { probeServer } from "./probe/probe-server.js";

interface Check {
	readonly name: string;
	readonly ok: boolean;
	readonly message: string;
}

const MIN_NODE_MAJOR = 20;
const MIN_FREE_BYTES = 256 * 1024 * 1024;
const PROBE_TIMEOUT_MS = 30_000;
type Environment = Readonly<Record<string, string | undefined>>;
type Wire = Record<string, unknown>;
/** GETs one JSON document of the server; throws when it is not served. */
type Read = (path: string) => Promise<Wire>;

/** Checks machine, data folder and, over HTTP, that every price we advertise is answered by a real challenge. */
export async function runDoctor(settings: Settings, environment: Environment = {}) {
	const checks: Check[] = [
		await check("node", async () => checkNode()),
		await check("disk", async () => checkDisk(resolve(settings.data))),
		await check("payments", () => checkPayments(settings, environment)),
	];
	if (settings.writer) checks.push(await check("writer", () => checkWriter(settings)));
	const running = findServer(resolve(settings.data));
	if (running) {
		const { origin, hostname } = new URL(running.admin_url);
		const place = { baseUrl: origin, publicUrl: settings.publicUrl };
		checks.push(...(await checkServer(createOperatorEgress(hostname), place)));
	} else {
		checks.push(...(await checkOwnServer(settings, createOperatorEgress())));
	}
	return { ok: checks.every(({ ok }) => ok), checks };
}

async function check(name: string, look: () => Promise<string>): Promise<Check> {
	try {
		return { name, ok: true, message: await look() };
	} catch (error) {
		return { name, ok: false, message: error instanceof Error ? error.message : String(error) };
	}
}

function checkNode(): string {
	const major = Number(process.versions.node.split(".")[0]);
	if (major < MIN_NODE_MAJOR) {
		throw new Error(`Node ${process.versions.node} is too old; 20 or newer is needed.`);
	}
	return `Node ${process.versions.node}`;
}

function checkDisk(folder: string): string {
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	accessSync(folder, constants.R_OK | constants.W_OK);
	const { bavail, bsize } = statfsSync(folder);
	const free = bavail * bsize;
	if (free < MIN_FREE_BYTES) throw new Error(`Only ${toMib(free)} MiB are free below ${folder}.`);
	return `${folder} is writable, ${toMib(free)} MiB free${remnantsOf(folder)}`;
}

/** Of restores that were killed; they hold keys, so that they should not lie about. */
function remnantsOf(folder: string): string {
	let names: string[] = [];
	try {
		names = readdirSync(dirname(folder));
	} catch {
		// A user who may not list the folder above has restored nothing into it.
	}
	const left = names.filter((name) => name.startsWith(`${basename(folder)}.making-`));
	if (left.length === 0) return "";
	return `; unless a restore runs now, delete what one left in ${dirname(folder)}: ${left.join(", ")}`;
}

/** The settings and key files by which a start would be refused. */
async function checkPayments(settings: Settings, environment: Environment): Promise<string> {
	const folder = keysFolderOf(settings);
	const keys = { readPlaced: (name: PlacedSecret) => readPlacedSecret(folder, name) };
	const plan = await checkOnchain({ settings, environment, keys });
	if (plan.kind === "off") return "none on a chain; tokens and keys only";
	if (plan.kind === "demo") return "paper money on a chain of this machine";
	return `on ${plan.terms.network} to ${plan.terms.payTo}`;
}

/** The language model answers, serves what is asked for, and keeps to a form or is asked for lines. */
async function checkWriter(settings: Settings): Promise<string> {
	const folder = keysFolderOf(settings);
	const keys = { readPlaced: (name: PlacedSecret) => readPlacedSecret(folder, name) };
	const writer = openLlmWriter({ settings, keys, clock: systemClock }, () => undefined);
	if (!writer) return "none";
	const { form, models } = await lookAt(writer, new AbortController().signal);
	if (models && !models.includes(form.model)) {
		throw new Error(
			`The server does not list ${form.model}, but ${models.slice(0, 10).join(", ")}.`,
		);
	}
	return `${form.model} answers: drafts as ${form.output}, ${form.contextTokens} tokens of context`;
}

const toMib = (bytes: number): number => Math.floor(bytes / 1024 / 1024);

/** No server runs on this folder: open it, serve it on a free loopback port for a moment, and check that. */
async function checkOwnServer(settings: Settings, egress: Egress): Promise<readonly Check[]> {
	let app: App | undefined;
	const opened = await check("store", async () => {
		app = await createApp({ settings: { ...settings, publicUrl: undefined, grpc: undefined } });
		const { transactions, frames } = await app.operator.verifyLedger();
		const { schemaVersion } = app.store.health();
		if (schemaVersion === undefined)
			return `journal sound: ${transactions} transactions in ${frames} frames`;
		const others = (await app.store.processes.alive()).length - 1;
		return `database sound: ${transactions} transactions, schema of version ${schemaVersion}, ${others} other processes`;
	});
	if (!app) return [opened];
	try {
		await app.listen({ host: "127.0.0.1", port: 0 });
		await app.ready();
		return [opened, ...(await checkServer(egress, { baseUrl: app.service.info.baseUrl() }))];
	} finally {
		await app.close();
	}
}

interface Place {
	/** Where the server is reached from here. */
	readonly baseUrl: string;
	/** Where it says that callers reach it. */
	readonly publicUrl?: string | undefined;
}

async function checkServer(egress: Egress, place: Place): Promise<readonly Check[]> {
	const { baseUrl } = place;
	const read: Read = async (path) => {
		const response = await egress.request({
			method: "GET",
			url: `${baseUrl}${path}`,
			timeoutMs: PROBE_TIMEOUT_MS,
		});
		if (!response.ok) throw new Error(`GET ${path} answered ${response.status}.`);
		return (await response.json()) as Wire;
	};
	return [
		await check("health", async () => {
			const { status, invariants, model } = (await read("/v1/health"))["data"] as Wire;
			if (status !== "ok") throw new Error(`/v1/health says ${String(status)}.`);
			return `invariants ${JSON.stringify(invariants)}, model ${JSON.stringify(model)}`;
		}),
		await check("prices", async () =>
			comparePrices(await read("/v1/research/pricing"), await read("/openapi.json")),
		),
		await check("card", async () => {
			const card = await read("/.well-known/agent-card.json");
			const skills = card["skills"] as readonly Wire[];
			return `${skills.length} skills, ${(card["signatures"] as readonly unknown[]).length} signatures`;
		}),
		await check("challenges", () => checkChallenges(egress, place, read)),
	];
}

/** The price list and the OpenAPI document must name the same price for every paid operation. */
function comparePrices(pricing: Wire, openApi: Wire): string {
	const prices = (pricing["data"] as Wire)["prices"] as Record<string, Wire>;
	const paths = openApi["paths"] as Record<string, Record<string, Wire>>;
	for (const operationId of PAID_OPERATION_IDS) {
		const { method, path } = OPERATION_ADDRESSES[operationId];
		const advertised = paths[path]?.[method.toLowerCase()]?.["x-svc-price-usd"];
		if (Number(prices[operationId]?.["price_usd"]) !== advertised) {
			throw new Error(
				`The price of ${operationId} differs between the price list and the OpenAPI document.`,
			);
		}
	}
	return `price list and OpenAPI agree on ${PAID_OPERATION_IDS.length} paid operations`;
}

/** Every advertised price must be answered by a valid challenge: the judge is the one of `tollgraph probe`. */
async function checkChallenges(
	egress: Egress,
	{ baseUrl, publicUrl }: Place,
	read: Read,
): Promise<string> {
	const { items } = (await read("/v1/graphs/catalog"))["data"] as { items: readonly unknown[] };
	if (items.length === 0) return "no graph is on sale yet; import one";
	const { routes, problems } = await probeServer({
		egress,
		origin: baseUrl,
		publicOrigin: publicUrl && new URL(publicUrl).origin,
		timeoutMs: PROBE_TIMEOUT_MS,
		routesMax: Number.POSITIVE_INFINITY,
	});
	const asked = routes.filter(({ status }) => status !== "skipped");
	const found = asked.flatMap((one) => one.problems.map((problem) => `${one.route}: ${problem}`));
	const [first] = [...problems, ...found];
	if (first !== undefined) throw new Error(first);
	return `${asked.length} advertised prices are answered by a valid challenge`;
}

export function addDoctor(program: Command, context: CommandContext): void {
	const command = program
		.command("doctor")
		.description("Check that this machine and this data folder can sell.");
	addCommand(command, context, {
		run: ({ settings }) => runDoctor(settings, context.environment),
		describe: ({ checks }) =>
			toColumns(checks.map(({ ok, name, message }) => [ok ? "ok" : "FAIL", name, message])).map(
				(text, at) => ({ text, style: checks[at]?.ok === true ? "green" : "red" }),
			),
		exitCode: ({ ok }) => (ok ? 0 : 3),
	});
}
