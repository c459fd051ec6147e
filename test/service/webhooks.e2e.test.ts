import { Webhook } from "standardwebhooks";
import t, { type Test } from "tap";
import { sweepOwned } from "../../src/accounts/owned-records.js";
import { WEBHOOK_LIMITS } from "../../src/webhooks/webhook-wire.js";
import { endJob } from "./ended-job.js";
import { HOOKS, startWebhookShop } from "./webhook-shop.js";

const URL_PATH = "/in/secret-path";
const TARGET = `https://hooks.example.com${URL_PATH}`;
const HOUR_MS = 3_600_000;

/** A shop, and somebody with a token. Its clock begins now, because the library that verifies has no other. */
async function startShop(t: Test, folder?: string) {
	const shop = await startWebhookShop(t, { now: new Date().toISOString(), folder });
	const { token, id: owner } = await shop.issueSpt("5");
	return { ...shop, ask: shop.askAs(token), token, owner };
}
type Shop = Awaited<ReturnType<typeof startShop>>;

const make = async ({ ask }: Shop, order: object = {}) =>
	(await ask("POST", HOOKS, { url: TARGET, ...order })).body.data;
const deliveriesOf = async ({ ask }: Shop, id: string, query = "") =>
	(await ask("GET", `${HOOKS}/${id}/deliveries${query}`)).body;

t.test("an event is signed, sent once, and carries ids and links alone", async (t) => {
	const shop = await startShop(t);
	const made = await shop.ask("POST", HOOKS, { url: TARGET, description: "research desk" });
	t.equal(made.status, 201);
	const { secret, id, ...rest } = made.body.data;
	t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
	t.match(rest, { target_masked: "https://hooks.example.com/…", status: "active" });
	t.same((await shop.ask("GET", HOOKS)).body.data.items, [{ id, ...rest }], "no secret in lists");

	await endJob(shop, "job_1");
	t.equal(await shop.tick(), 1);
	t.equal(await shop.tick(), 0, "what was taken is not sent again");
	const [hook] = shop.received;
	t.equal(hook?.path, URL_PATH);
	const verified = new Webhook(secret).verify(hook?.text ?? "", hook?.headers ?? {});
	t.same(verified, {
		type: "job.completed",
		timestamp: new Date(shop.clock.now()).toISOString(),
		data: {
			job_id: "job_1",
			operation: "research.deep_dive",
			status: "completed",
			stop_reason: "done",
			links: { status: `${shop.baseUrl}/v1/research/deep-dive/status/job_1` },
		},
	});
	t.throws(() => new Webhook("whsec_AAAA").verify(hook?.text ?? "", hook?.headers ?? {}));
	const { data } = await deliveriesOf(shop, id);
	t.match(data.items, [
		{
			status: "delivered",
			attempts: 1,
			event_id: hook?.headers["webhook-id"],
			data: { job_id: "job_1" },
		},
	]);

	await endJob(shop, "job_1");
	t.equal(await shop.tick(), 0, "the same end is the same event");

	await sweepOwned(shop.app.store, shop.clock.now() + WEBHOOK_LIMITS.deliveriesKeptMs);
	t.same((await deliveriesOf(shop, id)).data.items, [], "deliveries are forgotten in time");
});

t.test(
	"a refused event is tried again later and later, then given up, and sent by hand",
	async (t) => {
		const shop = await startShop(t);
		const { id } = await make(shop);
		shop.state.status = 500;
		await endJob(shop, "job_1");
		const waits: number[] = [];
		for (let attempt = 1; attempt <= WEBHOOK_LIMITS.retryDelaysMs.length; attempt++) {
			t.equal(await shop.tick(), 1);
			t.equal(await shop.tick(), 0, "not before its time");
			const [waiting] = (await deliveriesOf(shop, id)).data.items;
			t.match(waiting, { status: "pending", attempts: attempt });
			const at = Date.parse(waiting.next_attempt_at);
			waits.push(at - shop.clock.now());
			shop.clock.advance(at - shop.clock.now());
		}
		WEBHOOK_LIMITS.retryDelaysMs.forEach((delayMs, place) => {
			const share = (waits[place] ?? 0) / delayMs;
			t.ok(share >= 0.8 && share <= 1.2, `wait ${place + 1} is ${share} of ${delayMs}`);
		});
		t.equal(await shop.tick(), 1);
		const [given] = (await deliveriesOf(shop, id)).data.items;
		t.match(given, { status: "failed", attempts: 9, next_attempt_at: null });
		t.match(given.last_attempts[0], { http_status: 500, failure: "status" });
		const ids = new Set(shop.received.map(({ headers }) => headers["webhook-id"]));
		t.equal(ids.size, 1, "one event, one id");

		shop.state.status = 200;
		const again = await shop.ask("POST", `${HOOKS}/${id}/deliveries/${given.id}/redeliver`);
		t.equal(again.status, 202);
		t.match(again.body.data, { status: "pending" });
		t.equal(await shop.tick(), 1);
		t.match((await deliveriesOf(shop, id)).data.items, [{ status: "delivered", attempts: 10 }]);
		t.match((await shop.ask("GET", HOOKS)).body.data.items, [{ failed_attempts: 0 }]);
	},
);

t.test(
	"a receiver that fails for long is paused, keeps what it missed, and is resumed",
	async (t) => {
		const shop = await startShop(t);
		const { id } = await make(shop);
		shop.state.status = 503;
		const count = WEBHOOK_LIMITS.failedAttemptsMax;
		for (let job = 0; job < count; job++) await endJob(shop, `job_${job}`);
		t.equal(await shop.tick(), count);
		const state = async () => (await shop.ask("GET", HOOKS)).body.data.items[0];
		t.match(
			await state(),
			{ status: "active", failed_attempts: count },
			"a short outage pauses nothing",
		);
		shop.clock.advance(WEBHOOK_LIMITS.failingMsMin);
		await shop.tick();
		t.match(await state(), { status: "paused", reason: "deliveries_failed" });
		await endJob(shop, "job_later");
		shop.clock.advance(24 * HOUR_MS);
		t.equal(await shop.tick(), 0);
		const { data, meta } = await deliveriesOf(shop, id, "?limit=15");
		t.equal(data.items.length, 15);
		t.ok(data.items.every(({ status }: { status: string }) => status === "skipped"));
		t.same(data.items[0].data.job_id, "job_later");
		const rest = await deliveriesOf(shop, id, `?limit=15&cursor=${meta.next_cursor}`);
		t.equal(rest.data.items.length, count + 1 - 15);
		t.equal(rest.meta.next_cursor, null);

		const path = `${HOOKS}/${id}/deliveries/${data.items[0].id}/redeliver`;
		t.equal((await shop.ask("POST", path)).status, 400, "first it has to be resumed");
		shop.state.status = 204;
		const resumed = await shop.ask("PATCH", `${HOOKS}/${id}`, { status: "active" });
		t.match(resumed.body.data, { status: "active", reason: null, failed_attempts: 0 });
		t.equal((await shop.ask("POST", path)).status, 202);
		const before = shop.received.length;
		t.equal(await shop.tick(), 1);
		t.equal(shop.received[before]?.body.data.job_id, "job_later");

		shop.state.status = 410;
		await endJob(shop, "job_gone");
		await shop.tick();
		t.match(await state(), { status: "paused", reason: "gone" }, "410 says it at once");
	},
);

t.test("for the overlap of a rotation both secrets sign", async (t) => {
	const shop = await startShop(t);
	const { id, secret: old } = await make(shop);
	const rotated = await shop.ask("POST", `${HOOKS}/${id}/rotate-secret`, { overlap_seconds: 60 });
	const { secret } = rotated.body.data;
	t.not(secret, old);
	const test = await shop.ask("POST", `${HOOKS}/${id}/test`);
	t.match(test.body.data, { is_delivered: true, http_status: 204, failure: null });
	const verify = (key: string) => {
		const { text = "", headers = {} } = shop.received.at(-1) ?? {};
		return new Webhook(key).verify(text, headers);
	};
	t.match(verify(secret), { type: "webhook.test", data: { webhook_id: id } });
	t.match(verify(old), { type: "webhook.test" });
	shop.clock.advance(60_000);
	await shop.ask("POST", `${HOOKS}/${id}/test`);
	t.ok(verify(secret));
	t.throws(() => verify(old));
	await shop.ask("POST", `${HOOKS}/${id}/rotate-secret`, { overlap_seconds: 0 });
	await shop.ask("POST", `${HOOKS}/${id}/test`);
	t.throws(() => verify(secret), "without an overlap the old one is worth nothing at once");
});

t.test("a receiver that never answers does not keep the service from stopping", async (t) => {
	const folder = `${t.testdir({})}/data`;
	const first = await startShop(t, folder);
	await make(first);
	first.state.status = 0;
	for (let job = 0; job < 5; job++) await endJob(first, `job_${job}`);
	const ticking = first.tick();
	while (first.received.length < WEBHOOK_LIMITS.sendingOfOwner) {
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
	await first.close();
	await ticking;
	t.equal(first.received.length, WEBHOOK_LIMITS.sendingOfOwner, "the rest was not begun");
	const second = await startShop(t, folder);
	t.equal(await second.tick(), 5);
	t.equal(second.received.length, 5);
});

t.test("addresses inside are refused when named, and when a name leads there", async (t) => {
	const shop = await startShop(t);
	for (const url of [
		"http://hooks.example.com/",
		"https://127.0.0.1/",
		"https://[::1]/",
		"https://169.254.169.254/latest",
		"https://user:word@hooks.example.com/",
		"https://hooks.example.com:22/",
		"nonsense",
	]) {
		t.equal((await shop.ask("POST", HOOKS, { url })).status, 400, url);
	}
	const { id } = await make(shop);
	const patched = await shop.ask("PATCH", `${HOOKS}/${id}`, { url: "https://10.0.0.1/" });
	t.equal(patched.status, 400);
	for (let more = 1; more < WEBHOOK_LIMITS.perOwnerMax; more++) await make(shop);
	t.equal((await shop.ask("POST", HOOKS, { url: TARGET })).status, 400, "bounded per owner");

	shop.state.status = 302;
	const moved = await shop.ask("POST", `${HOOKS}/${id}/test`);
	t.match(moved.body.data, { is_delivered: false, failure: "redirect_or_size" });
});

t.test("what waits survives a restart, and deleting leaves nothing", async (t) => {
	const folder = `${t.testdir({})}/data`;
	const first = await startShop(t, folder);
	const { id, secret } = await make(first);
	first.state.status = 500;
	await endJob(first, "job_1");
	await first.tick();
	await first.close();

	const second = await startShop(t, folder);
	second.clock.advance(60_000);
	t.equal(await second.tick(), 1);
	const [hook] = second.received;
	t.equal(hook?.headers["webhook-id"], first.received[0]?.headers["webhook-id"]);
	t.ok(new Webhook(secret).verify(hook?.text ?? "", hook?.headers ?? {}));

	const ask = second.askAs(first.token);
	await endJob({ ...second, owner: first.owner }, "job_2");
	t.match((await ask("DELETE", `${HOOKS}/${id}`)).body.data, { id, status: "deleted" });
	t.equal(await second.tick(), 0);
	t.equal((await ask("GET", `${HOOKS}/${id}/deliveries`)).status, 404);
	const left = await second.app.store.read((reader) => reader.list("webhook_deliveries"));
	t.same(left, []);
});
