import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Test } from "tap";

/** Lets a server listen for as long as a test runs; gives its port. */
export async function listenOnLoopback(t: Test, server: Server): Promise<number> {
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	t.teardown(() => {
		server.closeAllConnections();
		server.close();
	});
	return (server.address() as AddressInfo).port;
}
