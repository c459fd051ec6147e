import t from "tap";
import type { ServerEvent } from "../../client/src/index.js";
import { openShop } from "./open-shop.js";

const INPUT = { query: "How do agents pay for what they call?", mode: "fast" } as const;

t.test("a deep dive tells its events, gives its report, and is charged at its end", async (t) => {
	const shop = await openShop(t, "30.00");
	const client = shop.client({ maxPrice: "10.00", budget: { session: "15.00" } });
	const job = await client.deepDive(INPUT);
	t.match(job.id, /^job_/);
	t.equal(client.spentUsd(), "10.00", "reserved");
	await t.rejects(client.deepDive(INPUT), { code: "BUDGET_EXCEEDED" });
	const events: ServerEvent[] = [];
	for await (const event of job.events()) events.push(event);
	t.equal(events[0]?.event, "research.created");
	t.equal(events.at(-1)?.event, "research.completed");
	const report = await job.report();
	t.ok(Object.keys(report).length > 0);
	t.match(await job.status(), { status: "completed", cost: { amount_usd: "10.00" } });
	t.equal(client.spentUsd(), "10.00");
	t.equal(await shop.balance(), 20_000_000n);
	const again: ServerEvent[] = [];
	const after = events.at(-3)?.id;
	for await (const event of client.job(job.id).events({ after })) again.push(event);
	t.same(again, events.slice(-2), "another process goes on by its id");
	for await (const event of job.events({ after: events.at(-1)?.id })) t.fail(event.event);
});

t.test("the report is waited for over breaks of the connection", async (t) => {
	const shop = await openShop(t, "30.00");
	const cuts = ["event: research.plan", "event: research.progress"];
	shop.proxy.decide(({ path }) => {
		const behind = path.endsWith("/events") ? cuts.shift() : undefined;
		return behind === undefined ? undefined : { kind: "lose", behind };
	});
	const job = await shop.client().launch("research.deep_dive", INPUT);
	t.ok(await job.report());
	t.equal(await shop.balance(), 20_000_000n);
});

t.test("a job without an answer has no report and is not charged", async (t) => {
	const shop = await openShop(t, "30.00");
	const client = shop.client({ budget: { session: "15.00" } });
	const job = await client.deepDive({ ...INPUT, query: "zxqvbn wqpfkj" });
	const result = await job.report().catch((error: unknown) => error);
	const { status, cost } = await job.status();
	t.equal(cost.amount_usd, "0.00", status);
	t.comment(JSON.stringify(result).slice(0, 200));
	t.equal(client.spentUsd(), "0.00", "released");
	t.equal(await shop.balance(), 30_000_000n);
});

t.test("a job that is cancelled counts what was taken of its price", async (t) => {
	const shop = await openShop(t, "30.00");
	const client = shop.client({ budget: { session: "20.00" } });
	const job = await client.deepDive({ ...INPUT, mode: "comprehensive" });
	await job.cancel();
	await job.report().catch((error: unknown) => t.match(error, { code: "NO_REPORT" }));
	const { cost } = await job.status();
	t.equal(client.spentUsd(), cost.amount_usd);
	await t.rejects(client.job("job_nothing").status(), { code: "NOT_FOUND" });
});

t.test("a launch whose answer is lost names the same job, charged once", async (t) => {
	const shop = await openShop(t, "30.00");
	let left = 1;
	shop.proxy.decide(({ method }) => {
		if (method !== "POST") return undefined;
		left -= 1;
		return left >= 0 ? { kind: "lose" } : undefined;
	});
	const job = await shop.client().deepDive(INPUT);
	t.ok(await job.report());
	t.equal(await shop.balance(), 20_000_000n);
});
