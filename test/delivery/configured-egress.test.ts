import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import t from "tap";
import { LIMITS } from "../../src/contract/limits.js";
import { createConfiguredEgress } from "../../src/delivery/configured-egress.js";

const post = { method: "POST", body: "{}", timeoutMs: 2_000 } as const;

t.test("only configured addresses are asked, and what they say is bounded", async (t) => {
	const server = createServer((req, res) => {
		if (req.url === "/long") {
			const chunk = Buffer.alloc(1024 * 1024);
			const chunks = LIMITS.configuredReplyBytes / chunk.length + 2;
			const send = (left: number): void => {
				if (left === 0 || res.destroyed) res.end();
				else res.write(chunk, () => send(left - 1));
			};
			send(chunks);
		} else if (req.url === "/away") {
			res.writeHead(307, { Location: "http://127.0.0.1:1/" }).end();
		} else if (req.url === "/slow") {
			res.write("{");
		} else {
			res.setHeader("Content-Type", "application/json").end('{"ok":true}');
		}
	});
	await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
	t.teardown(() => {
		server.closeAllConnections();
		server.close();
	});
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const egress = createConfiguredEgress({ urls: [`${url}/api`] });

	const response = await egress.request({ ...post, url: `${url}/api/verify` });
	t.same(await response.json(), { ok: true });
	await t.rejects(egress.request({ ...post, url: `${url}/away` }), { code: "UNAVAILABLE" });
	await t.rejects(egress.request({ ...post, url: `${url}/long` }), { code: "UPSTREAM" });
	const slow = egress.request({ ...post, url: `${url}/slow`, timeoutMs: 200 });
	await t.rejects(slow, { code: "UNAVAILABLE" }, "the body has the same deadline");
	const refused = { code: "INVALID_ARGUMENT" };
	await t.rejects(egress.request({ ...post, url: "http://127.0.0.1:1/" }), refused);
	await t.rejects(egress.request({ ...post, url: "https://elsewhere.example/" }), refused);
	const insecure = createConfiguredEgress({ urls: ["http://elsewhere.example/"] });
	await t.rejects(insecure.request({ ...post, url: "http://elsewhere.example/" }), refused);
});

t.test("a message names the host, never the key in an address", async (t) => {
	const url = "http://127.0.0.1:1/v2/my-secret-key";
	const egress = createConfiguredEgress({ urls: [url] });
	await t.rejects(egress.request({ ...post, url }), {
		message: "No server answers at 127.0.0.1:1.",
	});
});

t.test("a reply has its deadline even when garbage is collected while it comes", async (t) => {
	setFlagsFromString("--expose-gc");
	const collect = runInNewContext("gc") as () => void;
	const server = createServer((req, res) => {
		if (req.url === "/silent") return;
		const drip = setInterval(() => res.write("x"), 20);
		res.on("close", () => clearInterval(drip));
	});
	await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
	const collecting = setInterval(collect, 50);
	t.teardown(() => {
		clearInterval(collecting);
		server.closeAllConnections();
		server.close();
	});
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
	const egress = createConfiguredEgress({ urls: [url] });
	const left = { signal: new AbortController().signal };
	for (const more of [{}, left]) {
		for (const path of ["", "silent"]) {
			const late = egress.request({ ...post, ...more, url: `${url}${path}`, timeoutMs: 300 });
			await t.rejects(late, { code: "UNAVAILABLE", cause: { name: "TimeoutError" } });
		}
	}
});
