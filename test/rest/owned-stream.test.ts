import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Response } from "express";
import t from "tap";
import { sendPieces } from "../../src/rest/plain-replies.js";

t.test(
	"pieces for a reader who stalls end with the signal, and the connection with them",
	async (t) => {
		const stop = new AbortController();
		let isReturned = false;
		async function* endless() {
			try {
				while (true) yield `"${"x".repeat(65_536)}",`;
			} finally {
				isReturned = true;
			}
		}
		let sent: Promise<void> | undefined;
		const server = createServer((_req, res) => {
			sent = sendPieces(res as Response, endless(), stop.signal);
		}).listen(0, "127.0.0.1");
		await once(server, "listening");
		const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
		socket.on("error", () => undefined);
		const asked = once(server, "request");
		socket.pause().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
		await asked;
		setTimeout(() => stop.abort(new Error("The time is over.")), 200);
		await sent;
		t.ok(isReturned);
		socket.resume();
		await once(socket, "close");
		server.close();
	},
);
