import fc from "fast-check";
import t from "tap";
import { isAnswered, LIMITS } from "../../src/contract/contract.js";
import { type Answer, startApp, sumOfAllEntries } from "../support/start-app.js";

const MAX = LIMITS.queryChars;
const DECISIONS = ["ANSWER", "PARTIAL", "CLARIFY", "ABSTAIN"];

/** Queries that are traps for a parser, a regular expression, a database, a terminal or a page. */
const TRAPS: readonly string[] = [
	"",
	" \t\r\n\u00a0\u2003",
	"a",
	"7",
	"?",
	"é",
	"x".repeat(MAX),
	"x ".repeat(MAX / 2),
	"pay ".repeat(MAX / 4),
	"x".repeat(MAX + 1),
	"EIP-3009 ".repeat(222),
	"e\u0301".repeat(MAX / 2),
	`a${"\u0301".repeat(MAX - 1)}`,
	"💸".repeat(MAX / 2),
	"💸 👩‍👩‍👧‍👦 🏴‍☠️",
	"هل يدفع الوكيل مقابل مكالمة واحدة؟",
	"\u202eтнемяap\u202c \u200f\u200e402\u2066",
	"\u0000",
	"HTTP\u0000402",
	"\u0001\u0007\u001b[31mred\u001b[0m\u007f\u0085",
	"\ud800",
	"\udc00\ud800 payment",
	"\ufffe\uffff",
	"'; DROP TABLE concepts; --",
	"1' OR '1'='1",
	'" OR title:* AND NOT "',
	"(a+)+$ [^]* .{1,99999} \\p{L}** (?<n>x)\\k<n> |||",
	"a*b?c~2^9 +must -not field:value",
	"the of and to is what how",
	"<script>alert(1)</script><img src=x onerror=alert(1)>",
	"&lt;b&gt; &#x202e; %00 %2e%2e%2f ../../etc/passwd",
	"#{process.env.PATH} {{7*7}} `id` $(id)",
	"__proto__ constructor prototype hasOwnProperty toString",
	"ﬁ ℌ Ⅷ ① ｈｔｔｐ ４０２ İ ı ß ſ",
	"a".repeat(40).split("").join("-"),
	"C++ HTTP/2 RFC 9110 CVE-2025-48384 .NET #!/bin/sh",
	"\r\nSet-Cookie: a=b\r\n\r\n",
];

const trap = fc.constantFrom(...TRAPS);
const hostileQuery = fc.oneof(
	fc.string({ maxLength: 60, unit: "binary" }),
	fc.string({ maxLength: 40, unit: "grapheme" }),
	fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 }).map(toText),
	fc.tuple(trap, fc.constantFrom(" ", "", "\u0000"), trap).map((parts) => parts.join("")),
);

function toText(units: readonly number[]): string {
	return String.fromCharCode(...units);
}

/** JSON that keeps lone halves of surrogate pairs, which UTF-8 cannot carry. */
function toJson(value: object): string {
	return JSON.stringify(value).replace(
		/[\ud800-\udfff]/g,
		(unit) => `\\u${unit.charCodeAt(0).toString(16)}`,
	);
}

t.test("whatever is asked, it is answered, abstained from or refused in a sentence", async (t) => {
	const { app, issueSpt, search, send } = await startApp(t, {
		settings: { model: "none", catalog: "sample" },
	});
	const { token, id } = await issueSpt("1000");
	const balance = () => app.store.read((reader) => reader.balance(`cust:${id}`));
	let known = await balance();
	const statuses = new Map<string, number>();

	const judge = async (query: string, { status, body }: Answer) => {
		const left = await balance();
		const charged = known - left;
		known = left;
		const kind = status === 200 ? body.meta.decision : String(status);
		statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
		if (status === 400) {
			const isSentence = /^[A-Z].*\.$/s.test(body.error.message);
			return isSentence && body.error.code === "INVALID_ARGUMENT" && charged === 0n;
		}
		if (status !== 200 || !DECISIONS.includes(kind)) return false;
		const isSold = body.rows.length > 0;
		const { decision, cost } = body.meta;
		return (
			body.meta.query === query.trim() &&
			isSold === isAnswered(decision) &&
			cost.charged === isSold &&
			charged === (isSold ? 500_000n : 0n)
		);
	};
	const ask = async (query: string) =>
		judge(query, await search({ token, body: toJson({ query, limit: 2 }) }));

	for (const query of TRAPS) t.ok(await ask(query), JSON.stringify(query).slice(0, 60));
	await fc.assert(fc.asyncProperty(hostileQuery, ask), { numRuns: 80 });
	t.ok(statuses.get("ABSTAIN") && statuses.get("400"), JSON.stringify([...statuses]));

	for (const query of TRAPS) {
		const { status, body } = await send("/v1/search/route", {
			method: "POST",
			headers: { "Content-Type": "application/json" },
			body: toJson({ query }),
		});
		t.equal(status, isFit(query) ? 200 : 400, JSON.stringify(query).slice(0, 60));
		t.ok(status === 400 || body.data.query === query.trim());
		const unpaid = await search({ body: toJson({ query }) });
		t.equal(unpaid.status, isFit(query) ? 402 : 400);
	}
	t.equal(await sumOfAllEntries(app), 0n);
});

function isFit(query: string): boolean {
	const { length } = query.trim();
	return length > 0 && length <= MAX;
}
