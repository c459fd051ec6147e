import type { Test } from "tap";
import { credit, START_MS } from "./open-test-store.js";
import type { OpenStore } from "./store-under-test.js";

export function textContract(t: Test, open: OpenStore): void {
	t.test("documents last until they expire", async (t) => {
		const { store, clock, reopen } = await open();
		const { documents } = store;
		await documents.put("art_1", "one", START_MS + 1_000);
		await documents.put("art_2", "zwei ✓", START_MS + 9_000_000);
		await documents.put("art_2", "two ✓", START_MS + 8_000_000);
		const again = (await reopen()).documents;
		t.equal(await again.get("art_1"), "one");
		t.equal(await again.get("art_2"), "two ✓");
		t.equal(await again.get("art_3"), undefined);
		clock.set(START_MS + 1_000);
		t.equal(await again.get("art_1"), undefined, "an expired one is not shown before the sweep");
		t.equal(await again.sweep(START_MS + 2_000), 1);
		t.equal(await again.sweep(START_MS + 2_000), 0);
		await again.delete("art_2");
		await again.delete("art_2");
		t.equal(await again.get("art_2"), undefined);
	});

	t.test("a document's id cannot lead anywhere else", async (t) => {
		const { documents } = (await open()).store;
		for (const id of [
			"",
			".",
			"..",
			"../x",
			"a/b",
			"a\\b",
			"a\u0000",
			".hidden",
			"x".repeat(200),
		]) {
			await t.rejects(documents.put(id, "text", START_MS + 1), { code: "INVALID_ARGUMENT" });
			await t.rejects(documents.get(id), { code: "INVALID_ARGUMENT" });
			await t.rejects(documents.delete(id), { code: "INVALID_ARGUMENT" });
		}
	});

	t.test("rows of one owner are read back, and overwritten where they stand", async (t) => {
		const { store, reopen } = await open();
		const row = (at: number, owner: string, query: string) => ({
			at,
			requestId: "req_1",
			owner,
			operationId: "graphs.search",
			transport: "rest",
			query,
			decision: "ANSWER",
			receiptId: undefined,
		});
		const queriesOf = async (owner: string) => {
			const found = [];
			for await (const { query } of store.queryLog.read(owner)) found.push(query);
			return found;
		};
		for (let index = 0; index < 2_000; index++) {
			const at = START_MS + (index % 3) * 86_400_000;
			store.queryLog.append(
				row(at, `acc_${index % 2}`, `${index} über "acc_1" \n ${"q".repeat(700)}`),
			);
		}
		t.equal((await queriesOf("acc_1")).length, 1_000);
		t.equal(await store.queryLog.erase("acc_1"), 1_000);
		t.equal(await store.queryLog.erase("acc_1"), 0);
		store.queryLog.append(row(START_MS, "acc_1", "later"));
		t.same(await queriesOf("acc_1"), ["later"]);
		t.equal((await queriesOf("acc_0")).length, 1_000);
		t.equal((await queriesOf("acc")).length, 0);
		await reopen();
	});

	t.test("rows of all owners are read by days, in order of the days", async (t) => {
		const { store, reopen } = await open();
		const row = (day: number, owner: string) => ({
			at: START_MS + day * 86_400_000,
			requestId: "req_1",
			owner,
			operationId: "graphs.search",
			transport: "rest",
			query: `day ${day}\nof "owner":`,
			decision: undefined,
			receiptId: undefined,
			unanswered: { priceUsd: "0.50", graphIds: ["energy"], places: [day] },
		});
		for (const day of [2, 0, 1]) store.queryLog.append(row(day, day === 1 ? "acc_1" : "acc_0"));
		const daysOf = async (span: { from?: string; to?: string }) => {
			const found = [];
			for await (const { unanswered } of store.queryLog.readDays(span))
				found.push(unanswered?.places?.[0]);
			return found;
		};
		const day = (days: number) => new Date(START_MS + days * 86_400_000).toISOString().slice(0, 10);
		t.same(await daysOf({}), [0, 1, 2]);
		t.same(await daysOf({ from: day(1) }), [1, 2]);
		t.same(await daysOf({ from: day(1), to: day(1) }), [1]);
		await store.queryLog.erase("acc_1");
		t.same(await daysOf({}), [0, 2], "what was overwritten is gone");
		await reopen();
	});

	t.test("the query log is dropped by whole days", async (t) => {
		const { store, reopen } = await open();
		const row = (at: number) => ({
			at,
			requestId: "req_1",
			owner: "tok_a",
			operationId: "graphs.search",
			transport: "rest",
			query: "what costs a call?",
			decision: "ANSWER",
			receiptId: undefined,
		});
		for (const day of [0, 0, 1, 2]) store.queryLog.append(row(START_MS + day * 86_400_000));
		const { queryLog } = await reopen();
		t.equal(await queryLog.dropBefore("2026-03-02"), 1);
		t.equal(await queryLog.dropBefore("2026-03-02"), 0);
		t.equal(await queryLog.dropBefore("2026-03-09"), 2);
		t.doesNotThrow(() => queryLog.append({ ...row(Number.NaN) }));
	});

	t.test("a closed store takes no more changes", async (t) => {
		const { store, reopen } = await open();
		await reopen();
		await t.rejects(credit(store, "cust:a", 1n), { code: "UNAVAILABLE", retryable: true });
		t.equal(store.health().status, "stopped");
	});
}
