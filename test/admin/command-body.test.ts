import { gzipSync } from "node:zlib";
import t from "tap";
import { startApp } from "../support/start-app.js";

t.test("a command is read as strictly as any request", async (t) => {
	const { send, app } = await startApp(t, { settings: { model: "none", catalog: "none" } });
	const headers = {
		Authorization: `Bearer ${app.adminToken}`,
		"Content-Type": "application/json",
	};
	const post = (body: string | Uint8Array<ArrayBuffer>, more: Record<string, string> = {}) =>
		send("/v1/admin/spts", { method: "POST", headers: { ...headers, ...more }, body });
	t.equal((await post('{"usd":"1.00"}')).status, 200);
	for (const [body, why] of [
		['{"usd":"1.00","usd":"100.00"}', /usd/],
		['{"usd":"1.00","__proto__":{}}', /__proto__/],
		['{"usd":"1.00"', /not valid JSON/],
		[`{"usd":"1.00","label":"${"x".repeat(70_000)}"}`, /larger than 65536 bytes/],
	] as const) {
		const reply = await post(body);
		t.equal(reply.status, 400);
		t.match(JSON.stringify(reply.body), why);
	}
	const packed = await post(new Uint8Array(gzipSync('{"usd":"1.00"}')), {
		"Content-Encoding": "gzip",
	});
	t.equal(packed.status, 400);
	t.match(packed.body.error.message, /compressed/);
	const put = await send("/v1/admin/graphs/x/concepts", {
		method: "PUT",
		headers,
		body: '{"path":"a.md","path":"b.md","markdown":""}',
	});
	t.equal(put.status, 400);
	t.match(JSON.stringify(put.body), /path/);
});
