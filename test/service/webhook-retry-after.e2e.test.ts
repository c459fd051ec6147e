import t from "tap";
import { WEBHOOK_LIMITS } from "../../src/webhooks/webhook-wire.js";
import { endJob } from "./ended-job.js";
import { HOOKS, startWebhookShop } from "./webhook-shop.js";

const HOUR_MS = 3_600_000;

t.test("a receiver that says when to come back is left alone until then", async (t) => {
	const shop = await startWebhookShop(t, { now: new Date().toISOString() });
	const { token, id: owner } = await shop.issueSpt("5");
	const ask = shop.askAs(token);
	const { id } = (await ask("POST", HOOKS, { url: "https://hooks.example.com/in" })).body.data;
	const deliveries = async () => (await ask("GET", `${HOOKS}/${id}/deliveries`)).body.data.items;
	shop.state.status = 429;
	await endJob({ ...shop, owner }, "job_1");
	const waitAfter = async (retryAfter: string) => {
		shop.state.retryAfter = retryAfter;
		t.equal(await shop.tick(), 1);
		const [waiting] = await deliveries();
		const { at, ...told } = waiting.last_attempts[0];
		t.same(told, { http_status: 429, failure: "status" });
		const waitMs = Date.parse(waiting.next_attempt_at) - Date.parse(at);
		shop.clock.advance(waitMs);
		return waitMs;
	};
	t.equal(await waitAfter("1800"), 1_800_000);
	const inTwoHours = new Date(shop.clock.now() + 2 * HOUR_MS).toUTCString();
	const waited = await waitAfter(inTwoHours);
	t.ok(waited > 2 * HOUR_MS - 1_000 && waited <= 2 * HOUR_MS, "a date has no fractions");
	const own = await waitAfter("5");
	t.ok(own >= 480_000, "its own waits are never shortened");
	t.equal(await waitAfter("9999999"), WEBHOOK_LIMITS.retryAfterMaxMs);
	shop.state.status = 204;
	t.equal(await shop.tick(), 1);
	t.match(await deliveries(), [{ status: "delivered", attempts: 5 }]);
});
