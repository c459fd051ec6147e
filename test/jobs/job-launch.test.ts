import t from "tap";
import { JOB_LIMITS } from "../../src/jobs/job-schemas.js";
import { createGate } from "../support/gate.js";
import { ANONYMOUS, createWorld, impatient, openShop, PRICE, pause } from "./job-shop.js";

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

t.test(
	"too many open jobs are refused before anything is held, and owners take turns",
	async (t) => {
		const world = createWorld(["one"]);
		const gate = createGate();
		const order: unknown[] = [];
		world.script.onPass = (_pass, _context, { query }) => {
			order.push(query);
			return query === "a1" ? gate.pass() : undefined;
		};
		const shop = await openShop(world, { running: 1 });
		const one = await shop.issue(100n);
		const two = await shop.issue(100n);
		const ids = [];
		for (const [query, token] of [
			["a1", one.token],
			["a2", one.token],
			["a3", one.token],
			["a4", one.token],
			["a5", one.token],
			["b1", two.token],
			["b2", two.token],
		] as const) {
			const { job } = await shop.launch({ query, token });
			ids.push(job?.job_id ?? "");
		}
		const { wallet } = world;
		t.equal((await shop.launch({ query: "a6", token: one.token })).code, "RATE_LIMITED");
		t.equal(await shop.balance(`held:${one.id}`), 5n * PRICE);
		gate.open();
		await Promise.all(ids.map((id) => shop.ended(id)));
		t.same(order, ["a1", "a2", "b1", "a3", "b2", "a4", "a5"]);

		const blocked = createGate();
		world.script.onPass = () => blocked.pass();
		for (let count = 0; count < JOB_LIMITS.openPerOwner; count++) {
			const authorization = wallet.sign({ value: PRICE });
			t.ok((await shop.launch({ authorization, query: `w${count}` })).job);
		}
		const settled = world.chain.transactions.length;
		const authorization = wallet.sign({ value: PRICE });
		t.equal((await shop.launch({ authorization })).code, "RATE_LIMITED");
		t.equal(world.chain.transactions.length, settled, "a payment without a place is never sent");
		blocked.open();
		t.same(await shop.failures(), []);
		await shop.close();
	},
);

t.test("a copy of a payment is given the job at most once, and never money", async (t) => {
	const world = createWorld();
	const shop = await openShop(world);
	world.script.onPass = () => {
		throw new Error("no");
	};
	const authorization = world.wallet.sign({ value: PRICE });
	const { job } = await shop.launch({ authorization, isLost: true });
	const jobId = job?.job_id ?? "";
	await shop.ended(jobId);
	const copy = await shop.launch({ authorization });
	t.equal(copy.job?.job_id, jobId, "the reply had not arrived");
	t.equal((await shop.launch({ authorization })).code, "PAYMENT_ALREADY_USED");
	const { credit } = await shop.operations.status(ANONYMOUS, jobId);
	t.match(credit, { balance_usd: "10.00", token: null });
	await shop.close();
});

t.test("a payment whose job could not begin is not waited for when it comes again", async (t) => {
	const world = impatient(createWorld());
	const shop = await openShop(world);
	const { documents } = shop.store;
	const put = documents.put.bind(documents);
	documents.put = () => Promise.reject(new Error("no space left"));
	const authorization = world.wallet.sign({ value: PRICE });
	t.equal((await shop.launch({ authorization })).code, "UNAVAILABLE");
	documents.put = put;
	const told = await shop.launch({ authorization });
	t.match(told.job, { status: "failed", stop_reason: "lost", cost: { charged: false } });
	t.match((await shop.operations.status(ANONYMOUS, told.job?.job_id ?? "")).credit, {
		balance_usd: "10.00",
	});
	t.equal(world.chain.transactions.length, 1);
	t.same(await shop.failures(), []);
	await shop.close();
});

t.test("what is being launched is no one's to take up", async (t) => {
	const shop = await openShop(createWorld(["one"]));
	const { token } = await shop.issue(10n);
	const launched = shop.launch({ token });
	// As it happens whenever another process ends: before the input of that job is written, and after.
	for (let look = 0; look < 50; look++) await shop.jobs.resume();
	const { job } = await launched;
	t.match(await shop.ended(job?.job_id ?? ""), { status: "completed" });
	await shop.close();
});

t.test(
	"jobs that their process let go begin again from their checkpoints, and are charged once",
	async (t) => {
		const world = createWorld(["one", "two"]);
		const gate = createGate();
		const passes: string[] = [];
		world.script.onPass = (pass) => {
			passes.push(pass);
			return pass === "two" && passes.length === 2 ? gate.pass() : undefined;
		};
		const shop = await openShop(world, { running: 1 });
		const { token, id } = await shop.issue(100n);
		const first = await shop.launch({ token, query: "a" });
		const waiting = await shop.launch({ token, query: "b" });
		while (passes.length < 2) await pause();
		shop.jobs.letGo();
		await shop.jobs.resume();
		for (const { job } of [first, waiting]) {
			t.match(await shop.ended(job?.job_id ?? ""), { status: "completed" });
		}
		t.same(passes, ["one", "two", "two", "one", "two"]);
		t.equal(await shop.balance(`held:${id}`), 0n);
		t.same(await shop.failures(), []);
		gate.open();
		await shop.close();
	},
);
