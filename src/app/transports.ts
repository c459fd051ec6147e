import express, { type Express, type RequestHandler, type Router } from "express";
import { custAccount } from "../../payments/payments.js";
import type { Store } from "../../store/store.js";
import { type A2a, createA2a } from "../a2a/a2a.js";
import {
	createOAuthGrants,
	createOAuthRecords,
	createRefreshTokens,
	createRevokeToken,
	setLabel,
} from "../accounts/accounts.js";
import { createAdminRouter } from "../admin/admin.js";
import { isSafeIssuer } from "../contract/contract.js";
import { assertCallerTarget, createCallerEgress } from "../delivery/delivery.js";
import {
	type CallRates,
	createMessageClasses,
	createOperatorCheck,
	type MessageClasses,
	refuseForwarded,
} from "../http/http.js";
import { createJobViews, type Jobs } from "../jobs/jobs.js";
import { type Clock, createSealedText, type Ids, type Logger, stackOf } from "../kernel/kernel.js";
import { createLateMcp, type Mcp } from "../mcp/mcp.js";
import { createOAuthRouter, createResourceRoutes } from "../oauth/oauth.js";
import type { Operator } from "../operator/operator.js";
import {
	createFallback,
	createHttpFront,
	createRateLimit,
	createRestRouter,
} from "../rest/rest.js";
import type { Service } from "../service/service.js";
import type { Money } from "./money.js";
import type { Ports } from "./services.js";

export interface HttpAppDeps {
	readonly service: Service;
	readonly operator: Operator;
	readonly adminToken: string;
	readonly callRates: CallRates;
	/** Beside those on this machine. */
	readonly trustedProxies: readonly string[];
	/** Routers of transports that have no address below `/v1/`, in order. */
	readonly transports: readonly Router[];
	/** Pages for readers, asked before REST. */
	readonly web: Router;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly logger: Logger;
}

export interface HttpApp {
	readonly handler: Express;
	/** What a server is to make its requests and responses as. */
	readonly messages: MessageClasses;
}

/** Every transport on one Express application. */
export function createHttpApp(deps: HttpAppDeps): HttpApp {
	const { service, operator, adminToken, callRates, transports, clock, ids, logger } = deps;
	const logUnexpected = (error: unknown, at: object) =>
		logger.error("unexpected failure", { ...at, error: stackOf(error) });
	const app = express();
	app.disable("x-powered-by");
	app.set("etag", false);
	// Behind such a proxy the caller is whom it names; anybody else could name anyone.
	app.set("trust proxy", ["loopback", ...deps.trustedProxies]);
	const check = createOperatorCheck(adminToken);
	app.use(createRateLimit({ rates: callRates, clock, ids, isOperator: check.isOperator }));
	app.use(createHttpFront({ ids }));
	if (service.info.profile === "demo") app.use(refuseForwarded);
	app.use("/v1/admin", createAdminRouter({ operator, check, logger, clock }));
	for (const transport of transports) app.use(besideRest(transport));
	app.use(deps.web);
	app.use(createRestRouter({ service, clock, logUnexpected }));
	app.use(createFallback({ ids, logUnexpected }));
	return { handler: app, messages: createMessageClasses(app) };
}

/** A router that has no answer costs a turn of the event loop: what is certainly not for a transport passes it by. */
function besideRest(transport: Router): RequestHandler {
	return (request, response, next) => {
		if (request.url.startsWith("/v1/")) next();
		else transport(request, response, next);
	};
}

export interface A2aParts {
	readonly ports: Ports;
	readonly service: Service;
	readonly store: Store;
	readonly jobs: Jobs;
	/** Changes with what is on sale. */
	readonly revision: () => string;
}

/** Agent-to-agent over the whole house: tasks of long work are its jobs, anyone who wants to be told is told on the public internet. */
export function openA2a({ ports, service, store, jobs, revision }: A2aParts): A2a {
	const { keys, clock, random, callerEgress: egress = createCallerEgress() } = ports;
	const { pepper, signingJwk } = keys;
	const seal = createSealedText({ pepper, random, purpose: "a2a push targets" });
	return createA2a({
		...ports,
		service,
		revision,
		store,
		signingJwk,
		x402: ports.onchain?.terms,
		jobs: createJobViews({ jobs, clock }),
		push: { egress, judge: assertCallerTarget, seal },
	});
}

export interface McpParts {
	readonly ports: Ports;
	readonly service: Service;
	readonly money: Pick<Money, "onchain" | "callRates">;
}

const ANONYMOUS_COULD_PAY =
	"mcp_pay_per_call is on, but no payments on a chain are configured: agents without an account are not let in at /mcp";

/** The Model Context Protocol over the whole house. */
export function openMcp({ ports, service, money }: McpParts): Mcp {
	const { mcp, oauth = "own", identity } = ports.settings;
	const { payPerCall = false, allowedOrigins = [] } = mcp ?? {};
	const { onchain, callRates } = money;
	if (ports.isServing && payPerCall && !onchain) ports.logger.error(ANONYMOUS_COULD_PAY);
	const foreign = oauth === "own" || oauth === "off" ? undefined : oauth.issuer;
	return createLateMcp({
		...ports,
		service,
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

export interface OAuthParts {
	readonly ports: Ports;
	readonly store: Store;
	readonly money: Money;
	readonly service: Service;
}

/** The routes of anyone who gives access; none where it is switched off. */
export function openOAuth({
	ports,
	store,
	money,
	service,
}: OAuthParts): readonly ReturnType<typeof createOAuthRouter>[] {
	const { settings, keys, clock, callerEgress: egress = createCallerEgress() } = ports;
	const { oauth = "own" } = settings;
	if (oauth === "off") return [];
	if (oauth !== "own") return [createResourceRoutes(service, oauth.issuer)];
	const { profiles, apiKeys, callRates } = money;
	const { pepper, oauthJwk: signingJwk } = keys;
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
	const tokens = { clock, baseUrl: () => service.info.baseUrl(), signingJwk, pepper };
	const router = createOAuthRouter({
		...ports,
		service,
		callRates,
		egress,
		pepper,
		signingJwk,
		records: createOAuthRecords({ store, clock, pepper }),
		refreshTokens: createRefreshTokens({ pepper, random: ports.random }),
		grants,
		revokeToken: createRevokeToken({ ...tokens, store, grants }),
		isOpen: async (accountId) => (await readAccount(accountId)) !== undefined,
		readAccount,
	});
	return [router];
}
