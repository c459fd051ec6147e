import t, { type Test } from "tap";
import { createArtifactRepository } from "../../src/artifacts/artifact-repository.js";
import type { Caller } from "../../src/contract/call.js";
import type { SkillEvent } from "../../src/contract/skill.js";
import { type Clock, systemClock } from "../../src/kernel/clock.js";
import { createIds, systemRandom } from "../../src/kernel/ids.js";
import { createInterruptedStreams } from "../../src/sales/interrupted-streams.js";
import { createInvokeStream } from "../../src/sales/invoke-stream.js";
import { createSoldStreams } from "../../src/sales/sold-streams.js";
import { createKeptStreams } from "../../src/sales/stored-streams.js";
import { createStreamRecord } from "../../src/sales/stream-record.js";
import type { RunningStream } from "../../src/sales/stream-rows.js";
import type { Store } from "../../store/store.js";
import { createFakeDisk } from "../store/fake-disk.js";
import { openOn } from "../store/open-test-store.js";
import { manualClock } from "../support/manual-clock.js";
import { dataOf, open, readText, startStream } from "./start-stream.js";

const PAYER = { owner: "eip155:1:0xabc", rail: "x402" } as Caller;
const OPERATION = "search.domain" as const;
const CREATED = [{ event: "research.created", data: {} }];

async function openBooks(t: Test, clock: Clock = systemClock) {
	const store = await openOn(createFakeDisk(), { clock });
	t.teardown(() => store.close());
	const artifacts = createArtifactRepository({ store, clock });
	const kept = createKeptStreams({ artifacts, store, clock });
	const interrupted = createInterruptedStreams({ store, clock });
	for (const id of ["rcpt_1", "rcpt_2"])
		await store.transaction((tx) =>
			tx.put("receipts", { id, owner: PAYER.owner, amountMicros: 500_000n } as never),
		);
	const running = (id: string, more: object = {}): RunningStream => ({
		...{ record: createStreamRecord(id), operationId: OPERATION, payer: PAYER },
		...{ name: "name", receiptId: "rcpt_1", ...more },
	});
	return { store, kept, interrupted, running };
}

/** As if the process that writes streams now had been killed. */
async function endProcess(store: Store): Promise<void> {
	await store.transaction(async (tx) => {
		for (const row of await tx.list("streams"))
			if (row.processId !== undefined) await tx.put("streams", { ...row, processId: "proc_ended" });
	});
}

t.test("a stream is found by its first id, however often its process ended", async (t) => {
	const { store, kept, interrupted, running } = await openBooks(t);
	const { announcement, forget } = kept.begin(running("str_1"));
	await announcement;
	for (const [before, next] of [
		["str_1", "str_2"],
		["str_2", "str_3"],
	] as const) {
		t.equal(await interrupted.find(PAYER, { id: "str_1" }), undefined, "while it is written");
		await endProcess(store);
		const left = await interrupted.find(PAYER, { id: "str_1" });
		t.match(left, { row: { streamId: before, name: "name" }, receipt: { id: "rcpt_1" } });
		if (!left) return;
		const { record, name } = running(next);
		t.equal(await interrupted.takeUp(left, { record, name, payer: PAYER }), true);
		t.equal(await interrupted.takeUp(left, { record, name, payer: PAYER }), false, "once");
	}
	forget();
	await kept.keep(running("str_3"), CREATED);
	for (const id of ["str_1", "str_2", "str_3"])
		t.equal((await kept.find(PAYER, { operationId: OPERATION, id }))?.id, "str_3", id);
	await kept.keep(running("str_1"), CREATED);
	const late = await kept.find(PAYER, { operationId: OPERATION, name: "name" });
	t.equal(late?.id, "str_3", "what a process writes late that was taken for ended takes no place");
});

t.test("two streams of one question have a row each", async (t) => {
	const { store, kept, interrupted, running } = await openBooks(t);
	await kept.begin(running("str_1")).announcement;
	await kept.begin(running("str_2", { receiptId: "rcpt_2" })).announcement;
	await kept.keep(running("str_1"), CREATED);
	const latest = await kept.find(PAYER, { operationId: OPERATION, name: "name" });
	t.equal(latest?.id, "str_2", "the name leads to the later one");
	await endProcess(store);
	t.match(await interrupted.find(PAYER, { id: "str_2" }), { receipt: { id: "rcpt_2" } });
	t.equal(await interrupted.find(PAYER, { id: "str_1" }), undefined, "the other is kept");
});

t.test("what could not be kept is begun anew once its time is over", async (t) => {
	const clock = manualClock("2026-11-22T12:00:00Z");
	const { store, interrupted, running } = await openBooks(t, clock);
	const full = { keep: () => Promise.reject(new Error("full")), find: async () => undefined };
	const kept = createKeptStreams({ artifacts: full, store, clock });
	const { announcement, forget } = kept.begin(running("str_1"));
	await announcement;
	await kept.keep(running("str_1"), CREATED);
	forget();
	t.equal(await interrupted.find(PAYER, { id: "str_1" }), undefined);
	clock.advance(120_000);
	t.equal(await kept.find(PAYER, { operationId: OPERATION, id: "str_1" }), undefined);
	t.ok(await interrupted.find(PAYER, { id: "str_1" }), "though its process goes on");
});

t.test("a stream is noted again while the database is away for a moment", async (t) => {
	const clock: Clock = { ...systemClock, after: (_, ...rest) => systemClock.after(1, ...rest) };
	const { store, interrupted, running } = await openBooks(t);
	let failures = 3;
	const away: Pick<Store, "read" | "transaction"> = {
		read: store.read,
		transaction: (work, options) =>
			failures-- > 0 ? Promise.reject(new Error("away")) : store.transaction(work, options),
	};
	const artifacts = createArtifactRepository({ store, clock });
	const kept = createKeptStreams({ artifacts, store: away, clock });
	await kept.begin(running("str_1")).announcement;
	await endProcess(store);
	t.ok(await interrupted.find(PAYER, { id: "str_1" }));
	failures = 99;
	const { announcement } = kept.begin(running("str_2"));
	await announcement;
	t.equal(await interrupted.find(PAYER, { id: "str_2" }), undefined, "not for ever");
});

t.test("what may not be kept leaves no row", async (t) => {
	const { store, running } = await openBooks(t);
	const silent = { keep: async () => undefined, find: async () => undefined };
	const kept = createKeptStreams({ artifacts: silent, store, clock: systemClock });
	await kept.begin(running("str_1")).announcement;
	t.equal((await store.read((reader) => reader.list("streams"))).length, 2);
	await kept.keep(running("str_1"), CREATED);
	t.same(await store.read((reader) => reader.list("streams")), []);
});

t.test("begun anew its events have higher ids, and money that went back ends it", async (t) => {
	let works = 0;
	let isHanging = true;
	async function* stream(): AsyncGenerator<SkillEvent> {
		works += 1;
		yield { event: "research.evidence", data: { n: works }, isEvidence: true };
		if (isHanging) await new Promise(() => undefined);
		yield { event: "research.output.delta", data: { n: works } };
	}
	const { testApp, url, streams } = await startStream(t, stream);
	const { token } = await testApp.issueSpt("9.00");
	const reading = readText(await open(url, token));
	while (works === 0) await new Promise((resolve) => setTimeout(resolve, 20));
	await streams.stop();
	t.match(await reading, /research\.cancelled/);
	const { stream_id: firstId } = dataOf(await reading, "research.created");
	isHanging = false;

	const { service, money, store } = testApp.app;
	const clock = systemClock;
	await endProcess(store);
	const other = () => {
		const skill = { ...service.skills[OPERATION], capture: "beforeFirstEvent" as const, stream };
		const skills = { ...service.skills, [OPERATION]: skill };
		const artifacts = createArtifactRepository({ store, clock });
		const recordUsage = () => undefined;
		return createSoldStreams({
			invokeStream: createInvokeStream({ skills, cashier: money.cashier, recordUsage }),
			...{ skills, clock, kept: createKeptStreams({ artifacts, store, clock }) },
			interrupted: createInterruptedStreams({ store, clock }),
			ids: createIds({ clock, random: systemRandom }),
		});
	};
	const caller = await service.identify({ scheme: "spt", token });
	const rawInput = { ...Object.fromEntries(new URL(url).searchParams) };
	const request = {
		...{ operationId: OPERATION, rawInput, idempotencyKey: undefined, requestId: "req_1" },
		streamId: undefined,
	} as const;
	const placesAfter = async (after: number) => {
		const places: number[] = [];
		const followed = await other().resume(caller, request);
		for await (const { id } of followed.follow(after, AbortSignal.timeout(5_000))) places.push(id);
		return { id: followed.id, places };
	};
	const row = (await store.read((reader) => reader.list("streams"))).find(({ name }) => name);
	const receiptId = row?.receiptId ?? "";
	const back = (amountMicros: bigint) =>
		store.transaction((tx) =>
			tx.put("refunds", { id: "rfd_1", ref: receiptId, amountMicros, state: "paid" } as never),
		);
	await back(500_000n);
	works = 0;
	await t.rejects(other().resume(caller, request), { code: "NOT_FOUND" });
	t.equal(works, 0, "nothing is worked for whose price went back");
	await back(100_000n);
	const anew = await placesAfter(3);
	t.not(anew.id, firstId);
	t.same(anew.places, [10_001, 10_002, 10_003, 10_004, 10_005], "none is left out");
	t.same(await placesAfter(10_003), { id: anew.id, places: [10_004, 10_005] });
	t.equal(works, 1);
});
