import { lookup as systemLookup } from "node:dns/promises";
import { type IncomingMessage, request as sendOver } from "node:http";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import type { Duplex } from "node:stream";
import { connect } from "node:tls";
import { LIMITS } from "../contract/contract.js";
import { type Egress, type OutboundRequest, ServiceError, toIpv6Groups } from "../kernel/kernel.js";
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
		const { message, status } = await send({ request, url, signal, open });
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
				throw new ServiceError("UNAVAILABLE", `Nobody answers at ${url.host}.`, { cause });
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
		throw new ServiceError(
			"INVALID_ARGUMENT",
			`An address to call must read https://host/path, without user name, on port ${ports.join(" or ")}.`,
		);
	}
	const hostname = bare(url.hostname);
	if (isIP(hostname) && !areAllPublic([hostname])) throw notPublic(url);
	if (hosts && !hosts.includes(hostname)) {
		throw new ServiceError("INVALID_ARGUMENT", `Only ${hosts.join(", ")} may be called here.`);
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
	return new ServiceError(
		"INVALID_ARGUMENT",
		`"${host}" has no address on the public internet; give one that has.`,
	);
}

function portOf({ port }: URL): number {
	return port === "" ? 443 : Number(port);
}

function bare(hostname: string): string {
	return hostname.replace(/^\[|\]$/g, "");
}

/** No addresses for a name no one knows, which is told like one that points inside. */
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

interface Sending {
	readonly request: OutboundRequest;
	readonly url: URL;
	readonly signal: AbortSignal;
	readonly open: () => Duplex;
}

interface Answer {
	readonly message: IncomingMessage;
	readonly status: number;
}

function send({ request, url, signal, open }: Sending): Promise<Answer> {
	const { method, headers = {}, body } = request;
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
			(message) => resolve({ message, status: message.statusCode ?? 0 }),
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

type Range = readonly [network: string, prefix: number];

/** Everything of the IANA special-purpose registry that is no global unicast, and hosts that are not what they seem. */
const NOT_PUBLIC_V4: readonly Range[] = [
	["0.0.0.0", 8], // this network
	["10.0.0.0", 8], // private
	["100.64.0.0", 10], // carrier-grade NAT
	["127.0.0.0", 8], // loopback
	["168.63.129.16", 32], // a public address that a large cloud answers inside each of its machines
	["169.254.0.0", 16], // link-local, cloud metadata
	["172.16.0.0", 12], // private
	["192.0.0.0", 24], // protocol assignments
	["192.0.2.0", 24], // documentation
	["192.31.196.0", 24], // AS112
	["192.52.193.0", 24], // automatic multicast tunnelling
	["192.88.99.0", 24], // 6to4 relays
	["192.168.0.0", 16], // private
	["192.175.48.0", 24], // AS112
	["198.18.0.0", 15], // benchmarking
	["198.51.100.0", 24], // documentation
	["203.0.113.0", 24], // documentation
	["224.0.0.0", 4], // multicast
	["240.0.0.0", 4], // reserved, broadcast
];

/** The only global unicast there is; mapped, compatible, NAT64, local and multicast addresses all lie outside. */
const UNICAST_V6: Range = ["2000::", 3];

const NOT_PUBLIC_V6: readonly Range[] = [
	["2001::", 23], // protocol assignments: Teredo, benchmarking, ORCHID
	["2001:db8::", 32], // documentation
	["2002::", 16], // 6to4: carries an IPv4 address
	["2620:4f:8000::", 48], // AS112
	["3fff::", 20], // documentation
];

const unicastV6 = toBlockList([UNICAST_V6], "ipv6");
const notPublicV4 = toBlockList(NOT_PUBLIC_V4, "ipv4");
const notPublicV6 = toBlockList(NOT_PUBLIC_V6, "ipv6");

/** True for global unicast only (RFC 6890); false for what is no address at all. */
export function isPublicAddress(address: string): boolean {
	switch (isIP(address)) {
		case 4:
			return !notPublicV4.check(address, "ipv4");
		case 6:
			// An address with a zone is never global.
			if (address.includes("%") || isIsatap(address)) return false;
			return unicastV6.check(address, "ipv6") && !notPublicV6.check(address, "ipv6");
		default:
			return false;
	}
}

/** An ISATAP interface identifier, 0000:5efe or 0200:5efe (RFC 5214, 6.1), carries an IPv4 address under any prefix. */
function isIsatap(address: string): boolean {
	const [, , , , flags = 0, kind] = toIpv6Groups(address) ?? [];
	return (flags & ~ISATAP_FLAGS) === 0 && kind === 0x5efe;
}

/** The universal and group bits, which say nothing about what is carried. */
const ISATAP_FLAGS = 0x0300;

function toBlockList(ranges: readonly Range[], family: "ipv4" | "ipv6"): BlockList {
	const list = new BlockList();
	for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
	return list;
}
