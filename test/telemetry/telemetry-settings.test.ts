import t from "tap";
import { readSettings } from "../../src/settings/read-settings.js";
import { parseOtlpHeaders } from "../../src/settings/telemetry-settings.js";

const read = (flags: Record<string, string>, environment: Record<string, string> = {}) =>
	readSettings({ flags, environment, folder: "/nowhere" }).telemetry;

t.test("nothing is measured unless it is asked for", async (t) => {
	t.equal(read({}), undefined);
	t.equal(read({ metrics_host: "127.0.0.2", otlp_trace_percent: "5" }), undefined);
	t.same(read({ metrics_port: "9464" }), {
		metrics: { host: "127.0.0.1", port: 9464 },
		otlp: undefined,
	});
});

t.test(
	"a collector has an address, a share of calls, and headers that no flag holds",
	async (t) => {
		const headers = { TOLLGRAPH_OTLP_HEADERS: "Authorization=Bearer%20abc, x-tenant=shop" };
		t.same(
			read({ otlp_endpoint: "https://otlp.example/base/", otlp_trace_percent: "0.5" }, headers),
			{
				metrics: undefined,
				otlp: {
					endpoint: "https://otlp.example/base",
					tracePercent: 0.5,
					headers: { authorization: "Bearer abc", "x-tenant": "shop" },
				},
			},
		);
		t.match(read({ otlp_endpoint: "http://[::1]:4318" }), { otlp: { headers: undefined } });
	},
);

t.test("what cannot be meant is refused with a sentence", async (t) => {
	const wrong: readonly (readonly [Record<string, string>, RegExp])[] = [
		[{ metrics_port: "lots" }, /"lots" is no port/],
		[{ metrics_port: "1", metrics_host: "0.0.0.0" }, /demo profile .* "0\.0\.0\.0"/],
		[{ otlp_endpoint: "collector:4318" }, /otlp_endpoint must be an https address/],
		[{ otlp_endpoint: "http://collector.example:4318" }, /"collector\.example:4318"/],
		[{ otlp_endpoint: "https://user:secret@otlp.example" }, /without name, password or query/],
		[{ otlp_endpoint: "https://otlp.example", otlp_trace_percent: "101" }, /"101" is no otlp/],
		[{ otlp_endpoint: "https://otlp.example", otlp_trace_percent: "all" }, /"all" is no otlp/],
	];
	for (const [flags, message] of wrong) {
		t.throws(() => read(flags), { code: "INVALID_ARGUMENT", message }, JSON.stringify(flags));
	}
	const hidden = { TOLLGRAPH_OTLP_HEADERS: "hunter2" };
	t.throws(() => read({ otlp_endpoint: "https://otlp.example" }, hidden), {
		message: /^(?!.*hunter2).*name=value/,
	});
	for (const text of ["a=%zz", "=b", "a=b%0d%0ac", "a b=c"]) {
		t.throws(() => parseOtlpHeaders(text), { code: "INVALID_ARGUMENT" }, text);
	}
	t.same(parseOtlpHeaders(""), {});
});

t.test("in production metrics may be read from other machines, where that is named", async (t) => {
	const production = { profile: "production", metrics_port: "0", metrics_host: "10.0.0.5" };
	t.match(read(production), { metrics: { host: "10.0.0.5", port: 0 } });
});
