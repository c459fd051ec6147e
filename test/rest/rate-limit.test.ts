import { connect } from "node:net";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { heldClock } from "../support/held-clock.js";
import { startApp } from "../support/start-app.js";

const EMPTY = { model: "none", catalog: "none" } as const;

/** Nothing is earned back while the calls are made. */
async function startHeld(t: Test, requestsPerMinute?: number) {
	const clock = heldClock();
	const settings = { ...EMPTY, ...(requestsPerMinute !== undefined && { requestsPerMinute }) };
	const shop = await startApp(t, { clock, settings });
	clock.hold();
	return shop;
}

t.test("a limited reply says what is left, and a full bucket what to do", async (t) => {
	const { send } = await startHeld(t, 5);
	const first = await send("/v1/offerings");
	t.equal(first.status, 200);
	t.equal(first.headers.get("RateLimit-Policy"), '"address";q=5;w=60');
	t.equal(first.headers.get("RateLimit"), '"address";r=4;t=12');
	t.match(first.headers.get("Access-Control-Expose-Headers"), /RateLimit,RateLimit-Policy/);
	for (let call = 0; call < 4; call++) await send("/nowhere");

	const full = await send("/v1/offerings");
	t.equal(full.status, 429);
	t.equal(full.headers.get("Retry-After"), "12");
	t.equal(full.headers.get("RateLimit"), '"address";r=0;t=60');
	t.match(full.body, {
		error: { code: "RATE_LIMITED", retryable: true },
		continuations: [{ type: "wait", retry_after_seconds: 12 }],
	});
	for (let call = 0; call < 20; call++) {
		const poll = await send("/v1/health");
		t.equal(poll.status, 200, "asking how things are is never in the way");
		t.match(poll.headers.get("RateLimit-Policy"), '"polling";q=50;w=60');
	}
});

t.test("a full bucket is reported before the body is read, on every transport", async (t) => {
	const { send, baseUrl } = await startHeld(t, 1);
	await send("/v1/offerings");
	const body = `{"broken": ${"[".repeat(100)}`;
	for (const path of ["/v1/graphs/x/search", "/a2a", "/a2a/v1/message:send"]) {
		const response = await fetch(`${baseUrl}${path}`, { method: "POST", body });
		t.equal(response.status, 429, path);
		const { error } = (await response.json()) as { error: { code: string } };
		t.equal(error.code, "RATE_LIMITED");
	}
});

t.test("who sends on without waiting for the refusal is cut off", async (t) => {
	const { baseUrl } = await startHeld(t, 5);
	const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1");
	socket.write("GET /v1/offerings HTTP/1.1\r\nHost: x\r\n\r\n".repeat(50));
	const replies = await text(socket).catch(() => "");
	t.ok((replies.match(/^HTTP\/1.1 429 /gm) ?? []).length <= 1);
});

t.test("guesses of tokens are stopped, and those who hold one are not", async (t) => {
	const { send, issueSpt } = await startHeld(t);
	const { token } = await issueSpt("5.00");
	const balance = (secret: string) =>
		send("/v1/spt/balance", { headers: { Authorization: `Bearer ${secret}` } });
	t.equal((await balance(token)).status, 200);
	const guessed: Record<number, number> = {};
	for (let call = 0; call < 66; call++) {
		const { status, body, headers } = await balance(`spt_live_${"x".repeat(30)}${100000 + call}`);
		guessed[status] = (guessed[status] ?? 0) + 1;
		if (status !== 429) continue;
		t.equal(headers.get("Retry-After"), "1");
		t.match(body.error.message, /credentials that are not valid/);
	}
	t.same(guessed, { 401: 60, 429: 6 }, "sixty at once, then one a second");
	t.equal((await balance(token)).status, 200);
	t.equal((await send("/v1/offerings")).status, 200);
	const { token: unseen } = await issueSpt("5.00");
	t.equal((await balance(unseen)).status, 200, "nor who shows a valid one for the first time");
});

t.test("a valid credential of the wrong kind is no guess", async (t) => {
	const { send, issueSpt, app } = await startApp(t, { settings: EMPTY });
	const { token } = await issueSpt("5.00");
	const { key } = await app.operator.createKey({ label: "crew" });
	const wrong = [
		["GET", "/v1/account", { "X-Pay-SPT": token }],
		["GET", "/v1/spt/balance", { "X-API-Key": key }],
		["GET", "/v1/account/keys", { "X-Pay-SPT": token }],
	] as const;
	const codes = new Set<string>();
	for (let round = 0; round < 25; round++) {
		for (const [method, path, headers] of wrong) {
			const { status, body } = await send(path, { method, headers });
			codes.add(`${status} ${body.error.code} ${/send an? /.test(body.error.message)}`);
		}
	}
	t.same([...codes], ["403 SCOPE_FORBIDDEN true"]);
	const { token: other } = await issueSpt("5.00");
	t.equal((await send("/v1/spt/balance", { headers: { "X-Pay-SPT": other } })).status, 200);
});

t.test("a credential that cannot be read is a guess, whatever else is wrong", async (t) => {
	const { send } = await startHeld(t);
	const headers = {
		"Content-Type": "application/json",
		Authorization: "Basic xx",
		"X-Quote-Id": "bad",
	};
	const body = JSON.stringify({ query: "anything" });
	const remaining: number[] = [];
	for (let call = 0; call < 3; call++) {
		const { status, headers: told } = await send("/v1/search", { method: "POST", headers, body });
		t.equal(status, 401);
		remaining.push(Number(/"guesses";r=(\d+)/.exec(told.get("RateLimit") ?? "")?.[1]));
	}
	const [first = 0, second = 0, third = 0] = remaining;
	t.ok(first - second > 1 && second - third > 1, "it counts for more than a call");
});
