import t from "tap";
import type { JobHold, JobOpening, LaunchedAdmission } from "../../../payments/payment-method.js";
import { ServiceError } from "../../../src/kernel/errors.js";
import type { JobRow } from "../../../store/rows/result-rows.js";
import { changeRow, reportIn, reportingEnvelope } from "./reporting-envelope.js";
import {
	createWorld,
	type OnchainProcess,
	type Order,
	PRICE,
	startOnchain,
	toAdmission,
	toRequest,
} from "./start-onchain.js";

/** A process whose calls launch the one job there is room for. */
async function startJobs() {
	const world = createWorld();
	const envelopes = [reportingEnvelope(world.chain.terms)];
	const process = await startOnchain({ ...world, envelopes, repeatsWork: false });
	const opened: JobHold[] = [];
	const room = { places: 1 };
	const job: JobOpening = {
		id: "job_1",
		reserve() {
			if (room.places-- <= 0) throw new ServiceError("RATE_LIMITED", "The queue is full.");
		},
		async open(tx, held) {
			opened.push(held);
			await tx.put("jobs", { id: "job_1", owner: held.hold.owner, isProven: true } as JobRow);
		},
	};
	const sign = () => process.wallet.sign({ value: PRICE });
	const launch = async (authorization: ReturnType<typeof sign>, order: Order = {}) => {
		const request = toAdmission(process, authorization, { settlesFirst: true, ...order });
		const admission = await process.onchain.admit({ ...request, job });
		if (admission.kind !== "launched") throw new Error(`The call is ${admission.kind}.`);
		return admission;
	};
	const jobRow = () => process.store.read((reader) => reader.get("jobs", "job_1"));
	return { ...process, process, opened, room, sign, launch, jobRow };
}

const settleDown = async ({ store }: Pick<OnchainProcess, "store">) => {
	await store.transaction(async () => undefined);
	await new Promise((resolve) => setImmediate(resolve));
};

/** What a launch tells its payer of the money that the job holds. */
function assertReported(t: Tap, jobs: Jobs, launched: LaunchedAdmission, paymentId = ""): void {
	const { chain, wallet, clock } = jobs;
	const settlement = {
		...{ network: chain.terms.network, transaction: chain.transactions[0]?.hash },
		...{ payer: wallet.address, payment_id: paymentId },
	};
	t.strictSame(launched.settlement, settlement);
	t.strictSame(reportIn(launched.headers), {
		...{ kind: "settled", settlement, amountMicros: String(PRICE), at: clock.now() },
	});
}
type Tap = Pick<typeof t, "strictSame">;
type Jobs = Awaited<ReturnType<typeof startJobs>>;

t.test("a job is launched with the money of its payment, and reported once", async (t) => {
	const jobs = await startJobs();
	const { launch, sign, row, opened, wallet } = jobs;
	const authorization = sign();
	const launched = await launch(authorization);
	const found = await row(authorization);
	t.match(launched, {
		...{ kind: "launched", jobId: "job_1", isNew: true, balanceMicros: undefined },
		...{ payer: { owner: wallet.owner, rail: "x402" }, quote: { amountMicros: PRICE } },
	});
	assertReported(t, jobs, launched, found?.id);
	t.match(found, { state: "settled", jobId: "job_1", holdId: opened[0]?.hold.id });
	t.match(opened, [{ isProven: true, fingerprint: "search one", graphIds: ["a"] }]);
	await t.rejects(launch(authorization), { code: "IDEMPOTENCY_IN_FLIGHT" });
	launched.delivered?.();
	await settleDown(jobs);
	t.equal((await row(authorization))?.isDelivered, true);
	await t.rejects(launch(authorization), {
		code: "PAYMENT_ALREADY_USED",
		message: /^This payment has launched its job, whose id went to its payer\./,
		reply: { headers: { Report: new RegExp(found?.transactionHash ?? "none") } },
	});
	t.match(await jobs.jobRow(), { isProven: true });
	t.equal(opened.length, 1);
});

for (const state of ["settled", "captured", "credited"] as const) {
	t.test(`a job whose id was lost is reported once more, unproven, while ${state}`, async (t) => {
		const jobs = await startJobs();
		const { launch, sign, row, opened } = jobs;
		const authorization = sign();
		const lost = await launch(authorization);
		lost.abandoned?.({ isLost: true });
		await changeRow(jobs, authorization, { state });
		const again = await launch(authorization);
		t.match(again, { jobId: "job_1", isNew: false });
		assertReported(t, jobs, again, (await row(authorization))?.id);
		t.match(await row(authorization), { state, isDelivered: true });
		t.match(await jobs.jobRow(), { id: "job_1", isProven: false });
		again.abandoned?.({ isLost: true });
		await t.rejects(launch(authorization), { code: "PAYMENT_ALREADY_USED" });
		t.equal(opened.length, 1);
	});
}

t.test("a job that is gone is reported all the same, and not made again", async (t) => {
	const jobs = await startJobs();
	const authorization = jobs.sign();
	(await jobs.launch(authorization)).abandoned?.({ isLost: true });
	await jobs.store.transaction((tx) => tx.delete("jobs", "job_1"));
	t.match(await jobs.launch(authorization), { jobId: "job_1", isNew: false });
	t.equal(await jobs.jobRow(), undefined);
});

t.test(
	"with its retry key a job is reported as often as it is asked for, and proven",
	async (t) => {
		const jobs = await startJobs();
		const { launch, sign, row, opened, chain } = jobs;
		const first = sign();
		(await launch(first, { key: "k" })).abandoned?.({ isLost: false });
		for (let call = 0; call < 2; call++) {
			const again = await launch(first, { key: "k" });
			t.match(again, { jobId: "job_1", isNew: false });
			again.delivered?.();
			await settleDown(jobs);
		}
		const second = sign();
		const relaunched = await launch(second, { key: "k" });
		t.match(relaunched, { jobId: "job_1", isNew: false });
		assertReported(t, jobs, relaunched, (await row(first))?.id);
		t.match(await row(second), { state: "released", reason: "paid_before" });
		t.equal(chain.timesSettled(second.from, second.nonce), 0);
		t.match(await jobs.jobRow(), { isProven: true });
		t.equal(opened.length, 1);
		await jobs.store.transaction(async (tx) => {
			for (const { id } of await tx.list("payments")) await tx.delete("payments", id);
		});
		const forgotten = await launch(sign(), { key: "k" });
		t.match(forgotten, { jobId: "job_1", isNew: false });
		for (const name of ["settlement", "headers"]) t.notOk(Object.hasOwn(forgotten, name), name);
		forgotten.delivered?.();
	},
);

t.test("a job without room is paid for by no one, and its payment is free again", async (t) => {
	const jobs = await startJobs();
	const { launch, sign, row, facilitator, room } = jobs;
	room.places = 0;
	const authorization = sign();
	await t.rejects(launch(authorization), { code: "RATE_LIMITED" });
	t.match(await row(authorization), { state: "released", reason: "no_room" });
	t.equal(facilitator.settled(), 0);
	room.places = 1;
	t.match(await launch(authorization), { isNew: true });
});

/** A payment whose money came unseen under a retry key. */
async function startFunded() {
	const jobs = await startJobs();
	const { chain, facilitator, sign, launch, row } = jobs;
	facilitator.behavior = "silent";
	chain.isUnreadable = true;
	const first = sign();
	await t.rejects(launch(first, { key: "k" }), { code: "SETTLEMENT_UNKNOWN" });
	chain.isUnreadable = false;
	await jobs.later(5_000);
	t.equal((await row(first))?.state, "settled");
	facilitator.behavior = "strict";
	jobs.room.places = 1;
	return { ...jobs, first };
}

t.test("money that is here launches the job of the next payment under its key", async (t) => {
	const jobs = await startFunded();
	const { launch, sign, row, first, opened, onchain } = jobs;
	const second = sign();
	const launched = await launch(second, { key: "k" });
	t.match(launched, { jobId: "job_1", isNew: true });
	assertReported(t, jobs, launched, (await row(first))?.id);
	t.match(opened, [{ isProven: true, hold: { paymentId: (await row(first))?.id } }]);
	t.match(await launch(first, { key: "k" }), { isNew: false }, "the first is not busy");
	launched.delivered?.();
	await settleDown(jobs);
	t.match(await row(first), { jobId: "job_1", isDelivered: true });
	t.same(onchain.openPayments(), { unknown: 0, refused: 0, settled: 1 });
});

t.test("money that is here stays so where there is no room for its job", async (t) => {
	const jobs = await startFunded();
	const { launch, sign, row, first, room } = jobs;
	room.places = 0;
	for (const one of [first, sign()]) {
		await t.rejects(launch(one, { key: "k" }), { code: "RATE_LIMITED" });
		t.match(await row(first), { state: "settled", holdId: undefined });
	}
	room.places = 1;
	t.match(await launch(first, { key: "k" }), { isNew: true }, "no one is busy with it");
});

t.test("a purchase takes money that is here, and is reported once", async (t) => {
	const jobs = await startFunded();
	const { sign, row, first, onchain, chain } = jobs;
	const second = sign();
	const request = toRequest(jobs, second, { key: "k", settlesFirst: true });
	const bought = await onchain.purchase(request, async () => ({ value: 1, tokenId: "tok_1" }));
	t.equal(bought.settlement.payment_id, (await row(first))?.id);
	t.match(await row(first), { state: "captured", tokenId: "tok_1", isDelivered: true });
	t.match(await row(second), { state: "released", reason: "paid_before" });
	t.equal(chain.timesSettled(second.from, second.nonce), 0);
	for (const [one, boughtAs] of [
		[first, /has bought balance for the token tok_1/],
		[second, /has bought its answer; the receipt is rcpt_/],
	] as const) {
		await t.rejects(
			onchain.purchase(toRequest(jobs, one, { key: "k" }), async () => t.fail() as never),
			{ code: "PAYMENT_ALREADY_USED", message: boughtAs },
		);
	}
});

t.test("a payment that launched a job buys no balance", async (t) => {
	const { launch, sign, onchain, process } = await startJobs();
	const authorization = sign();
	(await launch(authorization)).abandoned?.({ isLost: false });
	await t.rejects(
		onchain.purchase(toRequest(process, authorization), async () => t.fail() as never),
		{ message: /^The payment pay_[0-9a-f]{32} launched a job\.$/ },
	);
});

t.test("a top-up shows no secret, so that a copy of its payment may fill the token", async (t) => {
	const world = createWorld({ kind: "silent" });
	world.chain.isUnreadable = true;
	const process = await startOnchain(world);
	const authorization = world.wallet.sign({ value: PRICE });
	const asked = toRequest(process, authorization);
	const request = { ...asked, quote: { ...asked.quote, operationId: "spt.top_up" as const } };
	const top = () => process.onchain.purchase(request, async () => ({ value: 1, tokenId: "tok_1" }));
	await t.rejects(top(), { code: "SETTLEMENT_UNKNOWN" });
	world.chain.isUnreadable = false;
	await process.later(5_000);
	t.match(await top(), { value: 1 });
	t.match(await process.row(authorization), { state: "captured", tokenId: "tok_1" });
});
