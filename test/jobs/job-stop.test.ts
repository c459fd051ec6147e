import t from "tap";
import { jobDocuments } from "../../src/contract/job.js";
import { JOB_LIMITS } from "../../src/jobs/job-schemas.js";
import { createGate } from "../support/gate.js";
import { ANONYMOUS, createWorld, openShop, PRICE, pause } from "./job-shop.js";

const DAY_MS = 24 * 3_600_000;

t.test(
	"a process that stops with open jobs ends cleanly, whatever they were about to do",
	async (t) => {
		const unhandled: unknown[] = [];
		const note = (reason: unknown) => unhandled.push(reason);
		process.on("unhandledRejection", note);
		t.teardown(() => process.off("unhandledRejection", note));
		for (let round = 0; round < 16; round++) {
			const world = createWorld();
			let runsLate = 0;
			world.script.onPass = async (_pass, { signal }) => {
				if (signal.aborted) runsLate += 1;
				await pause(0);
				signal.throwIfAborted();
			};
			const shop = await openShop(world);
			const { token, id } = await shop.issue(40n);
			for (const query of ["a", "b", "c", "d"]) await shop.launch({ token, query });
			await pause((round % 12) / 2);
			await shop.jobs.close();
			t.equal(runsLate, 0, "no pass begins once it is to stop");
			const held = await shop.balance(`held:${id}`);
			t.equal(held % 10_000_000n, 0n, "what is open is held whole");
			t.same(await shop.failures(), []);
			await shop.store.close();
		}
		await pause(5);
		t.same(unhandled, []);
	},
);

t.test("a job cancelled without an answer costs nothing, whenever it is cancelled", async (t) => {
	const world = createWorld(["one", "two"]);
	world.script.isAnswer = false;
	const shop = await openShop(world);
	const { token, id } = await shop.issue(30n);
	const caller = { owner: id, rail: "spt" };
	const free = { status: "cancelled", cost: { amount_usd: "0.00", charged: false, held: false } };

	for (const held of ["one", "two"]) {
		const gate = createGate();
		world.script.onPass = (pass) => (pass === held ? gate.pass() : undefined);
		const { job } = await shop.launch({ token });
		await gate.arrived;
		await shop.operations.cancel(caller, job?.job_id ?? "");
		t.match(await shop.ended(job?.job_id ?? ""), free, `in the pass ${held}`);
		gate.open();
	}

	world.script.onPass = () => undefined;
	const { documents } = shop.store;
	const put = documents.put.bind(documents);
	documents.put = async (name, ...rest) => {
		if (/^job_[^-]*$/.test(name)) await shop.operations.cancel(caller, name);
		return put(name, ...rest);
	};
	const { job } = await shop.launch({ token });
	t.match(await shop.ended(job?.job_id ?? ""), free, "while its last report is written");
	documents.put = put;
	t.equal(await shop.balance(`cust:${id}`), 3n * PRICE);

	const gate = createGate();
	world.script.onPass = (pass) => (pass === "two" ? gate.pass() : undefined);
	const authorization = world.wallet.sign({ value: PRICE });
	const paid = (await shop.launch({ authorization })).job?.job_id ?? "";
	await gate.arrived;
	await shop.operations.cancel(ANONYMOUS, paid);
	t.match(await shop.ended(paid), free);
	t.match((await shop.operations.status(ANONYMOUS, paid)).credit, { balance_usd: "10.00" });
	t.same(await shop.failures(), []);
	await shop.close();
});

t.test("a job cancelled before it found anything costs nothing", async (t) => {
	const world = createWorld();
	const shop = await openShop(world);
	const gate = createGate();
	world.script.onPass = () => gate.pass();
	const { token, id } = await shop.issue(10n);
	const { job } = await shop.launch({ token });
	await gate.arrived;
	await shop.operations.cancel({ owner: id, rail: "spt" }, job?.job_id ?? "");
	t.match(await shop.ended(job?.job_id ?? ""), { status: "cancelled", cost: { charged: false } });
	t.equal(await shop.balance(`cust:${id}`), PRICE);
	await shop.close();
});

t.test("a job deleted as soon as it has ended leaves no text behind", async (t) => {
	const world = createWorld(["one"]);
	const shop = await openShop(world);
	const { token } = await shop.issue(20n);
	const { documents } = shop.store;
	const put = documents.put.bind(documents);
	/** The last writing comes late, before or after the row is gone. */
	for (const isErased of [false, true]) {
		const gate = createGate();
		let last = Promise.resolve();
		documents.put = async (name, text, ...rest) => {
			if (name.endsWith("-work") && !text.includes('"state"')) {
				await gate.pass();
				last = put(name, text, ...rest);
				return last;
			}
			return put(name, text, ...rest);
		};
		const jobId = (await shop.launch({ token })).job?.job_id ?? "";
		await gate.arrived;
		const row = await shop.jobs.find(jobId);
		if (!row) throw new Error("no row");
		if (isErased) await shop.jobs.remove(row);
		else {
			const remove = shop.store.transaction.bind(shop.store);
			shop.store.transaction = async (work, ...rest) => {
				shop.store.transaction = remove;
				gate.open();
				while ((await documents.get(`${jobId}-work`)) === undefined) await pause();
				return remove(work, ...rest);
			};
			await shop.jobs.remove(row);
		}
		gate.open();
		await pause(5);
		await last;
		for (const name of [jobId, ...jobDocuments(jobId)]) {
			t.equal(await documents.get(name), undefined, name.slice(-5));
		}
		documents.put = put;
	}
	await shop.close();
});

t.test(
	"a cancelled job whose report cannot be kept ends without it, and costs nothing",
	async (t) => {
		const world = createWorld(["one", "two"]);
		const shop = await openShop(world);
		const { documents } = shop.store;
		const put = documents.put.bind(documents);
		documents.put = async (name, ...rest) => {
			if (/^job_[^-]*$/.test(name)) throw new Error("no space left");
			return put(name, ...rest);
		};
		const gate = createGate();
		world.script.onPass = (pass) => (pass === "two" ? gate.pass() : undefined);
		const { token, id } = await shop.issue(10n);
		const caller = { owner: id, rail: "spt" };
		const jobId = (await shop.launch({ token })).job?.job_id ?? "";
		await gate.arrived;
		await shop.operations.cancel(caller, jobId);
		t.match(await shop.ended(jobId), {
			status: "cancelled",
			cost: { charged: false, held: false },
		});
		t.equal((await shop.operations.status(caller, jobId)).report, null);
		t.equal(await shop.balance(`cust:${id}`), PRICE);
		t.same(await shop.failures(), []);
		await shop.close();
	},
);

t.test(
	"a job that is to be cancelled is over after a day, whatever stood in its way",
	async (t) => {
		const world = createWorld();
		const gate = createGate();
		world.script.onPass = () => gate.pass();
		const shop = await openShop(world);
		const { token, id } = await shop.issue(10n);
		const jobId = (await shop.launch({ token })).job?.job_id ?? "";
		await gate.arrived;
		await shop.store.transaction(async (tx) => {
			const row = await tx.get("jobs", jobId);
			if (row) await tx.put("jobs", { ...row, state: "cancelling" });
		});
		world.clock.set(world.clock.now() + JOB_LIMITS.lifeMs + 1);
		const after = await shop.restart();
		t.match(await after.ended(jobId), { status: "failed", stop_reason: "time" });
		t.equal(await after.balance(`cust:${id}`), PRICE);
		t.same(await after.failures(), []);
		await after.close();
		gate.open();
		await shop.close().catch(() => undefined);
	},
);

t.test("a job that no process took up for a day is over, its price released", async (t) => {
	const world = createWorld();
	const gate = createGate();
	world.script.onPass = () => gate.pass();
	const before = await openShop(world);
	const { token, id } = await before.issue(10n);
	const { job } = await before.launch({ token, key: "k" });
	await gate.arrived;
	world.clock.set(world.clock.now() + 3 * DAY_MS);
	const after = await before.restart();
	t.same(await after.failures(), []);
	t.match(await after.ended(job?.job_id ?? ""), { status: "failed", stop_reason: "time" });
	t.equal(await after.balance(`cust:${id}`), PRICE);
	await after.money.sweeper.forgetExpired();
	t.same(await after.failures(), []);
	await after.close();
	gate.open();
	await before.close().catch(() => undefined);
});

t.test("an open job cannot be deleted, an expired report not be read", async (t) => {
	const world = createWorld(["one"]);
	const gate = createGate();
	world.script.onPass = () => gate.pass();
	const shop = await openShop(world);
	const { token, id } = await shop.issue(10n);
	const caller = { owner: id, rail: "spt" };
	const jobId = (await shop.launch({ token })).job?.job_id ?? "";
	await t.rejects(shop.operations.remove(caller, jobId), { code: "INVALID_ARGUMENT" });
	await t.rejects(shop.operations.sources(caller, jobId), { code: "NOT_FOUND" });
	gate.open();
	await shop.ended(jobId);
	world.clock.set(world.clock.now() + DAY_MS + 1);
	t.match(await shop.operations.status(caller, jobId), {
		status: "expired",
		report: null,
		query: "q",
	});
	await t.rejects(shop.operations.export(caller, jobId, "md"), { code: "NOT_FOUND" });
	await shop.close();
});
