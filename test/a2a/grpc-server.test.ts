import { once } from "node:events";
import { connect } from "node:http2";
import { createRequire } from "node:module";
import { connect as connectTcp } from "node:net";
import { setImmediate } from "node:timers/promises";
import { AgentCard, verifyAgentCardSignature } from "@a2a-js/sdk";
import { createRemoteJWKSet } from "jose";
import t from "tap";
import { LIMITS } from "../../src/contract/limits.js";
import { type Clock, systemClock } from "../../src/kernel/clock.js";
import { createGate } from "../support/gate.js";
import { startApp } from "../support/start-app.js";
import { createCertificate } from "./certificate.js";
import { startA2a } from "./start-a2a.js";

const loaded = () =>
	Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes("@grpc/grpc-js"));

t.test("a server that offers no gRPC neither loads its library nor names it", async (t) => {
	const { baseUrl } = await startApp(t, { settings: { model: "none" } });
	t.notMatch(await (await fetch(`${baseUrl}/.well-known/agent-card.json`)).text(), /GRPC/);
	t.notOk(loaded());
});

t.test(
	"the card names gRPC in both versions, under its public address, and stays signed",
	async (t) => {
		const grpc = { port: 0, tls: undefined, publicUrl: "grpc.example.com:443" };
		const { baseUrl } = await startApp(t, { settings: { model: "none", grpc } });
		t.ok(loaded());
		const read = async (version: string) => {
			const headers = { "A2A-Version": version };
			return (await fetch(`${baseUrl}/.well-known/agent-card.json`, { headers })).json();
		};
		const current = (await read("1.0")) as Record<string, unknown>;
		const named = (protocolVersion: string) => ({
			url: grpc.publicUrl,
			protocolBinding: "GRPC",
			protocolVersion,
		});
		const { supportedInterfaces } = current as { supportedInterfaces: { url: string }[] };
		t.match(
			supportedInterfaces.filter(({ url }) => url === grpc.publicUrl),
			[named("1.0"), named("0.3")],
		);
		const verify = verifyAgentCardSignature((kid, jku) =>
			createRemoteJWKSet(new URL(jku ?? ""))({ kid, alg: "ES256" }),
		);
		await t.resolves(verify(AgentCard.fromJSON(current)));
		const { additionalInterfaces } = (await read("0.3")) as { additionalInterfaces: object[] };
		t.match(additionalInterfaces.at(-1), { transport: "GRPC", url: grpc.publicUrl });
	},
);

t.test("a credential that is sent twice is refused, though Node drops the second", async (t) => {
	const shop = await startA2a(t);
	const { token, id } = await shop.issueSpt("5");
	const { messageOf } = await import("./grpc-client.js");
	const { searchMessage } = await import("./stock-client.js");
	const { A2AService } = await import("@a2a-js/sdk/server/grpc");
	const send = (headers: readonly (readonly [string, string])[]) => {
		const { path, requestSerialize } = A2AService.sendMessage;
		const message = requestSerialize(messageOf(searchMessage("a")));
		return callByHand(shop.grpcUrl, { path, headers, message });
	};
	const bearer = ["authorization", `Bearer ${token}`] as const;
	const spt = ["x-pay-spt", token] as const;
	await send([bearer]);
	t.equal(await shop.balance(id), 4_500_000n, "once it pays");
	await send([bearer, bearer]);
	await send([spt, spt]);
	await send([bearer, ["authorization", "Bearer spt_other"]]);
	t.equal(await shop.balance(id), 4_500_000n);
	t.equal(shop.searched.length, 1);
});

t.test("a call whose message does not come in time is ended", async (t) => {
	const waiting = new Set<() => void>();
	const clock: Clock = {
		...systemClock,
		after(ms, task) {
			if (ms !== LIMITS.requestTimeoutMs) return systemClock.after(ms, task);
			waiting.add(task);
			return () => void waiting.delete(task);
		},
	};
	const shop = await startA2a(t, { clock });
	const { A2AService } = await import("@a2a-js/sdk/server/grpc");
	const session = connect(`http://${shop.grpcUrl}`);
	t.teardown(() => session.destroy());
	const call = session.request({
		...{ ":method": "POST", ":path": A2AService.sendMessage.path },
		...{ "content-type": "application/grpc", te: "trailers" },
	});
	const answered = once(call, "response");
	while (waiting.size === 0) await setImmediate();
	for (const task of [...waiting]) task();
	const [headers] = await answered;
	t.equal(headers["grpc-status"], "3");
	t.match(decodeURIComponent(headers["grpc-message"]), /did not arrive within 30 seconds/);
	t.equal(waiting.size, 0, "nothing waits on");
});

/** One call in frames written by hand: clients in JavaScript send no such header twice. Resolves when its answer has ended. */
async function callByHand(
	target: string,
	call: {
		readonly path: string;
		readonly headers: readonly (readonly [string, string])[];
		readonly message: Buffer;
	},
): Promise<void> {
	const socket = connectTcp(Number(target.split(":").at(-1)), "127.0.0.1");
	const fields = [
		[":method", "POST"],
		[":scheme", "http"],
		[":path", call.path],
		[":authority", target],
		["content-type", "application/grpc"],
		["te", "trailers"],
		...call.headers,
	] as const;
	const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
	// Literal fields that are never indexed, with new names (RFC 7541, section 6.2.3).
	const block = fields.map(([name, value]) =>
		Buffer.concat([Buffer.from([0x10]), text(name), text(value)]),
	);
	const prefix = Buffer.alloc(5);
	prefix.writeUInt32BE(call.message.length, 1);
	socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
	socket.write(frame(SETTINGS, 0, 0, Buffer.alloc(0)));
	socket.write(frame(HEADERS, END_HEADERS, 1, Buffer.concat(block)));
	socket.write(frame(DATA, END_STREAM, 1, Buffer.concat([prefix, call.message])));
	let received = Buffer.alloc(0);
	for await (const [chunk] of chunksOf(socket)) {
		received = Buffer.concat([received, chunk]);
		if (hasEnded(received)) break;
	}
	socket.destroy();
}

async function* chunksOf(socket: ReturnType<typeof connectTcp>) {
	while (!socket.destroyed) yield (await once(socket, "data")) as [Buffer];
}

const [DATA, HEADERS, SETTINGS] = [0, 1, 4];
const [END_STREAM, END_HEADERS] = [1, 4];
const FRAME_HEADER_BYTES = 9;

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
	const head = Buffer.alloc(FRAME_HEADER_BYTES);
	head.writeUIntBE(payload.length, 0, 3);
	head.writeUInt8(type, 3);
	head.writeUInt8(flags, 4);
	head.writeUInt32BE(stream, 5);
	return Buffer.concat([head, payload]);
}

/** True once a frame has ended the stream of the call. */
function hasEnded(received: Buffer): boolean {
	let at = 0;
	while (at + FRAME_HEADER_BYTES <= received.length) {
		const [length, type, flags] = [
			received.readUIntBE(at, 3),
			received.readUInt8(at + 3),
			received.readUInt8(at + 4),
		];
		const isOfCall = received.readUInt32BE(at + 5) === 1 && (type === DATA || type === HEADERS);
		if (isOfCall && (flags & END_STREAM) !== 0) return true;
		at += FRAME_HEADER_BYTES + length;
	}
	return false;
}

t.test(
	"over TLS the certificate that was set up is shown, and calls in the clear fail",
	async (t) => {
		const tls = createCertificate("localhost");
		const shop = await startA2a(t, { tls });
		const { token } = await shop.issueSpt("5");
		const { credentials } = await import("@grpc/grpc-js");
		const { dial, messageOf } = await import("./grpc-client.js");
		const { searchMessage } = await import("./stock-client.js");
		const target = shop.grpcUrl.replace("127.0.0.1", "localhost");
		const request = messageOf(searchMessage("a"));
		const sent = { headers: { "x-pay-spt": token }, timeoutMs: 10_000 };
		const trusting = dial(t, target, credentials.createSsl(tls.certificate));
		t.equal((await trusting("sendMessage", request, sent)).header["x-cost-usd"], "0.50");
		const stranger = dial(
			t,
			target,
			credentials.createSsl(createCertificate("localhost").certificate),
		);
		t.equal((await stranger("sendMessage", request, sent)).code, 14, "UNAVAILABLE");
		const clear = dial(t, target);
		t.equal((await clear("sendMessage", request, sent)).code, 14);
	},
);

t.test(
	"gRPC that would be reached from afar without TLS, or on a taken port, does not start",
	async (t) => {
		const folder = t.testdir({ "cert.pem": "no certificate", "key.pem": "no key" });
		const open = { port: 0, tls: undefined, publicUrl: undefined };
		const { createApp } = await import("../../src/app/create-app.js");
		const { testSettings } = await import("../support/start-app.js");
		const start = async (name: string, grpc: object, host = "127.0.0.1") => {
			const settings = testSettings(`${folder}/${name}`, {
				model: "none",
				grpc: { ...open, ...grpc },
				profile: host === "127.0.0.1" ? "demo" : "production",
			});
			const logger = { info: () => undefined, error: () => undefined };
			const other = await createApp({ settings, logger });
			t.teardown(other.close);
			return other.listen({ host, port: 0 });
		};
		await t.rejects(start("afar", {}, "0.0.0.0"), {
			code: "INVALID_ARGUMENT",
			message:
				/"0\.0\.0\.0" would carry credentials in the clear: set grpc_tls_cert and grpc_tls_key/,
		});
		const first = await start("first", {});
		const port = Number(first.grpcUrl?.split(":").at(-1));
		await t.rejects(start("second", { port }), {
			code: "UNAVAILABLE",
			message: /another program listens there.*--grpc-port/,
		});
		const tls = { certificate: "/nowhere/cert.pem", key: "/nowhere/key.pem" };
		await t.rejects(start("files", { tls }), { message: /"\/nowhere\/cert.pem" of grpc_tls_cert/ });
		const bad = { certificate: `${folder}/cert.pem`, key: `${folder}/key.pem` };
		await t.rejects(start("bad", { tls: bad }), { message: /no certificate with its key/ });
	},
);

t.test("a server that stops finishes the calls it has, and takes no new ones", async (t) => {
	const gate = createGate();
	const shop = await startA2a(t, { beforeSearch: gate.pass });
	const { token, id } = await shop.issueSpt("5");
	const { dial, messageOf } = await import("./grpc-client.js");
	const { searchMessage } = await import("./stock-client.js");
	const call = dial(t, shop.grpcUrl);
	const headers = { "x-pay-spt": token };
	const running = call("sendMessage", messageOf(searchMessage("a")), { headers });
	await gate.arrived;
	const drained = shop.drainGrpc();
	const refused = await call("sendMessage", messageOf(searchMessage("b")), { headers });
	t.equal(refused.code, 14, "UNAVAILABLE");
	gate.open();
	t.equal((await running).code, 0);
	await drained;
	t.equal(await shop.balance(id), 4_500_000n);
});
