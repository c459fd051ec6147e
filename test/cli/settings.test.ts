import t from "tap";
import { readSettings } from "../../src/settings/read-settings.js";
import { renderSettingsTable, SETTING_ROWS } from "../../src/settings/setting-rows.js";

t.test("flags win over the environment, that over the file, that over defaults", async (t) => {
	const folder = t.testdir({
		"tollgraph.config.yaml": "port: 1111\nhost: 127.0.0.2\nprofile: production\n",
	});
	const settings = readSettings({
		flags: { port: "3333" },
		environment: { TOLLGRAPH_PORT: "2222", TOLLGRAPH_HOST: "127.0.0.3" },
		folder,
	});
	t.match(settings, { port: 3333, host: "127.0.0.3", profile: "production", model: "bundled" });
	t.equal(settings.catalog, "none", "production sells no samples");
});

t.test("prices are changed by operation, in USD", async (t) => {
	const folder = t.testdir({ "tollgraph.config.yaml": 'prices:\n  graphs.search: "0.25"\n' });
	const { prices } = readSettings({ flags: {}, environment: {}, folder });
	t.match(prices["graphs.search"], { amountMicros: 250_000n, billingType: "per_call" });
});

t.test("an empty variable is an unset one", async (t) => {
	const environment = { TOLLGRAPH_HOST: "", TOLLGRAPH_DATA: "" };
	t.match(readSettings({ flags: {}, environment, folder: t.testdir({}) }), {
		host: "127.0.0.1",
		data: "./.tollgraph",
	});
});

t.test("listening on every interface needs an address to advertise", async (t) => {
	const read = (flags: Record<string, string>) =>
		readSettings({
			flags: { profile: "production", ...flags },
			environment: {},
			folder: t.testdir({}),
		});
	t.throws(() => read({ host: "0.0.0.0" }), { code: "INVALID_ARGUMENT" });
	t.throws(() => read({ public_url: "ftp://x" }), { code: "INVALID_ARGUMENT" });
	t.equal(
		read({ host: "0.0.0.0", public_url: "https://shop.example/" }).publicUrl,
		"https://shop.example",
	);
});

t.test("gRPC is off without a port, and is not offered to others without TLS", async (t) => {
	const read = (flags: Record<string, string>) =>
		readSettings({
			flags: { profile: "production", public_url: "https://shop.example/", ...flags },
			environment: {},
			folder: t.testdir({}),
		}).grpc;
	t.equal(read({}), undefined);
	t.same(read({ grpc_port: "8403" }), {
		port: 8403,
		tls: undefined,
		publicUrl: "shop.example:8403",
	});
	const host = "0.0.0.0";
	t.throws(() => read({ grpc_port: "8403", host }), {
		message: /set grpc_tls_cert and grpc_tls_key/,
	});
	const files = { grpc_tls_cert: "cert.pem", grpc_tls_key: "key.pem" };
	const grpc_public_url = "grpc.shop.example:443";
	t.match(read({ grpc_port: "0", host, ...files, grpc_public_url }), {
		tls: { certificate: "cert.pem", key: "key.pem" },
		publicUrl: grpc_public_url,
	});
	for (const wrong of [
		{ grpc_port: "lots" },
		{ grpc_port: "1", grpc_tls_cert: "cert.pem" },
		{ grpc_port: "1", grpc_public_url: "https://shop.example" },
		{ grpc_tls_cert: "cert.pem", grpc_tls_key: "key.pem" },
	]) {
		t.throws(() => read(wrong), { code: "INVALID_ARGUMENT" }, JSON.stringify(wrong));
	}
});

t.test("a contact is an address with a scheme; an e-mail address gets its own", async (t) => {
	const read = (contact: string) =>
		readSettings({ flags: { contact }, environment: {}, folder: t.testdir({}) }).contact;
	t.equal(read("security@example.org"), "mailto:security@example.org");
	t.equal(read("https://example.org/security"), "https://example.org/security");
	t.equal(read(""), undefined);
	for (const bad of ["http://example.org", "javascript:x", "a b@c.d", "x@y.z\nPolicy: evil"]) {
		t.throws(() => read(bad), { code: "INVALID_ARGUMENT" }, bad);
	}
});

for (const [name, yaml] of [
	["an unknown key", "color: red\n"],
	["an unknown operation", 'prices:\n  mining: "1"\n'],
	["an inherited name for an operation", 'prices:\n  toString: "1"\n'],
	["a price that is no amount", "prices:\n  graphs.search: free\n"],
	["a port that is none", "port: lots\n"],
	["an unknown model", "model: gte-small\n"],
	["an unknown profile", "profile: staging\n"],
] as const) {
	t.test(`${name} in the configuration file is refused`, async (t) => {
		const folder = t.testdir({ "tollgraph.config.yaml": yaml });
		t.throws(() => readSettings({ flags: {}, environment: {}, folder }), {
			code: "INVALID_ARGUMENT",
		});
	});
}

t.test("every setting stands in the table of the documents", async (t) => {
	const table = renderSettingsTable();
	for (const { key } of SETTING_ROWS) t.match(table, `\`${key}\``);
});

t.test("how often one caller may call depends on who can call at all", async (t) => {
	const read = (flags: Record<string, string>) =>
		readSettings({ flags, environment: {}, folder: t.testdir({}) }).requestsPerMinute;
	t.equal(read({}), 600_000, "the demo serves its own machine");
	t.equal(read({ profile: "production", facilitator: "off" }), 6_000);
	t.equal(read({ requests_per_minute: "120" }), 120);
	for (const text of ["0", "-1", "1.5", "many", "1e3"]) {
		t.throws(() => read({ requests_per_minute: text }), { code: "INVALID_ARGUMENT" }, text);
	}
});

t.test("proxies are trusted by address or network, and never everybody", async (t) => {
	const read = (trusted_proxies: string) =>
		readSettings({ flags: { trusted_proxies }, environment: {}, folder: t.testdir({}) })
			.trustedProxies;
	t.same(read(""), []);
	t.same(read("10.0.0.5, 172.18.0.0/16,fd00::/8"), ["10.0.0.5", "172.18.0.0/16", "fd00::/8"]);
	for (const text of [
		"0.0.0.0/0",
		"::/0",
		"uniquelocal",
		"10.0.0.0/33",
		"proxy",
		"10.1/8",
		"::1%a",
	]) {
		t.throws(() => read(text), { code: "INVALID_ARGUMENT", message: /trusted_proxies/ }, text);
	}
});
