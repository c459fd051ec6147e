import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { createConfiguredEgress } from "../../delivery/delivery.js";
import { invalidArgument, notFound, unavailable } from "../../kernel/kernel.js";

/** Where anchors of a ledger are published: a file, a git repository, an https address. */

const TIMEOUT_MS = 20_000;
/** In a repository. */
const FILE = "tollgraph-anchors.jsonl";

const anchorSchema = z.object({
	sequence: z.int().min(0),
	sha256: z.string().regex(/^[0-9a-f]{64}$/),
	at: z.string(),
});
type Anchor = z.output<typeof anchorSchema>;

interface Place {
	/** As the operator wrote it. */
	readonly place: string;
	/** Relative paths begin here. */
	readonly folder: string;
}

/**
 * Adds one line to a file or to a repository, where it is committed, or sends it by POST; returns the place by its full name.
 * Throws INVALID_ARGUMENT and UNAVAILABLE with what was refused.
 */
export async function publishAnchor(
	{ sequence, sha256, at }: Anchor,
	{ place, folder, isPushed }: Place & { readonly isPushed: boolean },
): Promise<string> {
	const line = `${JSON.stringify({ sequence, sha256, at })}\n`;
	const { kind, name } = placeOf({ place, folder });
	if (kind === "address") {
		const { ok, status } = await send(name, "POST", line);
		if (!ok) throw unavailable(`${name} answered ${status} instead of taking the anchor.`);
		return name;
	}
	if (kind === "file") {
		await appendFile(name, line, { flush: true } as object).catch(refused(name));
		return name;
	}
	await appendFile(join(name, FILE), line).catch(refused(name));
	await git(name, ["add", "--", FILE]);
	await git(name, ["commit", "-m", `Anchor frame ${sequence}`, "--", FILE]);
	if (isPushed) await git(name, ["push"]);
	return name;
}

/** The latest anchor of a place. Throws NOT_FOUND where there is none, INVALID_ARGUMENT for what is no anchor. */
export async function readAnchor(where: Place): Promise<Anchor> {
	const { kind, name } = placeOf(where);
	const text =
		kind === "address"
			? await (await send(name, "GET")).text()
			: await readFile(kind === "file" ? name : join(name, FILE), "utf8").catch(() => "");
	const last = text.trim().split("\n").at(-1) ?? "";
	if (last === "") {
		throw notFound(`No anchor is at ${name}; "tollgraph ledger anchor --to" publishes one.`);
	}
	const anchor = anchorSchema.safeParse(parseJson(last));
	if (anchor.success) return anchor.data;
	throw invalidArgument(`The last line at ${name} is no anchor of a ledger.`);
}

function placeOf({ place, folder }: Place) {
	if (/^https?:\/\//.test(place)) return { kind: "address", name: place } as const;
	const name = resolve(folder, place);
	const isRepository = existsSync(join(name, ".git"));
	return { kind: isRepository ? "repository" : "file", name } as const;
}

/** By https, or http on this machine. */
function send(url: string, method: "GET" | "POST", body?: string): Promise<Response> {
	if (!URL.canParse(url)) throw invalidArgument(`"${url}" is no address.`);
	return createConfiguredEgress({ urls: [url], loopback: true }).request({
		method,
		url,
		headers: { "Content-Type": "application/json" },
		timeoutMs: TIMEOUT_MS,
		...(body !== undefined && { body }),
	});
}

async function git(folder: string, args: readonly string[]): Promise<void> {
	await promisify(execFile)("git", ["-C", folder, ...args], { timeout: TIMEOUT_MS }).catch(
		(error: { readonly stderr?: string; readonly message: string }) => {
			const why = (error.stderr?.trim() || error.message).split("\n").at(-1);
			throw unavailable(`git ${args[0]} failed in "${folder}": ${why}`, { retryable: false });
		},
	);
}

function refused(name: string) {
	return (error: Error): never => {
		throw invalidArgument(`The anchor cannot be written to "${name}": ${error.message}.`);
	};
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
