import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import t from "tap";
import { ServiceError } from "../../src/kernel/errors.js";
import { scrubSecrets, toLogLine } from "../../src/kernel/logger.js";

const CANARY = "0a1B.c-de2F3g4H5i6J7_k8L9";
const KINDS = ["sk_live_", "sk_test_", "spt_live_", "spt_test_", "spt_", "ct_", "adm_", "eyJ"];
const HOOK = "https://hooks.slack.com/services/";

t.test("what looks like a secret keeps its kind only, wherever it stands", (t) => {
	for (const kind of KINDS) {
		t.equal(scrubSecrets(`{"at":"${kind}${CANARY}"}`), `{"at":"${kind}…"}`);
		for (const before of [
			"",
			"/c/",
			"?t=",
			"%3D",
			"%3d",
			"\\n",
			"\n",
			"Bearer ",
			"(",
			"A",
			"_",
			"9",
		]) {
			t.notMatch(scrubSecrets(`${before}${kind}${CANARY}`), CANARY, `${before}${kind}`);
		}
	}
	t.equal(scrubSecrets(`${HOOK}T0/B0/${CANARY} is full`), `${HOOK}… is full`);
	t.notMatch(scrubSecrets(encodeURIComponent(`${HOOK}T0/B0/${CANARY}`)), CANARY);
	t.end();
});

t.test("ordinary text stays as it is", (t) => {
	const texts = [
		"no secret here",
		"send it as sk_live_… or spt_…",
		"a plan, an api_key or spt_purchase",
		"keyJournalFile at product_identifier.ts",
		"https://hooks.slack.com/docs",
	];
	for (const text of texts) t.equal(scrubSecrets(text), text);
	t.end();
});

t.test("a log line holds plain data and stacks, never what hangs on an object", (t) => {
	const request = new IncomingMessage(new Socket());
	request.headers.authorization = `Bearer ${CANARY}`;
	const error = Object.assign(new Error(`failed for sk_live_${CANARY}`), { body: CANARY, request });
	const line = toLogLine("error", "it failed", {
		error,
		request,
		headers: { Authorization: CANARY, "x-api-key": CANARY, cookie: CANARY, "X-Pay-SPT": CANARY },
		settings: {
			apiKey: CANARY,
			private_key: CANARY,
			password: CANARY,
			pepper: CANARY,
			token: CANARY,
		},
		rows: new Map([["secret", CANARY]]),
		bytes: Buffer.from(CANARY),
		deep: { a: { b: { c: { d: CANARY } } } },
		work: () => CANARY,
		long: `${"x".repeat(8_190)}spt_live_${CANARY}`,
		amount: 5n,
		count: 3,
	});
	t.notMatch(line, CANARY);
	t.notMatch(line, CANARY.slice(0, 8));
	const said = JSON.parse(line);
	t.match(said, { level: "error", message: "it failed", request: "[IncomingMessage]" });
	t.match(said, { amount: "5", count: 3, rows: "[Map]", bytes: "[Buffer]" });
	t.match(said.error, /failed for sk_live_….*logger.test.ts/s);
	t.end();
});

t.test("nothing that is logged forges a line or moves the cursor", (t) => {
	const nasty = "a\r\nb\u001b[2Jc\u009b2Jd\u2028e\u202ef\u0000g\u200bh\u007f";
	const line = toLogLine("info", nasty, { [nasty]: nasty });
	t.match(line, /^[\x20-\x7e]*$/);
	t.same(JSON.parse(line), { level: "info", message: nasty, [nasty]: nasty });
	t.end();
});

t.test("an error does not repeat a secret that was written where a name belongs", (t) => {
	const error = new ServiceError("NOT_FOUND", `No graph is called "spt_live_${CANARY}".`, {
		details: [{ path: `sk_live_${CANARY}`, message: `eyJ${CANARY} is not a known field` }],
	});
	t.equal(error.message, 'No graph is called "spt_live_…".');
	t.same(error.details, [{ path: "sk_live_…", message: "eyJ… is not a known field" }]);
	t.end();
});
