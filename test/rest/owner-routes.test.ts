import t from "tap";
import type { Operation as Route } from "../../src/contract/operation.js";
import { OPERATION_ADDRESSES, OWNER_OPERATION_IDS } from "../../src/contract/operations.js";
import { ServiceError } from "../../src/kernel/errors.js";
import type { OwnerOperations } from "../../src/service/service-interface.js";
import { ROUTES } from "../support/routes.js";
import { rawRequest } from "./raw-request.js";
import { type StartOptions, startRest } from "./start-rest.js";

const OWNER_ROUTES: Route[] = OWNER_OPERATION_IDS.map((id) => ROUTES[id]);

function requestOf(route: Route) {
	const { method, path } = OPERATION_ADDRESSES[route.id];
	const body = "body" in route && route.body ? JSON.stringify(route.example.body ?? {}) : undefined;
	return {
		method,
		path: path.replace(/\{(\w+)\}/g, (_, name) => route.example.params?.[name] ?? "x"),
		headers: body === undefined ? [] : ["Content-Type", "application/json"],
		...(body !== undefined && { body }),
	};
}

/** Answers every operation with the example of its route, and notes who asked. */
function recordingOwner() {
	const asked: unknown[] = [];
	const answer = async (caller: unknown) => {
		asked.push(caller);
		return {};
	};
	// Operations stand side by side, or in groups by what they are about: each name is both.
	const group = new Proxy(answer, { get: () => answer });
	const owner = new Proxy({} as OwnerOperations, { get: () => group });
	const findKept: StartOptions["findKept"] = async (caller, kind, id) => {
		asked.push(caller);
		return { kind, id, data: { claim_review: {} }, createdAt: 0, expiresAt: 0 };
	};
	return { asked, owner, findKept };
}

t.test(
	"no one without a credential, or with one that was never issued, gets an owner's answer",
	async (t) => {
		const { asked, ...kept } = recordingOwner();
		const { baseUrl } = await startRest(t, {
			...kept,
			identify: async () => {
				throw new ServiceError("UNAUTHENTICATED", "Nobody issued this.");
			},
		});
		for (const route of OWNER_ROUTES) {
			const request = requestOf(route);
			const spt = ["X-Pay-SPT", "spt_unknown"];
			const opensById = "opensById" in route && route.opensById;
			for (const shown of opensById ? [spt] : [[], spt]) {
				const reply = await rawRequest(baseUrl, {
					...request,
					headers: [...request.headers, ...shown],
				});
				t.equal(reply.status, 401, `${request.method} ${request.path}`);
				t.match(reply.headers["www-authenticate"], /^Bearer /);
			}
		}
		t.same(asked, []);
	},
);

t.test("an owner's answer is for no one's cache, and other methods are refused", async (t) => {
	const { asked, ...kept } = recordingOwner();
	const access = { accountId: "acc_1", isManager: true, keepsNoText: false };
	const { baseUrl } = await startRest(t, {
		...kept,
		identify: async ({ scheme }) =>
			scheme === "spt" ? { owner: "tok_1", rail: "spt" } : { owner: "acc_1", rail: "plan", access },
	});
	const routes = OWNER_ROUTES.filter((route) => !("sends" in route && route.sends));
	for (const route of routes) {
		const request = requestOf(route);
		const credential =
			"scheme" in route && route.scheme === "account"
				? ["X-API-Key", "sk_live_x"]
				: ["X-Pay-SPT", "spt_good"];
		const headers = [...request.headers, ...credential];
		const reply = await rawRequest(baseUrl, { ...request, headers });
		const status = ("status" in route && route.status) || 200;
		t.equal(reply.status, status, `${request.method} ${request.path}: ${reply.text}`);
		t.equal(reply.headers["cache-control"], "private, no-store");
		const refused = await rawRequest(baseUrl, { ...request, method: "TRACE", headers });
		t.equal(refused.status, 405);
	}
	t.equal(asked.length, routes.length);
});

t.test("a credential of the wrong kind is answered with the one that is wanted", async (t) => {
	const { baseUrl } = await startRest(t, { owner: recordingOwner().owner });
	const reply = await rawRequest(baseUrl, {
		method: "GET",
		path: "/v1/spt/balance",
		headers: ["X-API-Key", "sk_live_x"],
	});
	t.equal(reply.status, 403);
	t.match(reply.text, /X-Pay-SPT/);
});
