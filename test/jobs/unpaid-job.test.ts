import t from "tap";
import { JOB_LIMITS } from "../../src/core/job-limits.js";
import { createGate, createWorld, openShop } from "./job-shop.js";

const FREE = {
	"research.deep_dive": { amountMicros: 0n, billingType: "deep_research_light" },
} as const;

t.test("where jobs cost nothing, a retry key names its job all the same", async (t) => {
	const shop = await openShop(createWorld(["one"]), { prices: FREE });
	const { token } = await shop.issue(1n);
	const order = { token, key: "k" };
	const [one, two] = await Promise.all([shop.launch(order), shop.launch(order)]);
	t.ok(one.job);
	t.equal(two.job?.job_id, one.job?.job_id, "at the same time");
	t.equal((await shop.launch({ ...order, query: "other" })).code, "IDEMPOTENCY_MISMATCH");
	t.match(await shop.ended(one.job?.job_id ?? ""), { cost: { charged: false, held: false } });
	const after = await shop.restart();
	const again = await after.launch(order);
	t.equal(again.job?.job_id, one.job?.job_id, "after its end, and a restart");
	t.match(again.result?.cost, { replayed: true });
	t.not((await after.launch({ token })).job?.job_id, one.job?.job_id, "without it: another");
	t.equal((await after.store.read((reader) => reader.list("jobs"))).length, 2);
	t.same(await after.failures(), []);
	await after.close();
	await shop.close().catch(() => undefined);
});

t.test("strangers with the same key meet only where they ask the same", async (t) => {
	const shop = await openShop(createWorld(["one"]), { prices: FREE });
	const { job } = await shop.launch({ key: "1", query: "a" });
	t.ok(job);
	t.equal((await shop.launch({ key: "1", query: "a" })).job?.job_id, job?.job_id);
	const other = await shop.launch({ key: "1", query: "b" });
	t.ok(other.job, "no mismatch with a key that another thought of");
	t.not(other.job?.job_id, job?.job_id);
	await shop.close();
});

t.test("strangers have more open jobs together than one owner, and never all places", async (t) => {
	const world = createWorld(["one"]);
	const gate = createGate();
	world.script.onPass = () => gate.pass();
	const shop = await openShop(world, { prices: FREE });
	const { token } = await shop.issue(1n);
	for (let count = 0; count < JOB_LIMITS.openOfStrangers; count++) {
		t.ok((await shop.launch({ query: `q${count}`, key: "k" })).job);
	}
	t.equal((await shop.launch({ query: "one more" })).code, "RATE_LIMITED");
	t.ok((await shop.launch({ query: "q0", key: "k" })).job, "one that is open already is told of");
	t.ok((await shop.launch({ token })).job, "who shows a credential finds a place");
	gate.open();
	await shop.close();
});
