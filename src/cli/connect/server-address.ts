import { resolve } from "node:path";
import { createOperatorEgress, isLoopback } from "../../delivery/delivery.js";
import { ServiceError } from "../../kernel/kernel.js";
import type { Settings } from "../../settings/settings.js";
import { findServer } from "../server-file.js";

const TIMEOUT_MS = 10_000;

export interface ServerAddress {
	/** Without a slash at its end. */
	readonly baseUrl: string;
	/** False where the address is only what the settings promise. */
	readonly isRunning: boolean;
}

/** Where callers reach the server of a data folder: what it says itself, or what its settings say while none runs. */
export async function findServerAddress(settings: Settings): Promise<ServerAddress> {
	const server = findServer(resolve(settings.data));
	if (server) return { baseUrl: await askForBaseUrl(server.admin_url), isRunning: true };
	const { publicUrl, host, port } = settings;
	if (publicUrl !== undefined) return { baseUrl: parseBaseUrl(publicUrl), isRunning: false };
	if (port !== 0 && isLoopback(host.includes(":") ? `[${host}]` : host)) {
		const name = host.includes(":") ? `[${host}]` : host;
		return { baseUrl: `http://${name}:${port}`, isRunning: false };
	}
	throw new ServiceError(
		"INVALID_ARGUMENT",
		"Nobody serves this data folder, and its settings do not say under which address callers reach it: name it with --url https://….",
	);
}

/** The server may have been started with a public address that no setting of this command names. */
async function askForBaseUrl(adminUrl: string): Promise<string> {
	const { origin, hostname } = new URL(adminUrl);
	const response = await createOperatorEgress(hostname).request({
		method: "GET",
		url: `${origin}/.well-known/api-catalog`,
		headers: {},
		timeoutMs: TIMEOUT_MS,
	});
	const { linkset } = (await response.json()) as { linkset?: { anchor?: string }[] };
	const rest = linkset?.map(({ anchor }) => anchor).find((anchor) => anchor?.endsWith("/v1"));
	if (response.ok && rest !== undefined) return rest.slice(0, -"/v1".length);
	throw new ServiceError(
		"UNAVAILABLE",
		"The running server does not say under which address it is reached: name it with --url.",
	);
}

/** Throws INVALID_ARGUMENT for what is no address, and for one over which a key would travel in the clear. */
export function parseBaseUrl(text: string): string {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const isSafe =
		url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
	const isPlain = url && `${url.username}${url.password}${url.search}${url.hash}` === "";
	if (isSafe && isPlain) return url.href.replaceAll("'", "%27").replace(/\/(mcp\/?)?$/, "");
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`"${text.slice(0, 200)}" is no base address; write one like https://api.example.org (http on loopback only), without /mcp, query or secret.`,
	);
}
