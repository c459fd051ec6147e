import t from "tap";
import { JOB_LIMITS } from "../../src/jobs/job-schemas.js";
import { ServiceError, unavailable } from "../../src/kernel/errors.js";
import type { Store } from "../../store/store-port.js";
import { createGate } from "../support/gate.js";
import { createWorld, impatient, type JobShop, openShop, PRICE, pause } from "./job-shop.js";

interface Absence {
	/** The first of the accesses that fail, from the call of this function on, and how many follow it. */
	readonly from: number;
	readonly length: number;
	/** Whether what fails was done all the same, and only its answer was lost. */
	readonly isDone: boolean;
}

/** Lets a store be away for some accesses; returns how many there have been. */
function leave(store: Store, { from, length, isDone }: Absence): () => number {
	let accesses = 0;
	const through =
		<Given extends unknown[], T>(act: (...given: Given) => Promise<T>) =>
		async (...given: Given): Promise<T> => {
			accesses += 1;
			if (accesses < from || accesses >= from + length) return act(...given);
			if (isDone) await act(...given);
			throw unavailable("The database is away.");
		};
	const { documents } = store;
	store.transaction = through(store.transaction.bind(store)) as Store["transaction"];
	store.read = through(store.read.bind(store)) as Store["read"];
	documents.put = through(documents.put.bind(documents));
	documents.get = through(documents.get.bind(documents));
	return () => accesses;
}

async function untilBack<T>(ask: () => Promise<T>): Promise<T> {
	for (;;) {
		try {
			return await ask();
		} catch (error) {
			if (!(error instanceof ServiceError && error.code === "UNAVAILABLE")) throw error;
		}
	}
}

async function launchUntilBack(shop: JobShop, token: string) {
	for (;;) {
		const { job, code } = await shop.launch({ token, key: "k" });
		if (job) return job.job_id;
		if (code !== "UNAVAILABLE") throw new Error(code);
	}
}

/** One job from its launch to its end beside a store that is away for a while; undefined once it was away after all of that. */
async function runBeside(absence: Absence) {
	const shop = await openShop(impatient(createWorld(["one", "two"])));
	const { token, id } = await shop.issue(30n);
	const accesses = leave(shop.store, absence);
	const jobId = await launchUntilBack(shop, token);
	const job = await untilBack(() => shop.ended(jobId));
	const wasReached = accesses() >= absence.from;
	const charged = 3n * PRICE - (await untilBack(() => shop.balance(`cust:${id}`)));
	const held = await untilBack(() => shop.balance(`held:${id}`));
	const failures = await untilBack(() => shop.failures());
	await shop.close();
	return wasReached ? { job, charged, held, failures } : undefined;
}

for (const isDone of [false, true]) {
	for (const length of [1, 7]) {
		const title = `a job waits for a store that is away for ${length} accesses${isDone ? ", all of them done" : ""}`;
		t.test(`${title}, and is charged once`, async (t) => {
			let from = 1;
			for (; ; from++) {
				const end = await runBeside({ from, length, isDone });
				if (!end) break;
				const { job, charged, held, failures } = end;
				t.match(job, { status: "completed" }, `${from}`);
				t.equal(charged, PRICE);
				t.equal(held, 0n);
				t.same(failures, []);
			}
			t.ok(from > 20, "all accesses of a job were tried");
		});
	}
}

t.test(
	"a job whose question cannot be written for long fails, uncharged, as it is answered",
	async (t) => {
		const shop = await openShop(impatient(createWorld(["one"])));
		const { token, id } = await shop.issue(10n);
		const { documents } = shop.store;
		const put = documents.put.bind(documents);
		documents.put = async () => {
			throw unavailable("The database is away.");
		};
		t.equal((await shop.launch({ token })).code, "UNAVAILABLE");
		documents.put = put;
		const [row] = await shop.store.read((reader) => reader.list("jobs"));
		t.match(await shop.ended(row?.id ?? ""), { status: "failed", stop_reason: "lost" });
		t.equal(await shop.balance(`cust:${id}`), PRICE);
		t.same(await shop.failures(), []);
		await shop.close();
	},
);

t.test("a question that was lost with its process comes with the caller's next try", async (t) => {
	for (const isLate of [false, true]) {
		const world = impatient(createWorld(["one"]));
		const shop = await openShop(world);
		const { token, id } = await shop.issue(10n);
		const gate = createGate();
		shop.store.documents.put = () => gate.pass();
		const launched = shop.launch({ token, key: "k" });
		await gate.arrived;
		const after = await shop.restart();
		const [row] = await after.store.read((reader) => reader.list("jobs"));
		if (isLate) {
			world.clock.set(world.clock.now() + JOB_LIMITS.questionMs);
			t.match(await after.ended(row?.id ?? ""), { status: "failed", stop_reason: "lost" });
			t.equal(await after.balance(`cust:${id}`), PRICE, "nothing was charged");
		}
		const again = (await after.launch({ token, key: "k" })).job?.job_id ?? "";
		t.equal(again === row?.id, !isLate, "the same job, unless it has failed");
		t.match(await after.ended(again), { status: "completed" });
		t.equal((await after.launch({ token, key: "k" })).job?.job_id, again);
		t.equal(await after.balance(`cust:${id}`), 0n, "charged once");
		t.same(await after.failures(), []);
		await after.close();
		gate.open();
		await launched;
		await shop.close().catch(() => undefined);
	}
});

t.test(
	"several jobs that wait for their questions are all taken up, however often they were cut off",
	async (t) => {
		const world = impatient(createWorld(["one"]));
		const shop = await openShop(world);
		const { token, id } = await shop.issue(50n);
		const gate = createGate();
		shop.store.documents.put = () => gate.pass();
		const keys = ["a", "b", "c", "d", "e"];
		const launched = keys.map((key) => shop.launch({ token, key }));
		for (;;) {
			const rows = await shop.store.read((reader) => reader.list("jobs"));
			if (rows.length === keys.length) break;
			await pause();
		}
		const after = await shop.restart();
		// Time for many looks, each of which finds them without their questions.
		await pause(100);
		const again = await Promise.all(keys.map((key) => after.launch({ token, key })));
		for (const { job } of again)
			t.match(await after.ended(job?.job_id ?? ""), { status: "completed" });
		t.equal(await after.balance(`cust:${id}`), 0n);
		t.same(await after.failures(), []);
		await after.close();
		gate.open();
		await Promise.all(launched);
		await shop.close().catch(() => undefined);
	},
);

t.test(
	"a pass that finds the store away again and again fails the job after some starts",
	async (t) => {
		const world = impatient(createWorld(["one", "two"]));
		const shop = await openShop(world);
		let starts = 0;
		world.script.onPass = (pass) => {
			if (pass === "one") return;
			starts += 1;
			throw unavailable("The database is away.");
		};
		const { token, id } = await shop.issue(10n);
		const jobId = (await shop.launch({ token })).job?.job_id ?? "";
		t.match(await shop.ended(jobId), { status: "failed", stop_reason: "restarts" });
		t.equal(starts, JOB_LIMITS.passStarts);
		t.same(world.script.ran, ["q one"], "what was done is not done again");
		t.equal(await shop.balance(`cust:${id}`), PRICE);
		await shop.close();
	},
);

t.test(
	"a process that stops while a job waits for its store leaves it to the next one",
	async (t) => {
		const world = createWorld(["one"]);
		const shop = await openShop(world);
		const gate = createGate();
		world.script.onPass = async () => {
			await gate.pass();
			throw unavailable("The database is away.");
		};
		const { token, id } = await shop.issue(10n);
		const jobId = (await shop.launch({ token })).job?.job_id ?? "";
		await gate.arrived;
		gate.open();
		await new Promise((resolve) => setImmediate(resolve));
		world.script.onPass = () => undefined;
		const after = await shop.restart();
		t.match(await after.ended(jobId), { status: "completed" });
		t.equal(await after.balance(`cust:${id}`), 0n);
		await after.close();
		await shop.close();
	},
);
