import t from "tap";
// @ts-expect-error a script without types
import { readBody } from "./exchange.mjs";
// @ts-expect-error a script without types
import { createMask } from "./mask.mjs";

const STARTED = Date.parse("2026-03-10T12:00:00Z");
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const open = () => createMask({ startedAt: STARTED });

/** An identifier as the server makes them: ten letters of time, sixteen of chance. */
function idOf(kind: string, ms: number): string {
	const time = Array.from(
		{ length: 10 },
		(_, at) => ALPHABET[Math.floor(ms / 32 ** (9 - at)) % 32],
	);
	return `${kind}_${time.join("")}0123456789abcdef`;
}

t.test("identifiers of this run are masked by their kind, those of examples stay", async (t) => {
	const mask = open();
	const example = idOf("req", Date.parse("2025-01-01T00:00:00Z"));
	t.equal(mask.value(`see ${idOf("req", STARTED + 5)}`), "see <req>");
	t.equal(mask.value(`see ${example}`), `see ${example}`);
	t.equal(mask.value("art_a2e031a6930ff28f2f77"), "art_a2e031a6930ff28f2f77");
});

t.test("times of this run are masked, dates of sources stay", async (t) => {
	const mask = open();
	t.equal(mask.value("2026-03-10T12:00:01.250Z"), "<time>");
	t.equal(mask.value("2026-03-10"), "<today>");
	t.equal(mask.value("2022-06-01T00:00:00Z"), "2022-06-01T00:00:00Z");
	t.equal(mask.value(STARTED + 1), "<epoch>");
	t.equal(mask.value(STARTED / 1000), "<epoch>");
	t.equal(mask.value(1_500), 1_500);
});

t.test("secrets and learned values are masked, prices and words stay", async (t) => {
	const mask = open();
	mask.learn("base_url", "http://127.0.0.1:4711");
	const reply = {
		token: `spt_test_${"a1B2".repeat(9)}`,
		link: "http://127.0.0.1:4711/v1",
		signature: "anything",
		execution_time_ms: 7,
		amount_usd: "0.50",
		message: "This call costs 0.50 USD.",
		limit: 10,
	};
	t.same(mask.value(reply), {
		...reply,
		token: "<spt_test>",
		link: "<base_url>/v1",
		signature: "<signature>",
		execution_time_ms: "<measured>",
	});
});

t.test("JSON within texts and within headers is masked member by member", async (t) => {
	const mask = open();
	t.same(mask.value('{"nonce":"n","price":"1"}'), { "<JSON>": { nonce: "<nonce>", price: "1" } });
	const encoded = Buffer.from('{"nonce":"n","price":"1"}').toString("base64");
	const shown = '<base64 {"nonce":"<nonce>","price":"1"}>';
	t.equal(mask.header("payment-required", encoded), shown);
	t.equal(mask.header("etag", 'W/"abc"'), 'W/"<etag>"');
	t.equal(mask.header("cache-control", "max-age=300"), "max-age=300");
});

t.test("a stream is read as its events, without what only keeps it open", async (t) => {
	const text = 'retry: 3000\nevent: a\nid: 1\ndata: {"b":1}\n\n: still here\n\ndata: end\n\n';
	t.same(readBody("text/event-stream; charset=utf-8", Buffer.from(text)), [
		{ retry: "3000", event: "a", id: "1", data: { b: 1 } },
		{ data: "end" },
	]);
	t.equal(readBody("application/json", Buffer.from("")), null);
	t.same(readBody("text/markdown", Buffer.from("a\nb")), ["a", "b"]);
});
