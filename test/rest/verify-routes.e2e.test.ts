import t from "tap";
import { systemClock } from "../../src/kernel/clock.js";
import { createSimChain } from "../support/sim-chain.js";
import { createSimFacilitator } from "../support/sim-facilitator.js";
import { createSimWallet } from "../support/sim-wallet.js";
import { type Answer, startApp } from "../support/start-app.js";
import { failingJudge, handJudge, reading } from "../support/word-judge.js";

const TRUE = "Pectra was activated on mainnet in May 2025.";
const FALSE = "Pectra was activated on mainnet in March 2025.";
const UNKNOWN = "Uniswap charges a zorblax of twelve percent.";
const OPINION = "I think Pectra is wonderful.";
const TEXT = `${TRUE} ${OPINION} ${FALSE} ${UNKNOWN}`;

const chain = createSimChain({ now: systemClock.now });
const facilitator = createSimFacilitator({ chain, clock: systemClock });
const onchain = { terms: chain.terms, facilitator, chain, close: async () => undefined };
/** Knows one thing: when Pectra was activated. */
const judge = handJudge(({ text, passage }) => {
	if (!/^Pectra was/.test(text) || !/\bMay 2025/.test(passage)) return reading("open");
	return reading(/May 2025/.test(text) ? "supports" : "refutes");
});
const app = await startApp(t, { settings: { model: "none" }, onchain, judge });

type Headers = Readonly<Record<string, string>>;
const get = (path: string, headers: Headers) => app.send(path, { headers });
const post = (path: string, body: object, headers: Headers) =>
	app.send(path, {
		method: "POST",
		headers: { "Content-Type": "application/json", ...headers },
		body: JSON.stringify(body),
	});
async function newHolder() {
	const { token } = await app.issueSpt("25.00");
	const headers = { Authorization: `Bearer ${token}` };
	const balance = async () => (await get("/v1/spt/balance", headers)).body.data.balance_usd;
	return { headers, balance };
}

t.test(
	"of a batch only claims with a verdict are paid for, and the result is read again",
	async (t) => {
		const { headers, balance } = await newHolder();
		const batch = await post("/v1/verify/claims", { claims: [TRUE, UNKNOWN, FALSE] }, headers);
		t.same(
			batch.body.data.claims.map(({ verdict, is_answered }: Record<string, unknown>) => [
				verdict,
				is_answered,
			]),
			[
				["SUPPORTED", true],
				["NOT_ENOUGH_EVIDENCE", false],
				["REFUTED", true],
			],
		);
		t.match(batch.body.meta, { claims: 3, answered: 2, cost: { amount_usd: "1.00" } });
		t.equal(await balance(), "24.00");
		for (const { evidence, is_answered } of batch.body.data.claims) {
			if (is_answered) t.ok(evidence.every((one: { evidence_id: string }) => one.evidence_id));
		}

		const path = `/v1/verify/claims/${batch.body.data.batch_id}`;
		const again = await get(path, headers);
		t.same(again.body.data.claims, batch.body.data.claims);
		t.equal(await balance(), "24.00", "reading it again is free");
		const stranger = await newHolder();
		const refused = await get(path, stranger.headers);
		const unknown = await get("/v1/verify/claims/vfb_00000000000000000000000000", stranger.headers);
		t.same([refused.status, unknown.status, (await get(path, {})).status], [404, 404, 404]);
		t.equal(refused.body.error.code, unknown.body.error.code);
	},
);

t.test("a verification and its ClaimReview are read again by the one who paid", async (t) => {
	const { headers } = await newHolder();
	const { body } = await post("/v1/verify/claim", { claim: TRUE }, headers);
	t.match(body.data, { verdict: "SUPPORTED", verification_id: /^vrf_/ });
	const path = `/v1/verify/${body.data.verification_id}`;
	const again = await get(path, headers);
	t.match(again.body.data, { ...body.data, kept_until: String });
	const review = await get(`${path}/claim-review`, headers);
	t.match(review.body.data, {
		"@context": "https://schema.org",
		"@type": "ClaimReview",
		claimReviewed: TRUE,
	});
	const stranger = await newHolder();
	for (const other of [path, `${path}/claim-review`, "/v1/verify/vrf_1"]) {
		t.equal((await get(other, stranger.headers)).status, 404, other);
	}
	t.equal((await get("/v1/verify/claims", headers)).status, 405, "no list of them");
	t.equal((await get(`/v1/verify/claims/${body.data.verification_id}`, headers)).status, 404);
	const abstained = await post("/v1/verify/claim", { claim: UNKNOWN }, headers);
	t.match(abstained.body, { data: { verification_id: null }, meta: { cost: { charged: false } } });
});

t.test(
	"a text is taken apart: what was checked, what cannot be, and what came behind",
	async (t) => {
		const { headers, balance } = await newHolder();
		const whole = await post("/v1/verify/text", { text: TEXT, max_claims: 4 }, headers);
		const { claims, unchecked, batch_id: id } = whole.body.data;
		t.same(
			claims.map((claim: { start: number; end: number }) => TEXT.slice(claim.start, claim.end)),
			[TRUE, FALSE, UNKNOWN],
		);
		t.match(unchecked, [{ claim: OPINION, kind: "opinion", why: String }]);
		t.equal(await balance(), "24.00", "two verdicts of four claims asked for");
		t.equal((await get(`/v1/verify/claims/${id}`, headers)).body.data.unchecked.length, 1);

		const first = await post("/v1/verify/text", { text: TEXT, max_claims: 1 }, headers);
		t.equal(first.body.data.claims.length, 1);
		t.ok(first.body.data.unchecked.some(({ why }: { why: string }) => /max_claims/.test(why)));
		t.equal(await balance(), "23.50");

		const extracted = await post("/v1/verify/extract", { text: TEXT }, headers);
		t.match(extracted.body.meta, { claims: 4, checkable: 3 });
		t.equal(await balance(), "23.00");
	},
);

t.test("a call sent again is paid once, kept once and answered alike", async (t) => {
	const { headers, balance } = await newHolder();
	const again = { ...headers, "Idempotency-Key": "verify-1" };
	const ask = () => post("/v1/verify/claims", { claims: [TRUE, UNKNOWN] }, again);
	const [one, two] = [await ask(), await ask()];
	const { kept_until: until, ...told } = one.body.data;
	t.match(two.body.data, told);
	t.ok(two.body.data.kept_until >= until);
	t.equal(await balance(), "24.50");
});

t.test("what says nothing, belongs to no one or makes no sense costs nothing", async (t) => {
	const { headers, balance } = await newHolder();
	for (const [status, path, body] of [
		[200, "text", { text: `${OPINION} Will it last?` }],
		[200, "text", { text: UNKNOWN }],
		[200, "claims", { claims: [UNKNOWN, OPINION] }],
		[200, "extract", { text: `${OPINION} Is it?` }],
		[200, "citation", { sentence: OPINION, excerpt: TRUE }],
		[404, "citation", { sentence: TRUE, evidence_id: "ethereum-standards:upgrades.pectra~9999" }],
		[404, "citation", { sentence: TRUE, article_ref: `art_${"0".repeat(20)}` }],
		[404, "claims", { claims: [TRUE], graph_id: "nowhere" }],
		[400, "claims", { claims: [] }],
		[400, "claims", { claims: Array(21).fill(TRUE) }],
		[400, "claims", { claims: ["x".repeat(2_001)] }],
		[400, "text", { text: "x".repeat(20_001) }],
		[400, "text", { text: "  \n" }],
		[400, "text", { text: TRUE, max_claims: 21 }],
		[400, "citation", { sentence: TRUE }],
		[400, "citation", { sentence: TRUE, excerpt: TRUE, article_ref: `art_${"0".repeat(20)}` }],
	] as const) {
		const reply = await post(`/v1/verify/${path}`, body, headers);
		t.equal(reply.status, status, `${path} ${JSON.stringify(body).slice(0, 60)}`);
		if (status === 200) t.match(reply.body.meta.cost, { charged: false });
		if (status === 200 && "batch_id" in reply.body.data) t.equal(reply.body.data.batch_id, null);
	}
	t.equal(await balance(), "25.00");
});

t.test("without a verdict nothing of what is sold is returned", async (t) => {
	const { headers, balance } = await newHolder();
	const half = `${TRUE} HPACK's static table has 61 squirrels of Bolivia.`;
	const claims = ["HPACK static table entries are 9999 squirrels of Bolivia.", OPINION, half];
	const sold = ({ verdict }: { verdict: string }) => /SUPPORTED|REFUTED|CONFLICTING/.test(verdict);
	for (const claim of claims) {
		const { data } = (await post("/v1/verify/claim", { claim }, headers)).body;
		t.notOk(sold(data), claim);
		t.match(data, { evidence: [], claim_review: null, gates: { length: 5 } });
		t.ok(data.gates.every((gate: Answer["body"]) => gate.reason && gate.evidence_ids.length === 0));
		t.notOk(data.parts.some(sold));
		t.notMatch(JSON.stringify(data), /https?:|hpack~|pectra~/);
	}
	const batch = await post("/v1/verify/claims", { claims: [...claims, TRUE] }, headers);
	const text = await post("/v1/verify/text", { text: claims.join(" ") }, headers);
	for (const one of [...batch.body.data.claims, ...text.body.data.claims]) {
		t.equal(one.evidence.length > 0, sold(one), one.claim);
	}
	t.equal(await balance(), "24.00", "one verdict of the batch, one of the text");
});

t.test("where the judge fails nothing is charged, and the reply says why", async (t) => {
	const broken = await startApp(t, { settings: { model: "none" }, judge: failingJudge });
	const unjudged = await startApp(t, { settings: { model: "none" } });
	for (const { issueSpt, send } of [broken, unjudged]) {
		const { token } = await issueSpt("5.00");
		const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
		for (const [path, body] of [
			["claim", { claim: TRUE }],
			["claims", { claims: [TRUE] }],
			["text", { text: TEXT }],
			["citation", { sentence: TRUE, excerpt: TRUE }],
		] as const) {
			const init = { method: "POST", headers, body: JSON.stringify(body) };
			const reply = await send(`/v1/verify/${path}`, init);
			t.match(reply.body.meta, { cost: { charged: false }, warnings: [/model that reads/] }, path);
			t.notMatch(JSON.stringify(reply.body.data), /https?:|pectra~/, path);
		}
		const balance = await send("/v1/spt/balance", { headers });
		t.equal(balance.body.data.balance_usd, "5.00");
	}
});

t.test("a citation is held against the sentence it names", async (t) => {
	const { headers } = await newHolder();
	const evidence_id = "ethereum-standards:upgrades.pectra~0";
	for (const [sentence, stance] of [
		[TRUE, "supports"],
		[FALSE, "refutes"],
		["HPACK has a static table of 61 entries.", "neutral"],
	] as const) {
		const { body } = await post("/v1/verify/citation", { sentence, evidence_id }, headers);
		t.match(body.data, { stance, claims: [{ reasons: Array }] }, sentence);
	}
});

t.test(
	"what a wallet paid for is opened by its id; an account that keeps no text keeps none",
	async (t) => {
		const wallet = createSimWallet(chain, {
			name: "agent",
			now: systemClock.now,
			balance: 50_000_000n,
		});
		const payment = { "PAYMENT-SIGNATURE": wallet.v2(wallet.sign({ value: 500_000n })) };
		const bought = await post("/v1/verify/claims", { claims: [TRUE] }, payment);
		t.equal(bought.status, 200);
		const opened = await get(`/v1/verify/claims/${bought.body.data.batch_id}`, {});
		t.same(opened.body.data.claims, bought.body.data.claims);

		const { key } = await app.app.operator.createKey({ zero_retention: true, usd: "5.00" });
		const headers = { "X-API-Key": key };
		await app.send("/v1/account", {
			method: "PATCH",
			headers: { "Content-Type": "application/json", ...headers },
			body: JSON.stringify({ retention: "zero" }),
		});
		const told = await post("/v1/verify/claims", { claims: [TRUE] }, headers);
		t.match(told.body, { data: { batch_id: null, kept_until: null }, meta: { answered: 1 } });
	},
);
