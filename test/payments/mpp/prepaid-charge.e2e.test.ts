import { Challenge, Credential, Receipt } from "mppx";
import { Mppx } from "mppx/client";
import t from "tap";
import { manualClock } from "../../support/manual-clock.js";
import { prepaidMethod } from "../../support/prepaid-method.js";
import { KNOWN_QUERY, startApp, sumOfAllEntries, type TestApp } from "../../support/start-app.js";
import { times } from "../../support/times.js";

const clock = manualClock(new Date().toISOString());
const app = await startApp(t, { clock, settings: { model: "none" } });

const PATH = "/v1/graphs/agent-payments/search";
const POST = {
	method: "POST",
	headers: { "Content-Type": "application/json" },
	body: JSON.stringify({ query: KNOWN_QUERY, limit: 3 }),
};

const clientOf = (token: string) =>
	Mppx.create({ methods: [prepaidMethod(token)], polyfill: false });

/** A challenge of the prepaid method, and the header that answers it. */
async function challengeOf(path = PATH) {
	const response = await fetch(`${app.baseUrl}${path}`, POST);
	const challenge = Challenge.fromResponseList(response).find(
		({ method }) => method === "tollgraph",
	);
	if (!challenge) throw new Error("no challenge of the prepaid method");
	return challenge;
}

const answerTo = (challenge: Challenge.Challenge, token: string) => ({
	Authorization: Credential.serialize(Credential.from({ challenge, payload: { token } })),
});

const balanceOf = (id: string) => app.app.store.read((reader) => reader.balance(`cust:${id}`));

t.test("a client of mppx pays from the balance of its token and gets a receipt", async (t) => {
	const { token, id } = await app.issueSpt("1.00");

	const response = await clientOf(token).fetch(`${app.baseUrl}${PATH}`, POST);

	t.equal(response.status, 200);
	const { meta, rows } = (await response.json()) as { meta: { cost: unknown }; rows: unknown[] };
	t.ok(rows.length > 0);
	t.match(meta.cost, { amount_usd: "0.50", rail: "spt", balance_after_usd: "0.50" });
	t.match(Receipt.fromResponse(response), {
		method: "tollgraph",
		status: "success",
		reference: (meta.cost as { receipt_id: string }).receipt_id,
	});
	t.equal(await balanceOf(id), 500_000n);
	t.equal(await sumOfAllEntries(app.app), 0n);
});

t.test("a token that has too little is refused in a way its client can read", async (t) => {
	const { token } = await app.issueSpt("0.10");

	const response = await clientOf(token).fetch(`${app.baseUrl}${PATH}`, POST);

	t.equal(response.status, 402);
	t.match(await response.json(), { error: { code: "INSUFFICIENT_BALANCE" }, accepts: [] });
	const schemes = response.headers.get("WWW-Authenticate");
	t.match(schemes, /^Payment .*method="tollgraph"/);
	t.notMatch(schemes, /method="evm"/, "never the challenge of another rail");
});

t.test("one credential sent 100 times at once is charged once", async (t) => {
	const { token, id } = await app.issueSpt("5.00");
	const headers = answerTo(await challengeOf(), token);

	const answers = await Promise.all(times(100, () => app.search({ headers })));

	for (const { status } of answers) t.ok(status === 200 || status === 409, `${status}`);
	const paid = answers.filter(({ status }) => status === 200);
	t.equal(new Set(paid.map(({ body }) => body.meta.cost.receipt_id)).size, 1);
	t.equal(paid.filter(({ body }) => !body.meta.cost.replayed).length, 1);
	t.equal(await balanceOf(id), 4_500_000n);
});

t.test(
	"a challenge that is changed, foreign, expired or of another request buys nothing",
	async (t) => {
		const { token, id } = await app.issueSpt("5.00");
		const own = await challengeOf();
		const refuses = async (
			challenge: Challenge.Challenge,
			message: RegExp,
			call: Parameters<TestApp["search"]>[0] = {},
		) => {
			const answer = await app.search({ ...call, headers: answerTo(challenge, token) });
			t.equal(answer.status, 402);
			t.match(answer.body.error, { code: "PAYMENT_REJECTED", message });
			t.notOk(answer.headers.has("Payment-Receipt"));
		};

		await refuses({ ...own, request: { ...own.request, amount: "1" } }, /changed/);
		await refuses({ ...own, expires: "2030-01-01T00:00:00Z" }, /changed/);
		await refuses({ ...own, opaque: "e30" }, /changed/);
		await refuses({ ...own, id: "A".repeat(43) }, /not issued/);
		const { id: _, ...fields } = own;
		await refuses(Challenge.from({ ...fields, secretKey: "somebody else's" }), /not issued/);
		await refuses(own, /another request/, { body: { query: "something else", limit: 3 } });
		await refuses(own, /another request/, { body: { query: KNOWN_QUERY, limit: 4 } });
		await refuses(own, /another request/, { graph: "agent-protocols" });
		const elsewhere = await challengeOf("/v1/search/domain");
		await refuses(elsewhere, /another request/);
		clock.advance(300_000);
		await refuses(own, /expired at /);
		t.equal(await balanceOf(id), 5_000_000n, "nothing was charged");
		t.equal((await app.search({ headers: answerTo(await challengeOf(), token) })).status, 200);
	},
);

t.test("credentials that cannot be read are refused, and a key hides no one's token", async (t) => {
	const { token } = await app.issueSpt("1.00");
	const own = await challengeOf();
	const encode = (value: unknown) =>
		`Payment ${Buffer.from(JSON.stringify(value)).toString("base64url")}`;

	for (const authorization of [
		"Payment",
		"Payment a b",
		"Payment ****",
		encode(null),
		encode({ challenge: {} }),
		encode({ challenge: { method: "tollgraph" }, payload: {} }),
		encode({ challenge: { method: "tollgraph" }, payload: { token: "sk_live_x" } }),
	]) {
		const answer = await app.search({ headers: { Authorization: authorization } });
		t.match(answer, { status: 400, body: { error: { code: "INVALID_ARGUMENT" } } }, authorization);
	}
	const unknown = await app.search({ headers: answerTo(own, "spt_test_unknown") });
	t.equal(unknown.status, 401);
	const two = await app.search({ headers: { ...answerTo(own, token), "X-Pay-SPT": "spt_test_x" } });
	t.equal(two.status, 400);
});

t.test(
	"callers with a token or key in another header see no challenge of this scheme",
	async (t) => {
		const { token } = await app.issueSpt("0.10");
		const answer = await app.search({ token });
		t.equal(answer.status, 402);
		t.equal(answer.headers.get("WWW-Authenticate"), 'Bearer realm="tollgraph"');
	},
);
