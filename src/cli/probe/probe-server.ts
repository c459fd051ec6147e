import { type Egress, ServiceError } from "../../kernel/kernel.js";
import {
	type AdvertisedRoute,
	AGENT_CARD_PATH,
	isWire,
	mergeRoutes,
	readAgentCard,
	readX402Listing,
	type Wire,
} from "./advertised-routes.js";
import { judgeChallenge, type UnpaidReply } from "./judge-challenge.js";
import { readOpenApi } from "./read-openapi.js";

interface ProbeOptions {
	readonly egress: Egress;
	/** The one origin that is asked. */
	readonly origin: string;
	/** Origin under which the server knows itself, when it is reached by another one. */
	readonly publicOrigin?: string | undefined;
	readonly timeoutMs: number;
	readonly routesMax: number;
	readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

interface RouteReport {
	readonly route: string;
	readonly sources: readonly string[];
	readonly url: string | null;
	readonly price_usd: string | null;
	readonly status: "ok" | "problem" | "skipped";
	readonly ways: readonly string[];
	readonly problems: readonly string[];
}

export type ProbeReport = Awaited<ReturnType<typeof probeServer>>;

const CONCURRENCY = 2;
const OPENAPI_PATH = "/openapi.json";
const READERS: Readonly<
	Record<string, (document: Wire, origin: string) => readonly AdvertisedRoute[]>
> = {
	"/.well-known/x402": readX402Listing,
	[OPENAPI_PATH]: readOpenApi,
	[AGENT_CARD_PATH]: readAgentCard,
};

/** Asks every advertised price once, unpaid, and says which ones are answered by a valid challenge. */
export async function probeServer(options: ProbeOptions) {
	const { origin, routesMax, onProgress } = options;
	const found = await readDocuments(options);
	const advertised = mergeRoutes(found.routes);
	const asked = advertised.slice(0, routesMax);
	const routes: RouteReport[] = [];
	const freeRides = new Map<string, Promise<readonly string[]>>();
	let next = 0;
	const work = async () => {
		for (let index = next++; index < asked.length; index = next++) {
			const route = asked[index];
			if (route) routes[index] = await probeRoute(options, route, freeRides);
			onProgress?.(routes.filter(Boolean).length, asked.length);
		}
	};
	await Promise.all(Array.from({ length: CONCURRENCY }, work));
	const problems = [...found.problems, ...judgeWhole(routes)];
	return {
		url: origin,
		/** True when at least one advertised price was asked for, and every one was answered by a valid challenge. */
		ok: problems.length === 0 && routes.every(({ status }) => status !== "problem"),
		documents: found.documents,
		routes,
		/** Advertised routes beyond the limit, which were not asked. */
		unasked: advertised.length - asked.length,
		problems,
	};
}

function judgeWhole(routes: readonly RouteReport[]): string[] {
	if (routes.length === 0) return ["No advertised price was found in any document."];
	const isAsked = routes.some(({ status }) => status !== "skipped");
	return isAsked ? [] : ["None of the advertised routes could be asked."];
}

async function readDocuments(options: ProbeOptions) {
	const documents: string[] = [];
	const routes: AdvertisedRoute[] = [];
	const problems: string[] = [];
	const failures: unknown[] = [];
	for (const path of Object.keys(READERS)) {
		try {
			const found = await readDocument(options, path);
			if (!found) continue;
			documents.push(path);
			for (const route of found) routes.push(route);
		} catch (error) {
			failures.push(error);
			problems.push(`${path} is not read: ${reasonOf(error)}`);
		}
	}
	const isUnreachable = failures.length === Object.keys(READERS).length;
	if (isUnreachable && failures.every(isUnavailable)) throw failures[0];
	return { documents, routes, problems };
}

/** Undefined where the server has no such document. */
async function readDocument(
	options: ProbeOptions,
	path: string,
): Promise<readonly AdvertisedRoute[] | undefined> {
	const { origin } = options;
	const headers = path === AGENT_CARD_PATH ? { "A2A-Version": "1.0" } : {};
	const reply = await ask(options, { method: "GET", url: `${origin}${path}`, headers });
	if (reply.status !== 200) return undefined;
	if (isWire(reply.body)) return READERS[path]?.(reply.body, origin);
	throw new ServiceError("UPSTREAM", "It is served, but is no JSON object.");
}

async function probeRoute(
	options: ProbeOptions,
	route: AdvertisedRoute,
	freeRides: Map<string, Promise<readonly string[]>>,
): Promise<RouteReport> {
	const about = {
		route: route.label,
		sources: route.sources,
		url: route.url ?? null,
		price_usd: Object.values(route.pricesUsd)[0] ?? null,
	};
	const url = route.url && toAskedUrl(options, route.url);
	if (!url) {
		const why = route.unready ?? `it is advertised at another host than ${options.origin}`;
		return { ...about, status: "skipped", ways: [], problems: [`Not asked: ${why}.`] };
	}
	try {
		const reply = await askUnpaid(options, route, url);
		if (reply.status === 401 && route.mayAskWho) {
			const problems = ["Not judged: it wants to know who asks before it names its price."];
			return { ...about, url, status: "skipped", ways: [], problems };
		}
		if (reply.status === 404 && (await isOnlyAnExample(options, route, url))) {
			const problems = ["Not judged: nothing here has the name its example uses."];
			return { ...about, url, status: "skipped", ways: [], problems };
		}
		const { ways, problems } = judgeChallenge({ ...route, url }, reply);
		const rides = freeRides.get(url) ?? lookForFreeRides(options, url);
		freeRides.set(url, rides);
		const all = [...problems, ...(await rides)];
		return { ...about, url, status: all.length > 0 ? "problem" : "ok", ways, problems: all };
	} catch (error) {
		return { ...about, url, status: "problem", ways: [], problems: [reasonOf(error)] };
	}
}

/**
 * An OpenAPI document shows what a request looks like; only a listing names what is there. A route that is not served
 * answers 404 to an empty body as well; one that looked for what the example names does not get as far.
 */
async function isOnlyAnExample(
	options: ProbeOptions,
	{ sources, label, method }: AdvertisedRoute,
	url: string,
): Promise<boolean> {
	if (sources.length !== 1 || sources[0] !== OPENAPI_PATH) return false;
	if (label.includes("{")) return true;
	if (method !== "POST") return false;
	const headers = { "Content-Type": "application/json" };
	return (await ask(options, { method, url, headers, body: "{}" })).status !== 404;
}

/** The address at the named origin; undefined when the route lies somewhere else. */
function toAskedUrl({ origin, publicOrigin }: ProbeOptions, url: string): string | undefined {
	if (!URL.canParse(url)) return undefined;
	const advertised = new URL(url);
	if (advertised.origin === origin) return url;
	if (advertised.origin !== publicOrigin) return undefined;
	return `${origin}${advertised.pathname}${advertised.search}`;
}

/** Where no document names the method: POST, and GET when there is none. */
async function askUnpaid(
	options: ProbeOptions,
	{ method, body, headers = {} }: AdvertisedRoute,
	url: string,
): Promise<UnpaidReply> {
	const post = {
		method: "POST",
		url,
		headers: { "Content-Type": "application/json", ...headers },
		body: body ?? "{}",
	} as const;
	if (method === "GET") return ask(options, { method, url, headers });
	const reply = await ask(options, post);
	const isElsewhere = method === undefined && (reply.status === 404 || reply.status === 405);
	return isElsewhere ? ask(options, { method: "GET", url, headers }) : reply;
}

/** Methods beside the advertised one must not run the work for nothing. */
async function lookForFreeRides(options: ProbeOptions, url: string): Promise<readonly string[]> {
	const head = await ask(options, { method: "HEAD", url });
	const preflight = await ask(options, { method: "OPTIONS", url });
	const isServed = (reply: UnpaidReply) => reply.status >= 200 && reply.status < 300;
	return [
		...(isServed(head) ? [`HEAD is answered ${head.status} without payment.`] : []),
		...(isServed(preflight) && preflight.body !== undefined
			? [`OPTIONS is answered ${preflight.status} with a document, without payment.`]
			: []),
	];
}

function isUnavailable(error: unknown): boolean {
	return error instanceof ServiceError && error.code === "UNAVAILABLE";
}

/** What another server writes can fail anywhere; it is that server's problem, and not the end of the probe. */
function reasonOf(error: unknown): string {
	if (error instanceof ServiceError) return error.message;
	return `It cannot be judged (${String(error)}).`;
}

/** Throws what the adapter throws, and UPSTREAM for a redirect, which is not followed. */
async function ask(
	{ egress, timeoutMs }: ProbeOptions,
	question: Omit<Parameters<Egress["request"]>[0], "timeoutMs">,
): Promise<UnpaidReply> {
	const reply = await egress.request({ ...question, timeoutMs }).catch((error: unknown) => {
		if (!isRedirect(error)) throw error;
		throw new ServiceError("UPSTREAM", "It is answered by a redirect, which is not followed.");
	});
	const { status, headers } = reply;
	const text = await reply.text();
	try {
		return { status, headers, body: text === "" ? undefined : (JSON.parse(text) as unknown) };
	} catch {
		return { status, headers, body: undefined };
	}
}

/** The adapter follows no redirect and says so in the cause of its failure. */
function isRedirect(error: unknown): boolean {
	for (let at = error; at instanceof Error; at = at.cause) {
		if (/redirect/.test(at.message)) return true;
	}
	return false;
}
