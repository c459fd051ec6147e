import { once } from "node:events";
import type { RequestListener, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import t, { type Test } from "tap";
import { LIMITS } from "../../src/contract/limits.js";
import { type ListenOptions, listen } from "../../src/http/server.js";
import { type Clock, systemClock } from "../../src/kernel/clock.js";

const GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

async function start(
	t: Test,
	handler: RequestListener,
	options: Pick<ListenOptions, "timeouts"> & { readonly clock?: Clock } = {},
) {
	const server = await listen(handler, {
		host: "127.0.0.1",
		port: 0,
		clock: systemClock,
		...options,
	});
	t.teardown(() => server.drain());
	/** A connection, and everything that comes back on it until it is closed. */
	const dial = () => {
		const socket = connect(server.port, "127.0.0.1");
		return { socket, replies: text(socket) };
	};
	return { server, dial };
}

/** A handler that answers on command, in the order of the requests. */
function answerLater() {
	const waiting: ServerResponse[] = [];
	let told = () => {};
	const handler: RequestListener = (_req, res) => {
		waiting.push(res);
		told();
	};
	const asked = (count: number) =>
		new Promise<void>((resolve) => {
			told = () => {
				if (waiting.length === count) resolve();
			};
			told();
		});
	return { handler, waiting, asked };
}

t.test(
	"a stopping server finishes what runs, sells nothing more and is gone at once",
	async (t) => {
		const { handler, waiting, asked } = answerLater();
		// The time after which what is left is cut never comes.
		const clock = { ...systemClock, after: () => () => undefined };
		const { server, dial } = await start(t, handler, { clock });
		const [running, other] = [dial(), dial()];
		running.socket.write(GET);
		other.socket.write(GET);
		await asked(2);
		// Its headers are out, so this connection cannot be asked to close: it stays open for more requests.
		waiting[1]?.write("first half, ");
		const drained = server.drain();
		waiting[1]?.end("second half");
		await once(other.socket, "data");
		other.socket.write(GET.replace("Host", "X-Request-Id: my-request\r\nHost"));
		const refused = await other.replies;
		t.match(refused, /second half/);
		t.match(refused, /HTTP\/1.1 503 .*Connection: close.*"code":"UNAVAILABLE"/s);
		t.match(refused, /"request_id":"my-request"/);
		t.match(refused, /Retry-After: 1/);
		t.equal(waiting.length, 2, "the handler has not seen it");
		waiting[0]?.end("done");
		t.match(await running.replies, /HTTP\/1.1 200 .*Connection: close.*done$/s);
		await drained;
	},
);

t.test("a stopping server answers every pipelined request it has taken", async (t) => {
	const { handler, waiting, asked } = answerLater();
	const { server, dial } = await start(t, handler);
	const { socket, replies } = dial();
	socket.write(GET.repeat(3));
	await asked(3);
	const drained = server.drain();
	for (const [index, res] of waiting.entries()) res.end(`answer ${index}`);
	t.match(await replies, /answer 0.*answer 1.*Connection: close.*answer 2$/s);
	await drained;
});

t.test("an idle connection, or one that leaves, holds no stopping server up", async (t) => {
	const { handler, asked } = answerLater();
	const { server, dial } = await start(t, handler);
	const idle = dial();
	const leaving = dial();
	leaving.socket.write(GET.repeat(3));
	await asked(3);
	const drained = server.drain();
	t.equal(server.drain(), drained, "asked twice, it drains once");
	leaving.socket.destroy();
	await leaving.replies.catch(() => undefined);
	await drained;
	t.equal(await idle.replies, "");
});

t.test("what is no request is refused in the contract's envelope", async (t) => {
	const { dial } = await start(t, (_req, res) => res.end("never"));
	const huge = `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${"x".repeat(LIMITS.headerBytes)}\r\n\r\n`;
	const cases: [sent: string, status: number][] = [
		["no request at all\r\n\r\n", 400],
		[huge, 431],
		["GET / HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\n\r\n", 400],
	];
	for (const [sent, status] of cases) {
		const { socket, replies } = dial();
		socket.write(sent);
		const [head = "", body = ""] = (await replies).split("\r\n\r\n");
		t.match(head, new RegExp(`^HTTP/1.1 ${status} `));
		t.match(head, /Connection: close/);
		const { error } = JSON.parse(body);
		t.match(error, { code: "INVALID_ARGUMENT", retryable: false });
		t.match(head, new RegExp(`X-Request-Id: ${error.request_id}`));
	}
});

t.test("a header of a credential's full length is taken", async (t) => {
	const { dial } = await start(t, (_req, res) => res.end("taken"));
	const { socket, replies } = dial();
	const long = "x".repeat(LIMITS.headerBytes - 1_024);
	socket.write(`GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: ${long}\r\n\r\n`);
	t.match(await replies, /taken/);
});

t.test("a request that does not arrive in time is refused as such within seconds", async (t) => {
	const timeouts = { headersMs: 50, requestMs: 50 };
	const { dial } = await start(t, (req) => req.resume(), { timeouts });
	const slowHead = dial();
	slowHead.socket.write("GET / HTTP/1.1\r\nHost: x\r\n");
	const slowBody = dial();
	slowBody.socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf");
	for (const { replies } of [slowHead, slowBody]) {
		t.match(await replies, /^HTTP\/1.1 408 .*"retryable":true/s);
	}
});

t.test("a connection that waits is kept longer than balancers keep theirs", async (t) => {
	const { dial } = await start(t, (_req, res) => res.end("taken"));
	const { socket, replies } = dial();
	socket.write(GET);
	await once(socket, "data");
	socket.end();
	const reply = await replies;
	const seconds = Number(/^Keep-Alive: timeout=(\d+)\r$/im.exec(reply)?.[1]);
	t.ok(seconds > 60, reply);
});

t.test("an answer that is owed is never mixed up with a refusal", async (t) => {
	const { handler, asked } = answerLater();
	const { dial } = await start(t, handler);
	const { socket, replies } = dial();
	socket.write(GET);
	await asked(1);
	socket.write("no request at all\r\n\r\n");
	t.equal(await replies.catch(() => ""), "");
});

t.test("a client that reads nothing of an answer is cut off, and a slow one is not", async (t) => {
	const takers: Socket[] = [];
	const handler: RequestListener = (req, res) => {
		takers.push(req.socket);
		// Always more than the system's buffers take, and never ended.
		const writeOn = () => {
			while (res.write("x".repeat(65_536)));
		};
		res.on("drain", writeOn);
		writeOn();
	};
	const looks: (() => void)[] = [];
	const every = (_ms: number, task: () => void) => {
		looks.push(task);
		return () => undefined;
	};
	const look = () => {
		for (const one of looks) one();
	};
	const server = await listen(handler, {
		host: "127.0.0.1",
		port: 0,
		clock: { ...systemClock, every },
	});
	t.teardown(() => server.drain());
	const stalled = connect(server.port, "127.0.0.1").on("error", () => undefined);
	stalled.pause().write(GET);
	await once(stalled, "connect");
	while (!takers[0]?.destroyed) {
		look();
		await nextTurn();
	}
	stalled.destroy();

	const slow = connect(server.port, "127.0.0.1").on("error", () => undefined);
	slow.write(GET);
	let isCut = false;
	slow.once("close", () => {
		isCut = true;
	});
	await once(slow, "data");
	const takenBytes = () => {
		const { bytesWritten = 0, writableLength = 0 } = takers[1] ?? {};
		return bytesWritten - writableLength;
	};
	for (let round = 0; round < 8; round++) {
		slow.pause();
		look();
		const before = takenBytes();
		slow.resume();
		while (takenBytes() === before && !isCut) await nextTurn();
	}
	t.notOk(isCut, "twice as many looks, and always some of it taken");
	slow.destroy();
});
