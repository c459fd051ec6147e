import t from "tap";
import {
	OPERATION_ADDRESSES,
	PAID_OPERATION_IDS,
	toRequestPath,
} from "../../src/contract/operations.js";
import { ROUTES } from "../support/routes.js";
import { type ErrorBody, rawRequest } from "./raw-request.js";
import { startRest } from "./start-rest.js";

/** Each paid operation's own example, as a request. */
const PAID_REQUESTS = PAID_OPERATION_IDS.map((id) => {
	const address = OPERATION_ADDRESSES[id];
	const { params, query, body } = ROUTES[id].example;
	return {
		id,
		method: address.method,
		...toRequestPath(address, { ...params, ...query, ...body }),
	};
});
const BODY = JSON.stringify({ query: "payment" });
const JSON_HEADERS = ["Content-Type", "application/json"];
const PAID_HEADERS = [...JSON_HEADERS, "X-Pay-SPT", "spt_good"];

/** Methods of all operations at one path, what comes with GET included. */
function methodsAt(path: string): ReadonlySet<string> {
	const routes = Object.values(ROUTES).filter(({ id }) => OPERATION_ADDRESSES[id].path === path);
	const methods = routes.map(({ id }) => OPERATION_ADDRESSES[id].method);
	const hasFreeGet = routes.some(({ kind }) => kind !== "paid") && methods.includes("GET");
	return new Set([...methods, ...(hasFreeGet ? ["HEAD"] : [])]);
}

t.test("no method but its own runs a paid handler, however well it is paid", async (t) => {
	const { baseUrl, calls } = await startRest(t);
	const methods = ["GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"];
	for (const { id, method: own, path } of PAID_REQUESTS) {
		const offered = methodsAt(OPERATION_ADDRESSES[id].path);
		for (const method of methods.filter((other) => !offered.has(other))) {
			const reply = await rawRequest(baseUrl, { method, path, headers: PAID_HEADERS });
			t.equal(reply.status, 405, `${method} ${path}`);
			t.ok(reply.headers.allow?.split(", ").includes(own));
			if (method === "HEAD") continue;
			const { error } = JSON.parse(reply.text) as ErrorBody;
			t.equal(error.code, "INVALID_ARGUMENT");
			t.equal(error.request_id, reply.headers["x-request-id"]);
		}
		const options = await rawRequest(baseUrl, { method: "OPTIONS", path, headers: PAID_HEADERS });
		t.equal(options.status, 204, "OPTIONS is answered by CORS alone");
	}
	t.same(calls, []);
});

t.test("a path that only looks like a paid one is unknown, or asks for money", async (t) => {
	const { baseUrl, calls } = await startRest(t, {});
	const path = "/v1/graphs/web-payments/search";
	const probes: [path: string, status: number][] = [
		[`${path}/`, 404],
		["//v1/graphs/web-payments/search", 404],
		["/v1//graphs/web-payments/search", 404],
		["/v1/graphs/web-payments//search", 404],
		["/V1/graphs/web-payments/search", 404],
		["/v1/graphs/web-payments/SEARCH", 404],
		["/v1/graphs/web-payments%2Fsearch", 405],
		["/v1/graphs/web-payments/search%0A", 404],
		["/v1/graphs/web-payments/search%2F", 404],
		["/v1/graphs/web-payments/search%E2%80%A8", 404],
		["/v1/graphs/./web-payments/search", 404],
		["/v1/graphs/x/../web-payments/search", 404],
		["/v1/graphs/web-payments/search;a=b", 404],
		["/v1/graphs/%ff/search", 400],
		["/v1/graphs/web-payments%0A/search", 400],
		["/v1/graphs/web%2Fpayments/search", 400],
		["/v1/graphs/WEB-PAYMENTS/search", 400],
		["/v1/graphs/web-payments/search?", 402],
		[path, 402],
	];
	for (const [probe, status] of probes) {
		const reply = await rawRequest(baseUrl, {
			method: "POST",
			path: probe,
			headers: JSON_HEADERS,
			body: BODY,
		});
		t.equal(reply.status, status, probe);
		t.ok((JSON.parse(reply.text) as ErrorBody).error.request_id);
	}
	t.ok(
		calls.every((call) => call.operationId === "graphs.search" && call.credential === undefined),
		"what came through went through the pipeline, without a credential",
	);
});

t.test("every paid path answers 402 to a caller who shows nothing", async (t) => {
	const { baseUrl, calls } = await startRest(t);
	for (const { method, path, body: sent } of PAID_REQUESTS) {
		const reply = await rawRequest(baseUrl, {
			method,
			path,
			headers: method === "GET" ? [] : JSON_HEADERS,
			...(method === "GET" ? {} : { body: JSON.stringify(sent) }),
		});
		const body = JSON.parse(reply.text);
		t.equal(reply.status, 402);
		t.equal(body.error.code, "PAYMENT_REQUIRED");
		t.equal(body.x402Version, 1);
		t.same(body.accepts, []);
		t.same(body.price, { amount_usd: "0.50", billing_type: "per_call" });
		t.equal(body.continuations[0].type, "spt");
		t.equal(reply.headers["payment-required"], "eyJ4NDAyVmVyc2lvbiI6Mn0=");
		t.equal(reply.headers["cache-control"], "no-store");
		t.match(reply.headers["www-authenticate"], /^Bearer /);
	}
	t.same(
		calls.map((call) => call.operationId),
		[...PAID_OPERATION_IDS],
	);
});
