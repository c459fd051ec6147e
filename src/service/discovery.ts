import type { Json, ServiceInfo } from "../contract/contract.js";
import { STATUS_OF, toDocument } from "../http/http.js";
import {
	createPerRevision,
	ERROR_CODES,
	type ErrorCode,
	isRetryable,
	unavailable,
} from "../kernel/kernel.js";
import { type GraphCatalog, OKF_VERSION, toCatalogDataset } from "../knowledge/knowledge.js";
import type { IndexStatus } from "../search/search.js";

export type Discovery = ReturnType<typeof createDiscovery>;

/** How a caller finds out what this is, in which version, and what its errors mean. */
export function createDiscovery({
	info,
	catalog,
	search,
	health,
}: {
	readonly info: ServiceInfo;
	readonly catalog: GraphCatalog;
	readonly search: { status(): IndexStatus };
	readonly health: () => Promise<Json>;
}) {
	const version = {
		software: info.version,
		interface: INTERFACE_VERSION,
		openapi: "3.1.0",
		okf: OKF_VERSION,
		a2a: ["1.0", "0.3"],
		x402: [2, 1],
		deprecations: [],
	};
	const errors = toErrorGuide();
	const changelog = { items: INTERFACE_CHANGES };
	const datasets = createPerRevision(
		() => [catalog.revision, info.baseUrl()],
		() => {
			const options = { baseUrl: info.baseUrl(), name: "tollgraph" };
			const dataset = toCatalogDataset(catalog.list(), options);
			return toDocument("application/ld+json", JSON.stringify(dataset, undefined, 2));
		},
	);
	return {
		/** Throws UNAVAILABLE while a paid call could not be answered. */
		async ready() {
			const { status } = await health();
			if (status === "unavailable") {
				throw unavailable(
					"Nothing is sold at the moment; GET /v1/health says which part is not well.",
				);
			}
			const { mode, concepts, pendingVectors } = search.status();
			return {
				ready: true,
				graphs: catalog.list().length,
				search: { mode, concepts, pending_vectors: pendingVectors },
			};
		},
		version: () => version,
		errors: () => errors,
		changelog: () => changelog,
		/** The catalog as schema.org and DCAT linked data. */
		catalogDataset: () => datasets("catalog"),
	};
}

/** Version of the interface, independent of the software's. Spec: Versioning, rule 2. */
export const INTERFACE_VERSION = "1.7.0";

interface Guidance {
	readonly meaning: string;
	readonly what_to_do: string;
}

/** What each code means to anyone who reads it, and the way on. */
const GUIDANCE: Readonly<Record<ErrorCode, Guidance>> = {
	INVALID_ARGUMENT: {
		meaning: "The request is not valid: a parameter, a header or the body.",
		what_to_do: "Correct what details names; the operation's schema is in /openapi.json.",
	},
	UNAUTHENTICATED: {
		meaning: "The credential is missing, unknown, expired or revoked.",
		what_to_do: "Send one valid API key, Shared Payment Token or OIDC token.",
	},
	PAYMENT_REQUIRED: {
		meaning: "The operation is paid and nothing pays for it.",
		what_to_do: "Pay by one of continuations or accepts and send the same request again.",
	},
	INSUFFICIENT_BALANCE: {
		meaning: "The balance behind the credential is lower than the price.",
		what_to_do: "Top the balance up, or pay this call another way.",
	},
	SPENDING_LIMIT: {
		meaning: "A limit that was set on the credential or its account is reached.",
		what_to_do: "Raise the limit, wait until its period ends, or pay another way.",
	},
	PAYMENT_REJECTED: {
		meaning: "The payment was not accepted; nothing was charged.",
		what_to_do: "Read the message, make a new payment from the current 402 and try again.",
	},
	PAYMENT_ALREADY_USED: {
		meaning: "The payment has bought something already.",
		what_to_do: "Make a new payment; to read the earlier answer again, send its idempotency key.",
	},
	SCOPE_FORBIDDEN: {
		meaning: "The credential is valid, and not for this.",
		what_to_do: "Use a credential whose scope covers the operation and the graph.",
	},
	NOT_FOUND: {
		meaning: "Nothing here has this name.",
		what_to_do: "Look the name up: /v1/graphs/catalog lists graphs, /openapi.json operations.",
	},
	IDEMPOTENCY_IN_FLIGHT: {
		meaning: "A call with the same idempotency key is still running.",
		what_to_do: "Wait for Retry-After and send the same request again.",
	},
	IDEMPOTENCY_MISMATCH: {
		meaning: "The idempotency key was used with another request.",
		what_to_do: "Take a new key for a new request.",
	},
	CONFLICT: {
		meaning: "An operator's retry key was used with another command.",
		what_to_do: "Take a new key for a new command.",
	},
	PRECONDITION_FAILED: {
		meaning: "What an operator's command changes is not as If-Match says.",
		what_to_do: "Read it again, and send the command with the ETag of that reply.",
	},
	RATE_LIMITED: {
		meaning: "Requests come faster than they are taken.",
		what_to_do: "Wait for Retry-After; RateLimit says what is left.",
	},
	QUOTA_EXCEEDED: {
		meaning: "The free calls of the day or month are used up.",
		what_to_do: "Wait for Retry-After, or pay by one of continuations.",
	},
	INTERNAL: {
		meaning: "Something went wrong on the server; nothing was charged.",
		what_to_do: "Retry with exponential backoff and jitter; report the request_id if it stays.",
	},
	UPSTREAM: {
		meaning: "Something the server depends on failed; nothing was charged.",
		what_to_do: "Retry with exponential backoff and jitter.",
	},
	SETTLEMENT_UNKNOWN: {
		meaning: "A payment was sent and its outcome is not known yet.",
		what_to_do: "Send the same request with the same payment again; it is never charged twice.",
	},
	UNAVAILABLE: {
		meaning: "The service is stopping, starting, or took too long.",
		what_to_do: "Wait for Retry-After and try again.",
	},
};

/** Every error code with its status, whether a retry may help, and the way on. Spec: Errors. */
function toErrorGuide() {
	const items = ERROR_CODES.map((code) => ({
		code,
		status: STATUS_OF[code],
		retryable: isRetryable(code),
		...GUIDANCE[code],
	}));
	return { items };
}

/** What changed in the interface; newest first. Fields are only ever added within /v1. */
const INTERFACE_CHANGES = [
	{
		version: INTERFACE_VERSION,
		changes: [
			"The operations of the published contract, each with its price.",
			"Added: payments on a chain (x402, MPP), quotes, signed receipts, prepaid tokens with delegation.",
			"Added: filters, score explanations and routing in search.",
			"Added: reading a graph node by node, accounts, keys, budgets, limits in headers.",
		],
	},
] as const;
