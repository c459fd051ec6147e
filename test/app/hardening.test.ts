import { once } from "node:events";
import type { RequestListener } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import t, { type Test } from "tap";
import { LIMITS } from "../../src/contract/limits.js";
import { listen } from "../../src/http/server.js";
import { systemClock } from "../../src/kernel/clock.js";
import { startApp } from "../support/start-app.js";

const SEARCH = "/v1/graphs/none/search";

async function start(t: Test) {
	const { baseUrl, issueSpt, send } = await startApp(t, {
		settings: { model: "none", catalog: "none" },
	});
	const port = Number(new URL(baseUrl).port);
	const { token } = await issueSpt("5.00");
	const sockets: Socket[] = [];
	t.teardown(() => {
		for (const socket of sockets) socket.destroy();
	});
	const dial = async () => {
		const socket = connect(port, "127.0.0.1").on("error", () => undefined);
		sockets.push(socket);
		await once(socket, "connect");
		return socket;
	};
	/** What comes back on a connection of its own. */
	const ask = async (sent: string | Buffer) => {
		const socket = await dial();
		socket.write(sent);
		return text(socket).catch(() => "cut");
	};
	const honest = async () => {
		const authorization = `Bearer ${token}`;
		const { status } = await send("/v1/spt/balance", { headers: { authorization } });
		t.equal(status, 200, "an honest caller is served");
	};
	return { dial, ask, honest };
}

function toPost(body: string | Buffer, headers: readonly string[] = []): Buffer {
	const head = [
		`POST ${SEARCH} HTTP/1.1`,
		"Host: x",
		"Connection: close",
		"Content-Type: application/json",
		`Content-Length: ${Buffer.byteLength(body)}`,
		...headers,
	];
	return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), Buffer.from(body)]);
}

t.test("a body that is no small plain JSON is refused, and the server goes on", async (t) => {
	const { ask, honest } = await start(t);
	const query = (value: string) => `{"query":"${value}"}`;
	const latin = Buffer.from('{"query":"caf\xe9"}', "latin1");
	const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));
	const utf16 = Buffer.from(query("x"), "utf16le");
	const other = ["Content-Type: application/json; charset=utf-16"];
	const cases: [name: string, sent: Buffer, says: RegExp][] = [
		["1 MB", toPost(query("x".repeat(1024 * 1024))), /larger than 65536 bytes/],
		["depth 10,000", toPost(`${"[".repeat(10_000)}${"]".repeat(10_000)}`), /deeper than 12/],
		["depth 10,000 of objects", toPost('{"a":'.repeat(10_000)), /deeper than 12/],
		["gzip bomb", toPost(bomb, ["Content-Encoding: gzip"]), /compressed body is not accepted/],
		["gzip twice", toPost(bomb, ["Content-Encoding: identity, gzip"]), /compressed/],
		["Latin-1", toPost(latin), /encoded in UTF-8/],
		["overlong UTF-8", toPost(Buffer.from([0x22, 0xc0, 0xaf, 0x22])), /encoded in UTF-8/],
		["prototype", toPost('{"query":"x","__proto__":{"limit":1}}'), /not a known field/],
		["two queries", toPost('{"query":"x","query":"y"}'), /stands there twice/],
		["half a body", toPost('{"query":'), /not valid JSON/],
		["NUL bytes", toPost(Buffer.alloc(100)), /not valid JSON/],
	];
	for (const [name, sent, says] of cases) {
		const reply = await ask(sent);
		t.match(reply, /^HTTP\/1.1 400 /, name);
		t.match(reply, says, name);
		t.match(reply, /"code":"INVALID_ARGUMENT"/);
	}
	const head = toPost(utf16)
		.toString("latin1")
		.replace("Content-Type: application/json", other[0] ?? "");
	t.match(await ask(Buffer.from(head, "latin1")), /^HTTP\/1.1 400 .*in UTF-8/s);
	await honest();
});

t.test(
	"a body without end is refused when it is too long, and then not read for ever",
	async (t) => {
		const { dial, honest } = await start(t);
		const socket = await dial();
		const replies = text(socket).catch(() => "cut");
		socket.write(
			`POST ${SEARCH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
		);
		const drip = setInterval(() => socket.write(`4000\r\n${" ".repeat(0x4000)}\r\n`), 5);
		t.teardown(() => clearInterval(drip));
		const [first] = await once(socket, "data");
		t.match(String(first), /^HTTP\/1.1 400 .*larger than/s);
		await honest();
		await replies;
		t.ok(socket.destroyed, "the connection was closed under the sender");
	},
);

t.test("2,000 idle connections and half-sent requests keep no one out", async (t) => {
	const { dial, honest } = await start(t);
	const openings = Array.from({ length: 2_000 }, async (_, index) => {
		const socket = await dial();
		if (index % 4 === 1) socket.write("GET / HTTP/1.1\r\nHost: x\r\nX-Slow:");
		if (index % 4 === 2) socket.write(toPost('{"query":"x"}').subarray(0, -5));
	});
	await Promise.all(openings);
	for (let call = 0; call < 20; call++) await honest();
});

t.test("a newcomer takes the place of the connection that is idle the longest", async (t) => {
	const owed: (() => void)[] = [];
	const server = await listen((_req, res) => owed.push(() => res.end("done")), {
		host: "127.0.0.1",
		port: 0,
		clock: systemClock,
		connectionsMax: 10,
	});
	t.teardown(() => server.drain());
	const dial = async () => {
		const socket = connect(server.port, "127.0.0.1");
		await once(socket, "connect");
		return { socket, replies: text(socket).catch(() => "") };
	};
	const waiting = await dial();
	waiting.socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
	while (owed.length === 0) await new Promise(setImmediate);
	const slow = await dial();
	slow.socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nslow");
	while (owed.length === 1) await new Promise(setImmediate);
	const idle = await Promise.all(Array.from({ length: 30 }, dial));
	t.equal(await slow.replies, "", "half a request is idle as well");
	for (const { replies } of idle.slice(0, 20)) t.equal(await replies, "");
	t.notOk(idle.slice(-9).some(({ socket }) => socket.destroyed));
	owed[0]?.();
	t.match(await waiting.replies, /done$/, "an answer that is owed is kept");
	for (const { socket } of idle) socket.destroy();
});

t.test("an answer that no client reads is not kept for ever", async (t) => {
	const waits: { readonly delayMs: number; readonly task: () => void }[] = [];
	const clock = {
		...systemClock,
		after(delayMs: number, task: () => void) {
			waits.push({ delayMs, task });
			return () => undefined;
		},
	};
	const big = Buffer.alloc(32 * 1024 * 1024);
	const answer: RequestListener = (_req, res) => res.end(big);
	const server = await listen(answer, { host: "127.0.0.1", port: 0, clock });
	t.teardown(() => server.drain());
	const socket = connect(server.port, "127.0.0.1").on("error", () => undefined);
	socket.pause().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
	while (waits.length === 0) await new Promise(setImmediate);
	t.same(
		waits.map(({ delayMs }) => delayMs),
		[LIMITS.replyTakenMs],
	);
	waits[0]?.task();
	let taken = 0;
	for await (const chunk of socket) taken += (chunk as Buffer).length;
	t.ok(taken < big.length, "the connection was cut before the whole answer had left");
});

t.test("headers that could be read in two ways are refused", async (t) => {
	const { ask, honest } = await start(t);
	const many = Array.from({ length: LIMITS.headersMax + 1 }, (_, at) => `X-${at}: 1\r\n`).join("");
	const cases: [sent: string, status: number][] = [
		[`GET /v1/offerings HTTP/1.1\r\nHost: x\r\n${many}\r\n`, 431],
		[`GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(LIMITS.headerBytes)}\r\n\r\n`, 431],
		["POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n{}{}", 400],
		["POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n", 400],
		["GET / HTTP/1.1\r\nHost: x\r\nX-A: a\x00b\r\n\r\n", 400],
		["GET / HTTP/1.1\r\nHost: x\r\nX-A: a\nX-B : b\r\n\r\n", 400],
		["GET / HTTP/1.1\r\nHost: x\r\nX-A: a\rX-B: b\r\n\r\n", 400],
		["GET / HTTP/1.1\r\nX-A: no host\r\n\r\n", 400],
		["GET /\x01 HTTP/1.1\r\nHost: x\r\n\r\n", 400],
	];
	for (const [sent, status] of cases) {
		const reply = await ask(Buffer.from(sent, "latin1"));
		t.match(reply, new RegExp(`^HTTP/1.1 ${status} `), JSON.stringify(sent.slice(0, 80)));
	}
	await honest();
});

t.test(
	"a request that names no single host, or is no HTTP/1, is refused in the envelope",
	async (t) => {
		const { ask, honest } = await start(t);
		const get = (...headers: string[]) =>
			`GET /v1/version HTTP/1.1\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`;
		const refused = [
			get(),
			get("Host: a", "Host: b"),
			get("Host: a", "host: a"),
			get("Host: a b"),
			get("Host: a/b"),
			get("Host: user@a"),
			get("Host: a:port"),
			get("Host: a, b"),
			"GET /v1/version\r\n\r\n",
			"GET /v1/version HTTP/0.9\r\nHost: x\r\n\r\n",
			"GET /v1/version HTTP/2.0\r\nHost: x\r\n\r\n",
			"HELLO\r\n\r\n",
			"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
			"CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n",
		];
		for (const sent of refused) {
			// The answer ends with the connection.
			const reply = await ask(sent);
			const [head = "", body = ""] = reply.split("\r\n\r\n");
			t.match(head, /^HTTP\/1\.1 400 /, JSON.stringify(sent));
			t.match(head, /^Connection: close$/m);
			t.match(head, /^Content-Type: application\/json/m);
			t.match(JSON.parse(body || "{}").error, { code: "INVALID_ARGUMENT", request_id: /^req_/ });
		}
		const close = "Connection: close";
		for (const host of ["x", "X.example:8080", "127.0.0.1:80", "[::1]:80", "_a.example", ""]) {
			t.match(await ask(get(`Host: ${host}`, close)), /^HTTP\/1\.1 200 /, host);
		}
		t.match(await ask("GET /v1/version HTTP/1.0\r\n\r\n"), /^HTTP\/1\.1 200 /);
		await honest();
	},
);

t.test("a caller who asks for a tunnel and leaves ends nothing but the connection", async (t) => {
	const { dial, honest } = await start(t);
	for (let at = 0; at < 40; at += 1) {
		const socket = await dial();
		const closed = once(socket, "close");
		socket.write("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", () => socket.resetAndDestroy());
		await closed;
	}
	await honest();
});

t.test("nothing a caller writes becomes a header of the answer", async (t) => {
	const { ask } = await start(t);
	const evil = "%0d%0aX-Evil:%201";
	const close = "Host: x\r\nConnection: close\r\n";
	const paths = [`/v1/graphs/${evil}`, `/v1/graphs/${evil}/readme`, `/${evil}`, `/?${evil}`];
	for (const path of paths) {
		const [head = ""] = (await ask(`GET ${path} HTTP/1.1\r\n${close}\r\n`)).split("\r\n\r\n");
		t.notMatch(head, /x-evil/i, path);
	}
	const id = `X-Request-Id: ${"a".repeat(70)}\r\n`;
	const reply = await ask(`GET / HTTP/1.1\r\n${close}${id}\r\n`);
	t.match(reply, /X-Request-Id: req_/, "an id that is not well formed is replaced");
});
