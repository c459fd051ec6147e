import { EventEmitter, once } from "node:events";
import { connect } from "node:net";
import t from "tap";
import { LIMITS } from "../../src/contract/limits.js";
import { systemClock } from "../../src/kernel/clock.js";
import { ServiceError } from "../../src/kernel/errors.js";
import { errorOf, post, rawRequest } from "./raw-request.js";
import { soldResult, startRest } from "./start-rest.js";

const SEARCH = "/v1/graphs/web-payments/search";

t.test("a paid request becomes one call of the pipeline", async (t) => {
	const { baseUrl, calls } = await startRest(t);
	const reply = await post(
		`${baseUrl}${SEARCH}`,
		{ query: "  payment  " },
		{ headers: { "Idempotency-Key": "again 1", "X-Request-Id": "caller-id-1" } },
	);
	t.equal(reply.status, 200);
	const [call] = calls;
	t.match(call, {
		operationId: "graphs.search",
		rawInput: { graph_id: "web-payments", query: "payment", limit: 10 },
		credential: { scheme: "spt", token: "spt_good" },
		idempotencyKey: "rest:again 1",
		requestId: "caller-id-1",
		transport: "rest",
		resourceUrl: `${baseUrl}${SEARCH}`,
	});
	t.equal(call?.signal.aborted, false);
});

t.test("a body that does not fit is refused with the place of every mistake", async (t) => {
	const { baseUrl, calls } = await startRest(t);
	const required = { path: "query", message: "is required" };
	const unknown = (path: string) => ({ path, message: "is not a known field" });
	const cases: [body: string, details: unknown[]][] = [
		["{}", [required]],
		["", [required]],
		["[]", [{ path: "", message: "must be an object" }]],
		["null", [{ path: "", message: "must be an object" }]],
		['"x"', [{ path: "", message: "must be an object" }]],
		['{"query":""}', [{ path: "query", message: "must not be empty" }]],
		['{"query":7}', [{ path: "query", message: "must be a string" }]],
		['{"query":"x","limit":0}', [{ path: "limit", message: "must be at least 1" }]],
		['{"query":"x","limit":51}', [{ path: "limit", message: "must be at most 50" }]],
		['{"query":"x","limit":"5"}', [{ path: "limit", message: "must be a whole number" }]],
		['{"query":"x","limit":1.5}', [{ path: "limit", message: "must be a whole number" }]],
		['{"query":"x","b":1,"a":2}', [unknown("b"), unknown("a")]],
		['{"query":"x","graph_id":"other"}', [unknown("graph_id")]],
		['{"query":"x","__proto__":{"limit":9}}', [unknown("__proto__")]],
		['{"query":"x","constructor":{"prototype":1}}', [unknown("constructor")]],
	];
	for (const [body, details] of cases) {
		const reply = await post(`${baseUrl}${SEARCH}`, body);
		t.equal(reply.status, 400, body);
		const error = await errorOf(reply);
		t.same(error.details, details, body);
		t.match(error, { code: "INVALID_ARGUMENT", retryable: false });
	}
	t.equal((await post(`${baseUrl}${SEARCH}`, { query: "x".repeat(2001) })).status, 400);
	t.same(calls, []);
});

t.test("a body that is no bounded JSON is refused in the envelope", async (t) => {
	const { baseUrl, calls } = await startRest(t);
	const deep = `{"query":"x","a":${"[".repeat(30)}${"]".repeat(30)}}`;
	const cases: [body: string, headers: Record<string, string>, message: RegExp][] = [
		['{"query":', {}, /not valid JSON/],
		["not json", {}, /not valid JSON/],
		[JSON.stringify({ query: "x".repeat(LIMITS.bodyBytes) }), {}, /larger than 65536 bytes/],
		[deep, {}, /deeper than 12 levels/],
		['{"query":"x"}', { "Content-Type": "text/plain" }, /Content-Type: application\/json/],
		["query=x", { "Content-Type": "application/x-www-form-urlencoded" }, /application\/json/],
		['{"query":"x"}', { "Content-Encoding": "gzip" }, /compressed/],
		['{"query":"x"}', { "Content-Type": "application/json; charset=latin1" }, /UTF-8/],
	];
	for (const [body, headers, message] of cases) {
		const reply = await post(`${baseUrl}${SEARCH}`, body, { headers });
		t.equal(reply.status, 400, String(message));
		t.match((await errorOf(reply)).message, message);
	}
	t.same(calls, []);
});

t.test("what is sent twice, or not known, is never guessed at", async (t) => {
	const { baseUrl, calls } = await startRest(t);
	const body = JSON.stringify({ query: "x" });
	const json = ["Content-Type", "application/json"];
	const ask = (path: string, headers: string[]) =>
		rawRequest(baseUrl, { method: "POST", path, headers: [...json, ...headers], body });

	const two = await ask(SEARCH, ["X-API-Key", "sk_live_a", "X-API-Key", "sk_live_a"]);
	t.equal(two.status, 400, "a repeated credential");
	const both = await ask(SEARCH, ["X-API-Key", "sk_live_a", "X-Pay-SPT", "spt_b"]);
	t.equal(both.status, 400, "two identities");
	const keys = await ask(SEARCH, ["Idempotency-Key", "a", "Idempotency-Key", "b"]);
	t.equal(keys.status, 400, "a repeated key");
	t.equal((await ask(SEARCH, ["Idempotency-Key", "x".repeat(256)])).status, 400, "a long key");
	t.equal((await ask(SEARCH, ["Idempotency-Key", ""])).status, 400, "an empty key");
	t.equal((await ask(`${SEARCH}?limit=3`, [])).status, 400, "a query on a post");
	const scheme = await ask(SEARCH, ["Authorization", "Basic abc"]);
	t.equal(scheme.status, 401, "an unknown scheme");
	t.match(scheme.headers["www-authenticate"], /^Bearer /);
	t.same(calls, []);
});

t.test("only a well formed request id is echoed", async (t) => {
	const { baseUrl } = await startRest(t);
	const ask = async (id: string) =>
		(await fetch(`${baseUrl}/v1/nothing`, { headers: { "X-Request-Id": id } })).headers.get(
			"x-request-id",
		);
	t.equal(await ask("abcDEF_-9"), "abcDEF_-9");
	for (const id of ["short", "x".repeat(65), "with space", "<script>alert"]) {
		t.match(await ask(id), /^req_[0-9a-z]{26}$/, id);
	}
});

t.test("work ends when the caller leaves", async (t) => {
	const events = new EventEmitter();
	const { baseUrl, unexpected } = await startRest(t, {
		invoke: ({ signal }) =>
			new Promise((_, reject) => {
				signal.addEventListener("abort", () => {
					events.emit("aborted", signal.reason);
					reject(signal.reason);
				});
				events.emit("asked");
			}),
	});
	const aborted = once(events, "aborted");
	const caller = new AbortController();
	events.once("asked", () => caller.abort());
	const headers = { "Content-Type": "application/json", "X-Pay-SPT": "spt_good" };
	const { signal } = caller;
	await t.rejects(
		fetch(`${baseUrl}${SEARCH}`, { method: "POST", headers, body: '{"query":"x"}', signal }),
	);
	const [reason] = await aborted;
	t.match(reason, { message: "The caller left." });
	t.same(unexpected, [], "a caller who leaves is nothing to report");
});

t.test("work for every pipelined request ends when their caller leaves", async (t) => {
	const reasons: unknown[] = [];
	const events = new EventEmitter();
	const { baseUrl, calls, unexpected } = await startRest(t, {
		invoke: ({ signal }) =>
			new Promise((_, reject) => {
				signal.addEventListener("abort", () => {
					reasons.push(signal.reason);
					if (reasons.length === 3) events.emit("all aborted");
					reject(signal.reason);
				});
				if (calls.length === 3) events.emit("all asked");
			}),
	});
	const allAsked = once(events, "all asked");
	const allAborted = once(events, "all aborted");
	const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1");
	const body = '{"query":"x"}';
	const head = `POST ${SEARCH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Pay-SPT: spt_good`;
	socket.write(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`.repeat(3));
	await allAsked;
	socket.destroy();
	await allAborted;
	t.match(reasons, Array(3).fill({ message: "The caller left." }));
	t.same(unexpected, [], "a caller who leaves is nothing to report");
});

t.test("work ends when its time is over, and the caller is asked to come back", async (t) => {
	const { baseUrl } = await startRest(t, {
		requestTimeoutMs: 30,
		invoke: ({ signal }) =>
			new Promise((_, reject) => {
				signal.addEventListener("abort", () => reject(signal.reason));
			}),
	});
	const reply = await post(`${baseUrl}${SEARCH}`, { query: "x" });
	t.equal(reply.status, 503);
	t.equal(reply.headers.get("retry-after"), "1");
	t.match(await errorOf(reply), { code: "UNAVAILABLE", retryable: true });
});

t.test("an answer that comes in time leaves no alarm behind", async (t) => {
	const alarms = new Set<() => void>();
	const after = (_delayMs: number, task: () => void) => {
		alarms.add(task);
		return () => void alarms.delete(task);
	};
	const { baseUrl, calls } = await startRest(t, {
		clock: { ...systemClock, after },
		invoke: async (call) => {
			t.ok(alarms.size > 0);
			return soldResult(call);
		},
	});
	t.equal((await post(`${baseUrl}${SEARCH}`, { query: "x" })).status, 200);
	t.equal(alarms.size, 0);
	t.equal(calls[0]?.signal.aborted, false);
});

t.test("an unexpected exception keeps its text to itself", async (t) => {
	const secret = new Error("password=hunter2 in /home/somebody");
	const { baseUrl, unexpected } = await startRest(t, {
		invoke: async () => {
			throw secret;
		},
	});
	const reply = await post(`${baseUrl}${SEARCH}`, { query: "x" });
	t.equal(reply.status, 500);
	const error = await errorOf(reply);
	t.match(error, { code: "INTERNAL", retryable: true });
	t.notMatch(JSON.stringify(error), /hunter2|somebody/);
	t.same(unexpected, [secret]);
});

t.test("errors of the pipeline keep their code, status and retry time", async (t) => {
	const thrown = new ServiceError("IDEMPOTENCY_IN_FLIGHT", "Still running.", {
		retryAfterSeconds: 1.2,
	});
	const { baseUrl } = await startRest(t, {
		invoke: async () => {
			throw thrown;
		},
	});
	const reply = await post(`${baseUrl}${SEARCH}`, { query: "x" });
	t.equal(reply.status, 409);
	t.equal(reply.headers.get("retry-after"), "2");
	t.match(await errorOf(reply), { code: "IDEMPOTENCY_IN_FLIGHT", retryable: true });
});
