import t from "tap";
import { createHubEgress } from "../../src/delivery/configured-egress.js";

const get = { method: "GET", timeoutMs: 1_000 } as const;

t.test("only the hub and the hosts of its files are asked, by https", async (t) => {
	const egress = createHubEgress();
	for (const url of [
		"http://huggingface.co/api/models/a/b",
		"https://huggingface.co.example.org/",
		"https://huggingface.co:8443/",
		"https://sub.huggingface.co/",
		"https://examplehf.co/",
		"http://cdn-lfs.hf.co/",
		"https://cdn-lfs.hf.co:8443/",
		"http://127.0.0.1/",
		"file:///etc/passwd",
	]) {
		await t.rejects(egress.request({ ...get, url }), { code: "INVALID_ARGUMENT" }, url);
	}
});

t.test("a hub that stands in is one on loopback, or by https", async (t) => {
	const egress = createHubEgress("http://hub.example.org");
	await t.rejects(egress.request({ ...get, url: "http://hub.example.org/" }), {
		code: "INVALID_ARGUMENT",
	});
	const closed = createHubEgress("http://127.0.0.1:1");
	await t.rejects(closed.request({ ...get, url: "http://127.0.0.1:1/signed?key=secret" }), {
		message: "No server answers at 127.0.0.1:1.",
	});
});
