import { lookup as systemLookup } from "node:dns/promises";
import { type IncomingMessage, request as sendOver } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import type { Duplex } from "node:stream";
import { connect } from "node:tls";
import { LIMITS } from "../contract/contract.js";
import {
	type Egress,
	invalidArgument,
	type OutboundRequest,
	ServiceError,
	unavailable,
} from "../kernel/kernel.js";
import { isPublicAddress } from "./public-address.js";
import { readBounded, toResponse } from "./reply-body.js";

const HTTPS_PORTS: readonly number[] = [443, 8443];

/** What may be asked; the last two are the network itself, for tests. */
export interface CallerReach {
	/** The only hosts that may be asked; any public one where absent. */
	readonly hosts?: readonly string[];
	readonly ports?: readonly number[];
	/** Every address of a name. */
	readonly resolve?: (hostname: string) => Promise<readonly string[]>;
	/** Opens a connection to one of the addresses. */
	readonly dial?: Dial;
}

export type Dial = (target: DialTarget) => Duplex;

export interface DialTarget {
	readonly hostname: string;
	readonly port: number;
	/** Judged already; the connection must go to one of them. */
	readonly addresses: readonly string[];
}

/**
 * Reaches addresses that callers name: https to public hosts and nothing else, whatever the address looks like or its
 * name resolves to. The addresses that are judged are those that are connected to, so a name that changes its mind in
 * between gains nothing. Follows no redirects, uses no proxy, and bounds time, headers and reply.
 * Throws INVALID_ARGUMENT for what may not be asked, UPSTREAM for a redirect or a reply too long, UNAVAILABLE.
 */
export function createCallerEgress(reach: CallerReach = {}): Egress {
	const { resolve = resolveAll, dial = dialTls } = reach;
	const exchange = async (request: OutboundRequest, url: URL): Promise<Response> => {
		const timeout = AbortSignal.timeout(Math.min(request.timeoutMs, LIMITS.callerEgressMs));
		const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout;
		signal.throwIfAborted();
		const hostname = bare(url.hostname);
		const addresses = isIP(hostname) ? [hostname] : await orAborted(signal, resolve(hostname));
		if (!areAllPublic(addresses)) throw notPublic(url);
		const open = () => dial({ hostname, port: portOf(url), addresses });
		const message = await send(request, { url, signal, open });
		const { statusCode: status = 0 } = message;
		if (status >= 300 && status < 400) {
			message.destroy();
			throw new ServiceError("UPSTREAM", `${url.host} redirects, which is not followed.`);
		}
		const bounds = { host: url.host, bytesMax: LIMITS.callerReplyBytes };
		return toResponse(status, headersOf(message), await readBounded(message, bounds));
	};
	return {
		async request(request) {
			const url = assertCallerTarget(request.url, reach);
			try {
				return await exchange(request, url);
			} catch (cause) {
				if (cause instanceof ServiceError) throw cause;
				throw unavailable(`No server answers at ${url.host}.`, { cause });
			}
		},
	};
}

/**
 * Judges an address by its text alone, as far as that goes: what it resolves to is judged when it is asked.
 * Throws INVALID_ARGUMENT.
 */
export function assertCallerTarget(
	text: string,
	{ hosts, ports = HTTPS_PORTS }: Pick<CallerReach, "hosts" | "ports"> = {},
): URL {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (url?.protocol !== "https:" || url.username || url.password || !ports.includes(portOf(url))) {
		throw invalidArgument(
			`An address to call must read https://host/path, without user name, on port ${ports.join(" or ")}.`,
		);
	}
	const hostname = bare(url.hostname);
	if (isIP(hostname) && !areAllPublic([hostname])) throw notPublic(url);
	if (hosts && !hosts.includes(hostname)) {
		throw invalidArgument(`Only ${hosts.join(", ")} may be called here.`);
	}
	return url;
}

/** One address that is not public is reason enough: an honest name has none. */
function areAllPublic(addresses: readonly string[]): boolean {
	const own = new Set(
		Object.values(networkInterfaces()).flatMap((list) =>
			(list ?? []).map(({ address }) => address),
		),
	);
	return addresses.length > 0 && addresses.every((it) => isPublicAddress(it) && !own.has(it));
}

/** Says the same of a name no one knows and of one that points inside, so that no one can map what is there. */
function notPublic({ host }: URL): ServiceError {
	return invalidArgument(`"${host}" has no address on the public internet; give one that has.`);
}

function portOf({ port }: URL): number {
	return port === "" ? 443 : Number(port);
}

function bare(hostname: string): string {
	return hostname.replace(/^\[|\]$/g, "");
}

/** No addresses for a name no one knows, which gets the same refusal as one that points inside. */
async function resolveAll(hostname: string): Promise<readonly string[]> {
	try {
		const found = await systemLookup(hostname, { all: true });
		return found.map(({ address }) => address);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOTFOUND") return [];
		throw error;
	}
}

/** TLS to one of these addresses; the name is used for the certificate alone. */
const dialTls: Dial = ({ hostname, port, addresses }) => {
	const records = addresses.map((address) => ({ address, family: isIP(address) }));
	const pinned: LookupFunction = (_name, { all }, done) => {
		const [first] = records;
		if (all) done(null, records);
		else done(null, first?.address ?? "", first?.family);
	};
	return connect({
		host: hostname,
		port,
		lookup: pinned,
		ALPNProtocols: ["http/1.1"],
		rejectUnauthorized: true,
		...(isIP(hostname) === 0 && { servername: hostname }),
	});
};

function send(
	{ method, headers = {}, body }: OutboundRequest,
	{ url, signal, open }: { url: URL; signal: AbortSignal; open: () => Duplex },
): Promise<IncomingMessage> {
	return new Promise((resolve, reject) => {
		const outgoing = sendOver(
			{
				method,
				path: `${url.pathname}${url.search}`,
				headers: {
					...headers,
					Host: url.host,
					Connection: "close",
					"Accept-Encoding": "identity",
					...(body !== undefined && { "Content-Length": String(Buffer.byteLength(body)) }),
				},
				createConnection: open,
				maxHeaderSize: LIMITS.callerReplyHeaderBytes,
				signal,
			},
			resolve,
		);
		outgoing.once("error", reject);
		outgoing.end(body);
	});
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
	const headers = new Headers();
	for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
		headers.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
	}
	return headers;
}

function orAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
	return new Promise((resolve, reject) => {
		const leave = () => reject(signal.reason);
		signal.addEventListener("abort", leave, { once: true });
		work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
	});
}
