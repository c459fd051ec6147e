import express, { type RequestHandler, type Router } from "express";
import {
	type DataOperation,
	LIMITS,
	type Operation,
	type OwnerOperation,
	type PaidOperation,
	type PurchaseOperation,
	type RenderPage,
} from "../contract/contract.js";
import type { Clock } from "../kernel/kernel.js";
import { OPERATIONS, type Service } from "../service/service.js";
import {
	createCallLimit,
	createDataHandler,
	createDocumentHandler,
	createMethodRefusal,
	createOwnerHandler,
	createPaidHandler,
	createPaymentLimit,
	createPurchaseHandler,
} from "./handlers.js";
import { createErrorHandler, type LogUnexpected } from "./http-frame.js";
import { createOpenApiHandler } from "./openapi-document.js";
import { createBodyReader, createBodyRoom } from "./request.js";
import { sendJsonDocument } from "./respond.js";
import { createStreamHandler } from "./stream-handler.js";

/** Every route of the table under its exact path: another case or a trailing slash is another path, and unknown. */
export function createRestRouter({
	service,
	clock,
	limits = {},
	logUnexpected,
	renderPage,
}: {
	readonly service: Service;
	readonly clock: Clock;
	readonly limits?: { readonly requestTimeoutMs?: number };
	readonly logUnexpected?: LogUnexpected;
	readonly renderPage?: RenderPage;
}): Router {
	const router = express.Router({ caseSensitive: true, strict: true });
	const requestTimeoutMs = limits.requestTimeoutMs ?? LIMITS.requestTimeoutMs;
	const limitPayments = createPaymentLimit(clock);
	const answerDeps = { service, clock, requestTimeoutMs, limitPayments };
	const bodyReader = createBodyReader();
	const takeRoom = createBodyRoom();
	const before = (route: DataOperation | OwnerOperation | PurchaseOperation): RequestHandler[] => [
		createCallLimit(service, route),
		...(route.body ? bodyReader : []),
	];
	const paidHandler = (route: PaidOperation) =>
		route.streams ? createStreamHandler(answerDeps, route) : createPaidHandler(answerDeps, route);
	const bodyReaderOf = ({ bodyBytes: bytesMax }: PaidOperation) =>
		bytesMax === undefined ? bodyReader : createBodyReader({ bytesMax, takeRoom });
	const handlersOf = (route: Operation): RequestHandler[] => {
		switch (route.kind) {
			case "paid":
				return [...(route.body ? bodyReaderOf(route) : []), paidHandler(route)];
			case "data":
				return [...before(route), createDataHandler(answerDeps, route)];
			case "owner":
				return [...before(route), createOwnerHandler(answerDeps, route)];
			case "purchase":
				return [...before(route), createPurchaseHandler(answerDeps, route)];
			case "document":
				return [createDocumentHandler(service, route)];
		}
	};

	const { payments } = service.free;
	router.get("/", (req, res) => sendJsonDocument(req, res, toLanding(service)));
	router.get("/openapi.json", createOpenApiHandler(service));
	// The keys that sign the agent card and the receipts.
	router.get("/.well-known/jwks.json", (req, res) => sendJsonDocument(req, res, payments.keySet()));
	// Every paid route with its price, its payment requirements and an input that works.
	router.get(["/.well-known/x402", "/.well-known/x402.json"], (req, res) =>
		sendJsonDocument(req, res, payments.x402Listing()),
	);
	for (const [path, routes] of routesByPath()) {
		const at = router.route(path.replace(/\{(\w+)\}/g, ":$1"));
		const refuse = createMethodRefusal(routes.flatMap(methodsOf));
		for (const route of routes) {
			// Express would answer HEAD with the handler of GET.
			if (!offersHead(route)) at.head(refuse);
			const method = route.method.toLowerCase() as Lowercase<Operation["method"]>;
			at[method](...handlersOf(route));
		}
		at.all(refuse);
	}
	router.use(createErrorHandler({ logUnexpected, renderPage }));
	return router;
}

/** Literal paths first: `/v1/graphs/catalog` must not be taken for the detail of a graph called "catalog". */
function routesByPath(): [path: string, routes: Operation[]][] {
	const byPath = new Map<string, Operation[]>();
	for (const route of OPERATIONS) {
		const { path } = route;
		byPath.set(path, [...(byPath.get(path) ?? []), route]);
	}
	const isTemplate = (path: string) => (path.includes("{") ? 1 : 0);
	return [...byPath].sort(([a], [b]) => isTemplate(a) - isTemplate(b));
}

/** HEAD runs the handler of GET and drops what it says: never where that is paid for, or shown once. */
function offersHead(route: Operation): boolean {
	return route.kind !== "paid" && !(route.kind === "owner" && route.showsOnce);
}

/** Methods a path offers for this route; HEAD comes with GET unless money is asked. */
function methodsOf(route: Operation): string[] {
	const { method } = route;
	return method === "GET" && offersHead(route) ? [method, "HEAD"] : [method];
}

/** The root of the service: where a visitor, human or not, goes from here. */
function toLanding({ info }: Service): object {
	const base = info.baseUrl();
	return {
		name: "tollgraph",
		version: info.version,
		description: "Curated knowledge graphs, sold call by call to autonomous agents.",
		links: {
			agent_card: `${base}/.well-known/agent-card.json`,
			openapi: `${base}/openapi.json`,
			catalog: `${base}/v1/graphs/catalog`,
			offerings: `${base}/v1/offerings`,
			health: `${base}/v1/health`,
		},
	};
}
