import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Stands between a client and a server on loopback, counts what passes, and breaks connections where a test says so. */
export interface TcpProxy {
	readonly port: number;
	/** So far: parts that the client sent, and bytes in both directions. */
	counted(): { readonly calls: number; readonly bytesRead: number; readonly bytesWritten: number };
	/** From now on a connection on which the client sends this text is broken once the text was passed on, `times` times; after the last one none is taken any more where it says so. */
	cutAfter(text: string, times: number, options?: { readonly isLast?: boolean }): void;
	/** The next part with this text is not passed on, and its connection stays open. Resolves once it came. */
	swallow(text: string): Promise<void>;
	/** Passes nothing on from now on, or all again; connections stay open, as those of a server that hangs. */
	freeze(isFrozen: boolean): void;
	/** Breaks all connections. */
	cut(): void;
	close(): Promise<void>;
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
	const sockets = new Set<Socket>();
	const counts = { calls: 0, bytesRead: 0, bytesWritten: 0 };
	let trap = { text: "", left: 0, isLast: false };
	let isFrozen = false;
	let swallowed: { readonly text: string; readonly came: () => void } | undefined;
	const isHeld = (part: Buffer) => {
		if (!swallowed || !part.includes(swallowed.text)) return isFrozen;
		swallowed.came();
		swallowed = undefined;
		return true;
	};
	const proxy = createServer((client) => {
		const server = connect(target, "127.0.0.1");
		let isCut = false;
		for (const socket of [client, server]) {
			sockets.add(socket);
			socket.setNoDelay(true);
			socket.on("error", () => undefined);
			socket.once("close", () => {
				sockets.delete(socket);
				client.destroy();
				// What was passed on arrives: the server reads the end after it.
				server.end();
			});
		}
		client.on("data", (part) => {
			counts.calls += 1;
			counts.bytesWritten += part.length;
			if (isHeld(part)) return;
			server.write(part);
			if (trap.left === 0 || !part.includes(trap.text)) return;
			trap.left -= 1;
			isCut = true;
			client.destroy();
			if (trap.isLast) proxy.close();
		});
		server.on("data", (part) => {
			counts.bytesRead += part.length;
			if (!isCut) client.write(part);
		});
	}).listen(0, "127.0.0.1");
	await once(proxy, "listening");
	const address = proxy.address();
	if (address === null || typeof address === "string") throw new Error("no port");
	const cut = () => {
		for (const socket of sockets) socket.destroy();
	};
	return {
		port: address.port,
		counted: () => ({ ...counts }),
		cutAfter(text, left, { isLast = false } = {}) {
			trap = { text, left, isLast };
		},
		swallow: (text) =>
			new Promise((came) => {
				swallowed = { text, came };
			}),
		freeze(isSo) {
			isFrozen = isSo;
		},
		cut,
		async close() {
			cut();
			if (!proxy.listening) return;
			proxy.close();
			await once(proxy, "close");
		},
	};
}
