import type { Command } from "commander";
import { createConfiguredEgress, isLoopback } from "../../delivery/delivery.js";
import { invalidArgument } from "../../kernel/kernel.js";
import { type CommandContext, type Flags, textOf } from "../operator-command.js";
import { printResult, toColumns } from "../output.js";
import { type ProbeReport, probeServer } from "../probe/probe-server.js";

const TIMEOUT_SECONDS = "10";
const ROUTES_MAX = "200";

export function addProbe(program: Command, { terminal }: CommandContext): void {
	program
		.command("probe <url>")
		.description("Ask any server whether its advertised prices are answered by valid challenges.")
		.option("--json", "print one JSON line")
		.option("--timeout <seconds>", "longest wait for one answer", TIMEOUT_SECONDS)
		.option("--max <n>", "how many advertised routes to ask", ROUTES_MAX)
		.action(async (url: string, flags: Flags) => {
			const origin = parseOrigin(url);
			const report = await probeServer({
				egress: createConfiguredEgress({ urls: [origin] }),
				origin,
				timeoutMs: parseCount(flags, "timeout", 600) * 1000,
				routesMax: parseCount(flags, "max", 10_000),
				onProgress: (done, total) => terminal.say(`asked ${done} of ${total}`),
			});
			const json = flags["json"] === true;
			printResult(terminal, report, { json, lines: describe(report) });
			if (!report.ok) process.exitCode = 3;
		});
}

function describe({ url, documents, routes, unasked, problems }: ProbeReport): string[] {
	const lines = toColumns(
		routes.map(({ status, route, price_usd, ways }) => [
			status === "problem" ? "PROBLEM" : status,
			route,
			price_usd === null ? "" : `${price_usd} USD`,
			ways.join(", "),
		]),
	).flatMap((line, index) => [
		line,
		...(routes[index]?.problems ?? []).map((problem) => `         ${problem}`),
	]);
	const good = routes.filter(({ status }) => status === "ok").length;
	return [
		...lines,
		...problems,
		...(unasked > 0 ? [`${unasked} more routes were not asked; raise --max.`] : []),
		`${url}: ${good} of ${routes.length} advertised prices are answered by a valid challenge (read ${documents.join(", ") || "nothing"}).`,
	];
}

/** Throws INVALID_ARGUMENT for what is neither https nor on loopback. */
export function parseOrigin(text: string): string {
	if (URL.canParse(text)) {
		const { protocol, origin, hostname } = new URL(text);
		if (protocol === "https:" || (protocol === "http:" && isLoopback(hostname))) return origin;
	}
	throw invalidArgument(
		`"${text}" cannot be probed; write an address like https://api.example.org (http on loopback only).`,
	);
}

function parseCount(flags: Flags, key: string, max: number): number {
	const text = textOf(flags, key) ?? "";
	const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
	if (count >= 1 && count <= max) return count;
	throw invalidArgument(`--${key} must be a number from 1 to ${max}.`);
}
