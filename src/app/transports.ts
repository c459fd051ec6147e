import { readFile } from "node:fs/promises";
import express, { type Request, type RequestHandler, type Router } from "express";
import { custAccount } from "../../payments/payments.js";
import { type A2a, createA2a, type GrpcListening } from "../a2a/a2a.js";
import {
	createOAuthGrants,
	createOAuthRecords,
	createOAuthSteps,
	createRefreshTokens,
	createRevokeToken,
	setLabel,
} from "../accounts/accounts.js";
import {
	bearerOf,
	createAdminRouter,
	createBrowserSessions,
	createDashboardRouter,
	DASHBOARD_PATH,
	type DashboardPages,
} from "../admin/admin.js";
import { isSafeIssuer } from "../contract/contract.js";
import { assertCallerTarget, createCallerEgress } from "../delivery/delivery.js";
import {
	anyCredentialOf,
	createMessageClasses,
	createOperatorCheck,
	refuseForwarded,
} from "../http/http.js";
import { createJobViews } from "../jobs/jobs.js";
import { createSealedText, invalidSetting, stackOf } from "../kernel/kernel.js";
import { createLateMcp, type Mcp } from "../mcp/mcp.js";
import { createOAuthRouter, createResourceRoutes } from "../oauth/oauth.js";
import {
	COMMAND_ROOTS,
	createAuditLog,
	createOperatorKeys,
	createOperatorSessions,
} from "../operator/operator.js";
import {
	createFallback,
	createHttpFront,
	createRateLimit,
	createRestRouter,
} from "../rest/rest.js";
import { assertPrivate } from "../settings/settings.js";
import type { HttpApp, Ports, Wiring } from "./services.js";

/** Every transport on one Express application. */
export function createHttpApp({
	service,
	commands,
	keys: { adminToken, pepper },
	money: { callRates },
	settings: { trustedProxies = [], adminFrom = "loopback" },
	store,
	transports,
	web,
	dashboard,
	clock,
	random,
	ids,
	logger,
	renderPage,
}: Pick<
	Wiring,
	| "service"
	| "commands"
	| "store"
	| "random"
	| "keys"
	| "money"
	| "settings"
	| "clock"
	| "ids"
	| "logger"
	| "renderPage"
> & {
	/** Routers of transports that have no address below `/v1/`, in order. */
	readonly transports: readonly Router[];
	/** Pages for readers, asked before REST. */
	readonly web: Router;
	readonly dashboard: DashboardPages;
}): HttpApp {
	const logUnexpected = (error: unknown, at: object) =>
		logger.error("unexpected failure", { ...at, error: stackOf(error) });
	const app = express();
	app.disable("x-powered-by");
	app.set("etag", false);
	// Behind such a proxy the caller is whom it names; anybody else could name anyone.
	app.set("trust proxy", ["loopback", ...trustedProxies]);
	const check = createOperatorCheck(adminToken);
	const operatorKeys = createOperatorKeys({ store, clock, ids, random, pepper });
	const findOperator = operatorKeys.find;
	const identify = async (req: Request) => {
		const credential = (await findOperator(bearerOf(req) ?? "")) ? undefined : anyCredentialOf(req);
		if (credential) await service.identify(credential);
	};
	const { isOperator } = check;
	app.use(createRateLimit({ rates: callRates, clock, ids, isOperator, identify }));
	app.use(createHttpFront({ ids }));
	if (service.info.profile === "demo") app.use(refuseForwarded);
	const sessions = createOperatorSessions({
		...{ store, clock, random, pepper, adminToken },
		keys: operatorKeys,
		audit: createAuditLog({ store, clock }),
	});
	const browsers = createBrowserSessions({ sessions, check, baseUrl: service.info.baseUrl });
	const access = {
		...{ check, findOperator, sessions: browsers },
		isOpenToAll: adminFrom === "anywhere",
	};
	for (const root of COMMAND_ROOTS) {
		app.use(root, createAdminRouter({ root, commands, access, logger, clock }));
	}
	const own = { access, browsers, sessions, rates: callRates, pages: dashboard };
	app.use(DASHBOARD_PATH, createDashboardRouter(own));
	for (const transport of transports) app.use(besideRest(transport));
	app.use(web);
	app.use(createRestRouter({ service, clock, logUnexpected, renderPage }));
	app.use(createFallback({ ids, logUnexpected, renderPage }));
	// What Express has made of the setting: one rule for who calls, on every port.
	const trusts = app.get("trust proxy fn") as (address: string, hop: number) => boolean;
	const isProxy = (address: string) => trusts(address, 0);
	return { handler: app, messages: createMessageClasses(app), isProxy };
}

/** A router that has no answer costs a turn of the event loop: what is certainly not for a transport passes it by. */
function besideRest(transport: Router): RequestHandler {
	return (request, response, next) => {
		if (request.url.startsWith("/v1/")) next();
		else transport(request, response, next);
	};
}

/** Agent-to-agent over the whole service: tasks of long work are its jobs, subscribers are notified on the public internet. */
export function openA2a(
	wiring: Pick<Wiring, keyof Ports | "service" | "store" | "jobs" | "revision" | "address">,
): A2a {
	const { keys, clock, random, jobs, address } = wiring;
	const { callerEgress: egress = createCallerEgress() } = wiring;
	const { pepper, cardKeys } = keys;
	const seal = createSealedText({ pepper, random, purpose: "a2a push targets" });
	return createA2a({
		...wiring,
		signingJwk: () => cardKeys()[0],
		x402: wiring.onchain?.terms,
		jobs: createJobViews({ jobs, clock }),
		processCount: () => address.processes,
		push: { egress, judge: assertCallerTarget, seal },
	});
}

/** A2A over gRPC beside the HTTP server, where it is set up. Throws INVALID_ARGUMENT for files that are no certificate and key. */
export async function openGrpc(
	{ a2a, http, money, settings }: Pick<Wiring, "a2a" | "http" | "money" | "settings">,
	host: string,
): Promise<GrpcListening | undefined> {
	const { grpc } = settings;
	if (!grpc) return undefined;
	assertPrivate(host, grpc.tls);
	const tls = grpc.tls && {
		certificate: await readPem(grpc.tls.certificate, "grpc_tls_cert"),
		key: await readPem(grpc.tls.key, "grpc_tls_key"),
	};
	const { isProxy } = http;
	return a2a.listenGrpc({ ...grpc, host, tls, isProxy, rates: money.callRates });
}

async function readPem(path: string, key: string): Promise<Buffer> {
	return readFile(path).catch((cause: Error) => {
		throw invalidSetting(`The file "${path}" of ${key} cannot be read: ${cause.message}`);
	});
}

const ANONYMOUS_COULD_PAY =
	"mcp_pay_per_call is on, but no payments on a chain are configured: agents without an account are not let in at /mcp";

/** The Model Context Protocol over the whole house. */
export function openMcp(wiring: Pick<Wiring, keyof Ports | "service" | "money">): Mcp {
	const { service, money } = wiring;
	const { mcp, oauth = "own", identity } = wiring.settings;
	const { payPerCall = false, allowedOrigins = [] } = mcp ?? {};
	const { onchain, callRates } = money;
	if (wiring.isServing && payPerCall && !onchain) wiring.logger.error(ANONYMOUS_COULD_PAY);
	const foreign = oauth === "own" || oauth === "off" ? undefined : oauth.issuer;
	return createLateMcp({
		...wiring,
		callRates,
		takesPayments: payPerCall && onchain !== undefined,
		allowedOrigins,
		issuers: {
			access() {
				if (oauth !== "own") return foreign;
				const base = service.info.baseUrl();
				return isSafeIssuer(base) ? base : undefined;
			},
			identity: identity?.issuer,
		},
	});
}

/** The routes of anyone who gives access; none where it is switched off. */
export function openOAuth(
	wiring: Pick<Wiring, keyof Ports | "store" | "money" | "service" | "address" | "renderPage">,
): readonly Router[] {
	const { store, money, service, address } = wiring;
	const { settings, keys, clock, random, callerEgress: egress = createCallerEgress() } = wiring;
	const { oauth = "own" } = settings;
	if (oauth === "off") return [];
	if (oauth !== "own") return [createResourceRoutes(service, oauth.issuer)];
	const { profiles, apiKeys, callRates } = money;
	const { pepper, oauthKeys: signingKeys } = keys;
	const readAccount = async (accountId: string) => {
		const [account, balanceMicros] = await store.read(
			async (reader) =>
				[
					await reader.get("accounts", accountId),
					await reader.balance(custAccount(accountId)),
				] as const,
		);
		if (!account || account.closedAt !== undefined) return undefined;
		const { label } = await profiles.get(accountId);
		return { name: label || account.label || accountId, balanceMicros };
	};
	const grants = createOAuthGrants({
		keys: apiKeys,
		store,
		clock,
		setLabel: (accountId, id, label) => setLabel({ store, profiles }, accountId, id, label),
	});
	const tokens = { clock, baseUrl: () => service.info.baseUrl(), signingKeys, pepper };
	const router = createOAuthRouter({
		...wiring,
		callRates,
		egress,
		pepper,
		signingKeys,
		records: createOAuthRecords({ store, clock, pepper }),
		steps: createOAuthSteps({ store, clock, random, pepper }),
		processCount: () => address.processes,
		refreshTokens: createRefreshTokens({ pepper, random }),
		grants,
		revokeToken: createRevokeToken({ ...tokens, store, grants }),
		isOpen: async (accountId) => (await readAccount(accountId)) !== undefined,
		readAccount,
	});
	return [router];
}
