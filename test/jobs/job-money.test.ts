import t from "tap";
import { JOB_LIMITS } from "../../src/jobs/job-schemas.js";
import { createGate } from "../support/gate.js";
import { ANONYMOUS, createWorld, openShop, PRICE, pause } from "./job-shop.js";

const DAY_MS = 24 * 3_600_000;

t.test("a finished job takes its price once, a second call under its key none", async (t) => {
	const shop = await openShop();
	const { token, id } = await shop.issue(20n);
	const { job } = await shop.launch({ token, key: "k" });
	if (!job) throw new Error("not launched");
	t.equal(await shop.balance(`held:${id}`), PRICE);
	const [same, other] = await Promise.all([
		shop.launch({ token, key: "k" }),
		shop.launch({ token, key: "k", query: "another" }),
	]);
	t.equal(same.job?.job_id, job.job_id);
	t.equal(other.code, "IDEMPOTENCY_MISMATCH");
	const ended = await shop.ended(job.job_id);
	t.match(ended, { status: "completed", percent: 100, cost: { amount_usd: "10.00" } });
	const later = await shop.launch({ token, key: "k" });
	t.equal(later.job?.job_id, job.job_id);
	t.match(later.result?.cost, { charged: true, receipt_id: ended.cost.receipt_id, replayed: true });
	t.equal(await shop.balance(`cust:${id}`), PRICE);
	t.equal(await shop.balance("rev:deep_research_light"), PRICE);
	t.same(await shop.failures(), []);
	await shop.close();
});

t.test("a cancelled job gives back the passes that were not begun", async (t) => {
	const world = createWorld(["one", "two", "three"]);
	const shop = await openShop(world);
	const gate = createGate();
	world.script.onPass = (pass) => (pass === "two" ? gate.pass() : undefined);
	const { token, id } = await shop.issue(10n);
	const caller = { owner: id, rail: "spt" };
	const { job } = await shop.launch({ token });
	const jobId = job?.job_id ?? "";
	await gate.arrived;
	t.match(await shop.operations.status(caller, jobId), {
		status: "running",
		pass: "two",
		report: null,
	});
	await shop.operations.cancel(caller, jobId);
	const ended = await shop.ended(jobId);
	t.match(ended, { status: "cancelled", stop_reason: "cancelled" });
	t.equal(await shop.balance("rev:deep_research_light"), 6_666_666n, "2/3, rounded down");
	t.equal(await shop.balance(`cust:${id}`), 3_333_334n);
	const { report, credit } = await shop.operations.status(caller, jobId);
	t.match(report, { done: ["one"] }, "what was found is its owner's");
	t.equal(credit, null);
	t.match(await shop.operations.cancel(caller, jobId), { status: "cancelled" }, "again: as it was");
	const events = await shop.operations.events(caller, jobId, {
		after: 0,
		signal: new AbortController().signal,
	});
	const names = [];
	for await (const { event } of events ?? []) names.push(event);
	t.same(names.slice(-2), ["research.usage", "research.cancelled"]);
	t.same(await shop.failures(), []);
	await shop.close();
});

t.test("a job that waits is cancelled for nothing, and its key names no other", async (t) => {
	const world = createWorld();
	const gate = createGate();
	world.script.onPass = () => gate.pass();
	const shop = await openShop(world, { running: 1 });
	const { token, id } = await shop.issue(20n);
	const caller = { owner: id, rail: "spt" };
	await shop.launch({ token, query: "first" });
	const { job } = await shop.launch({ token, query: "second", key: "k" });
	const cancelled = await shop.operations.cancel(caller, job?.job_id ?? "");
	t.match(cancelled, {
		status: "cancelled",
		percent: 0,
		cost: { charged: false, receipt_id: null },
	});
	t.equal(await shop.balance(`cust:${id}`), PRICE);
	t.equal((await shop.launch({ token, query: "second", key: "k" })).job?.job_id, job?.job_id);
	t.equal(await shop.balance(`cust:${id}`), PRICE, "nothing was held for it");
	gate.open();
	t.same(await shop.failures(), []);
	await shop.close();
});

t.test("no answer, a failure and a lost question cost nothing", async (t) => {
	const world = createWorld(["one", "two"]);
	const shop = await openShop(world);
	const { token, id } = await shop.issue(10n);
	const caller = { owner: id, rail: "spt" };
	world.script.isAnswer = false;
	const none = await shop.ended((await shop.launch({ token })).job?.job_id ?? "");
	t.match(none, { status: "completed", cost: { amount_usd: "0.00", charged: false, held: false } });
	t.match((await shop.operations.status(caller, none.job_id)).report, { done: ["one", "two"] });

	world.script.onPass = (pass) => {
		if (pass === "two") throw new Error("secret detail");
	};
	const failed = await shop.ended((await shop.launch({ token, key: "f" })).job?.job_id ?? "");
	t.match(failed, { status: "failed", stop_reason: "error", cost: { charged: false } });
	t.notMatch(JSON.stringify(await shop.operations.status(caller, failed.job_id)), /secret/);
	t.equal((await shop.launch({ token, key: "f" })).job?.job_id, failed.job_id);
	t.equal(await shop.balance(`cust:${id}`), PRICE);
	t.same(await shop.failures(), []);
	await shop.close();
});

t.test(
	"a pass that takes too long fails its job, whether or not it looks at its signal",
	async (t) => {
		const world = createWorld(["one"]);
		const timers: (() => void)[] = [];
		const clock = {
			...world.clock,
			after(delayMs: number, task: () => void) {
				if (delayMs === JOB_LIMITS.passTimeoutMs) timers.push(task);
				return world.clock.after(delayMs, task);
			},
		};
		const shop = await openShop({ ...world, clock });
		world.script.onPass = () => new Promise(() => undefined);
		const { token, id } = await shop.issue(10n);
		const { job } = await shop.launch({ token });
		while (timers.length === 0) await pause();
		for (const fire of timers) fire();
		const ended = await shop.ended(job?.job_id ?? "");
		t.match(ended, { status: "failed", stop_reason: "time" });
		t.equal(await shop.balance(`cust:${id}`), PRICE);
		await shop.close();
	},
);

t.test("a wallet's cancelled job pays for what was begun and credits the rest", async (t) => {
	const world = createWorld();
	const shop = await openShop(world);
	const gate = createGate();
	world.script.onPass = (pass) => (pass === "three" ? gate.pass() : undefined);
	const { wallet, chain } = world;
	const { job } = await shop.launch({ authorization: wallet.sign({ value: PRICE }), key: "w" });
	const jobId = job?.job_id ?? "";
	await gate.arrived;
	const after = await shop.restart();
	await shop.close().catch(() => undefined);
	const caller = { ...ANONYMOUS };
	await after.operations.cancel(caller, jobId);
	t.match(await after.ended(jobId), { status: "cancelled", cost: { amount_usd: "7.50" } });
	const shown = await after.operations.status(caller, jobId);
	t.match(shown.credit, { balance_usd: "2.50", token: /^spt_test_/ });
	const again = await after.operations.status(caller, jobId);
	t.equal(again.credit?.token, null, "a secret is told once");
	t.equal(await after.balance(`cust:${shown.credit?.id}`), 2_500_000n);
	t.equal(await after.balance(`cust:${wallet.owner}`), 0n);
	t.equal(chain.transactions.length, 1);
	const spent = await after.launch({ token: shown.credit?.token ?? "" });
	t.equal(spent.code, "INSUFFICIENT_BALANCE", "the token is good");
	const anew = await after.launch({ authorization: wallet.sign({ value: PRICE }), key: "w" });
	t.equal(anew.job?.job_id, jobId, "its key names it for good");
	t.equal(chain.transactions.length, 1, "and the new payment is never sent");
	t.same(await after.failures(), []);
	await after.close();
});

t.test("a failed job of a wallet is credited whole", async (t) => {
	const world = createWorld();
	const shop = await openShop(world);
	world.script.onPass = () => {
		throw new Error("no");
	};
	const { job } = await shop.launch({ authorization: world.wallet.sign({ value: PRICE }) });
	const jobId = job?.job_id ?? "";
	t.match(await shop.ended(jobId), { status: "failed", cost: { amount_usd: "0.00" } });
	t.match((await shop.operations.status(ANONYMOUS, jobId)).credit, {
		balance_usd: "10.00",
		token: /^spt_/,
	});
	world.clock.set(world.clock.now() + DAY_MS);
	await shop.money.onchain?.reconcile();
	t.equal(await shop.balance(`cust:${world.wallet.owner}`), 0n);
	t.same(await shop.failures(), []);
	await shop.close();
});

t.test("a restart goes on behind the latest checkpoint and charges once", async (t) => {
	const world = createWorld();
	const before = await openShop(world);
	const gate = createGate();
	world.script.onPass = (pass) => (pass === "three" ? gate.pass() : undefined);
	const { token, id } = await before.issue(10n);
	const { job } = await before.launch({ token, key: "k" });
	const jobId = job?.job_id ?? "";
	await gate.arrived;
	const seen = await before.operations.status({ owner: id, rail: "spt" }, jobId);
	world.clock.set(world.clock.now() + 3_600_000);
	world.script.onPass = () => undefined;
	const after = await before.restart();
	const going = await after.operations.status({ owner: id, rail: "spt" }, jobId);
	t.ok(going.percent >= seen.percent);
	t.match(await after.ended(jobId), { status: "completed", cost: { amount_usd: "10.00" } });
	t.same(world.script.ran, ["q one", "q two", "q three", "q four"], "no finished pass runs again");
	t.equal((await after.launch({ token, key: "k" })).job?.job_id, jobId);
	t.equal(await after.balance("rev:deep_research_light"), PRICE);
	t.same(await after.failures(), []);
	await after.close();
	gate.open();
	await before.close().catch(() => undefined);
});

t.test("a job's hold outlives its expiry, and one whose job is gone does not", async (t) => {
	const world = createWorld();
	const gate = createGate();
	world.script.onPass = () => gate.pass();
	const shop = await openShop(world);
	const { token, id } = await shop.issue(20n);
	const kept = await shop.launch({ token, query: "kept" });
	const lost = await shop.launch({ token, query: "lost" });
	const authorization = world.wallet.sign({ value: PRICE });
	const paid = await shop.launch({ authorization, query: "paid" });
	await shop.store.transaction(async (tx) => {
		await tx.delete("jobs", lost.job?.job_id ?? "");
		await tx.delete("jobs", paid.job?.job_id ?? "");
	});
	for (let step = 0; step < 20; step++) {
		world.clock.set(world.clock.now() + 60_000);
		await shop.money.sweeper.sweep();
		t.same(await shop.failures(), []);
	}
	t.equal(await shop.balance(`held:${id}`), PRICE);
	t.equal(await shop.balance(`cust:${id}`), PRICE, "what nobody works for went back");
	await shop.money.onchain?.reconcile();
	const tokens = await shop.store.read((reader) =>
		reader.findBy("tokens", "owner", world.wallet.owner),
	);
	t.match(tokens, [{ origin: "credit" }]);
	gate.open();
	t.match(await shop.ended(kept.job?.job_id ?? ""), { status: "completed" });
	t.same(await shop.failures(), []);
	await shop.close();
});
