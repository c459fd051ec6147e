import { once } from "node:events";
import { type AddressInfo, createServer, connect as openSocket, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import t, { type Test } from "tap";
import { LIMITS } from "../../src/contract/limits.js";
import {
	assertCallerTarget,
	createCallerEgress,
	type DialTarget,
} from "../../src/delivery/caller-egress.js";
import { createConfiguredEgress } from "../../src/delivery/configured-egress.js";
import { isPublicAddress } from "../../src/delivery/public-address.js";
import { FORBIDDEN_HOSTS } from "./forbidden-hosts.js";
import { PUBLIC, startPublicHook } from "./public-hook.js";

const GET = { method: "GET", timeoutMs: 2_000 } as const;

/** Listeners on every loopback address of this machine, on one port; counts anyone who knocks. */
async function listenEverywhere(t: Test) {
	const knocks: string[] = [];
	const servers: Server[] = [];
	const listen = async (host: string, port: number) => {
		const server = createServer((socket) => {
			knocks.push(`${host}:${port}`);
			socket.on("error", () => undefined).end("HTTP/1.1 200 OK\r\n\r\n");
		});
		server.listen({ port, host, ipv6Only: host.includes(":") });
		await once(server, "listening");
		servers.push(server);
		return (server.address() as AddressInfo).port;
	};
	const port = await listen("0.0.0.0", 0);
	// Where this machine has no IPv6, no one could listen there.
	await listen("::", port).catch(() => undefined);
	t.teardown(() => {
		for (const server of servers) server.close();
	});
	return { knocks, port };
}

t.test("no form of a forbidden host sends a packet to a listener", async (t) => {
	const { knocks, port } = await listenEverywhere(t);
	const egress = createCallerEgress({ ports: [port] });
	t.ok(FORBIDDEN_HOSTS.length >= 60);
	for (const host of FORBIDDEN_HOSTS) {
		await t.rejects(
			egress.request({ ...GET, url: `https://${host}:${port}/` }),
			{ code: "INVALID_ARGUMENT" },
			host,
		);
	}
	t.same(knocks, []);

	const open = createConfiguredEgress({ loopback: true });
	await open.request({ ...GET, url: `http://127.0.0.1:${port}/` });
	t.equal(knocks.length, 1, "a connection would have been counted");
});

t.test("other schemes, user names, ports and broken addresses are refused", async (t) => {
	const { knocks, port } = await listenEverywhere(t);
	const egress = createCallerEgress();
	const urls = [
		`https://localhost:${port}/`,
		"http://example.com/",
		"https://example.com:80/",
		"https://example.com:22/",
		"https://example.com:0/",
		"ftp://example.com/",
		"file:///etc/passwd",
		"data:text/plain,hello",
		"gopher://127.0.0.1:6379/_FLUSHALL",
		"javascript:1",
		"https://user@example.com/",
		"https://user:word@example.com/",
		`https://example.com@127.0.0.1:${port}/`,
		"https://:secret@example.com/",
		"//example.com/",
		"example.com",
		"",
		"https://",
		"https://[::1%25lo]/",
		"https://exa mple.com/",
		"https://999.999.999.999/",
		"https://0x100000000/",
	];
	for (const url of urls) {
		await t.rejects(egress.request({ ...GET, url }), { code: "INVALID_ARGUMENT" }, url);
	}
	t.same(knocks, []);
});

t.test("a name is judged by every address it has, at the moment of the connection", async (t) => {
	const { knocks, port } = await listenEverywhere(t);
	const inside = [["127.0.0.1"], ["::1"], ["10.1.2.3"], [PUBLIC, "127.0.0.1"], ["fd00::1"], []];
	for (const addresses of inside) {
		const egress = createCallerEgress({ ports: [port], resolve: async () => addresses });
		await t.rejects(egress.request({ ...GET, url: `https://rebound.example:${port}/` }), {
			code: "INVALID_ARGUMENT",
			message: `"rebound.example:${port}" has no address on the public internet; give one that has.`,
		});
	}

	const answers = [[PUBLIC], ["127.0.0.1"]];
	const dialled: DialTarget[] = [];
	const egress = createCallerEgress({
		ports: [port],
		resolve: async () => answers.shift() ?? [],
		dial: (target) => {
			dialled.push(target);
			return openSocket(1, "127.0.0.1");
		},
	});
	const url = `https://rebound.example:${port}/`;
	await t.rejects(egress.request({ ...GET, url }), { code: "UNAVAILABLE" });
	await t.rejects(egress.request({ ...GET, url }), { code: "INVALID_ARGUMENT" });
	t.same(dialled, [{ hostname: "rebound.example", port, addresses: [PUBLIC] }]);
	t.same(knocks, []);
});

t.test("this machine's own addresses are not called, public or not", async (t) => {
	const { knocks, port } = await listenEverywhere(t);
	const egress = createCallerEgress({ ports: [port] });
	const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
	for (const { address, family } of own) {
		const host = family === "IPv6" ? `[${address.replace(/%.*/, "")}]` : address;
		const asked = egress.request({ ...GET, url: `https://${host}:${port}/` });
		await t.rejects(asked, { code: "INVALID_ARGUMENT" }, address);
	}
	t.same(knocks, []);
});

t.test("a public address gets the request, bounded in time and size", async (t) => {
	const { egress, dialled, seen } = await startPublicHook(t);
	const url = "https://hook.example/in?x=1";
	const reply = await egress.request({
		...GET,
		method: "POST",
		url,
		body: "{}",
		headers: { "Content-Type": "application/json", Host: "127.0.0.1" },
	});
	t.equal(reply.status, 200);
	t.equal(reply.headers.get("content-type"), "text/plain");
	t.equal(await reply.text(), "taken");
	const addresses = [PUBLIC, "2606:4700::1111"];
	t.same(dialled, [{ hostname: "hook.example", port: 443, addresses }]);
	t.match(seen[0], { method: "POST", url: "/in?x=1", body: "{}" });
	const hosts = seen[0]?.raw.filter((_, at, all) => all[at - 1]?.toLowerCase() === "host");
	t.same(hosts, ["hook.example"], "the host is that of the address, whatever the headers say");

	const at = (path: string) => egress.request({ ...GET, url: `https://hook.example${path}` });
	t.equal((await at("/nothing")).status, 204);
	t.equal((await (await at("/full")).arrayBuffer()).byteLength, LIMITS.callerReplyBytes);
	await t.rejects(at("/away"), { code: "UPSTREAM" });
	t.equal(dialled.length, 4, "the redirect was not followed");
	await t.rejects(at("/long"), { code: "UPSTREAM" });
	await t.rejects(at("/heads"), { code: "UNAVAILABLE" });
	const slow = egress.request({ ...GET, url: "https://hook.example/slow", timeoutMs: 150 });
	await t.rejects(slow, { code: "UNAVAILABLE" });
	const split = { "X-Split": "a\r\nX-Evil: 1" };
	await t.rejects(egress.request({ ...GET, url, headers: split }), { code: "UNAVAILABLE" });
});

t.test("a resolver that never answers is not waited for", async (t) => {
	const { egress, dialled } = await startPublicHook(t, {
		resolve: () => new Promise(() => undefined),
	});
	const asked = egress.request({ ...GET, url: "https://hook.example/", timeoutMs: 50 });
	await t.rejects(asked, { code: "UNAVAILABLE" });
	t.same(dialled, []);
});

t.test("an allow-list of hosts takes no other spelling", async (t) => {
	const reach = { hosts: ["hooks.slack.com"] };
	const { egress } = await startPublicHook(t, reach);
	const url = "https://hooks.slack.com/services/T0/B0/x";
	t.equal((await egress.request({ ...GET, url })).status, 200);
	for (const other of ["hooks.slack.com.evil.example", "evil.example", "hooks.slack.com."]) {
		t.throws(() => assertCallerTarget(`https://${other}/services/`, reach), {
			code: "INVALID_ARGUMENT",
		});
	}
	t.equal(assertCallerTarget("https://HOOKS.slack.com/x", reach).hostname, "hooks.slack.com");
	t.end();
});

t.test("ordinary addresses of the internet are public", (t) => {
	for (const address of ["1.1.1.1", PUBLIC, "100.63.255.255", "172.32.0.1", "2a00:1450::1"]) {
		t.ok(isPublicAddress(address), address);
	}
	for (const text of ["", "example.com", "fe80::1%eth0", "1.2.3", "::ffff:8.8.8.8"]) {
		t.notOk(isPublicAddress(text), text);
	}
	t.end();
});
