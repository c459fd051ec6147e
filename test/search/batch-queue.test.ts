import t from "tap";
import { createBatchQueue } from "../../src/search/dense/batch-queue.js";

t.test("items that arrive while a batch is away leave together, at most so many", async (t) => {
	const batches: number[] = [];
	const lane = createBatchQueue<string, number>({
		maxBatchItems: 4,
		maxWaitingItems: 10,
		async send(items) {
			batches.push(items.length);
			return items.map(Number);
		},
	});
	const first = lane.send("0");
	await Promise.resolve();
	const others = Array.from({ length: 9 }, (_, index) => lane.send(String(index + 1)));
	t.same(await Promise.all([first, ...others]), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
	t.same(batches, [1, 4, 4, 1]);
});

t.test("large items leave in smaller batches, the largest alone", async (t) => {
	const batches: (readonly string[])[] = [];
	const lane = createBatchQueue<string, string>({
		maxBatchItems: 4,
		maxBatchSize: 5,
		sizeOf: (item) => item.length,
		maxWaitingItems: 10,
		async send(items) {
			batches.push(items);
			return items;
		},
	});
	const items = ["aaaaaaaa", "bb", "cc", "dd", "e", "ffffff"];
	t.same(await Promise.all(items.map((item) => lane.send(item))), items);
	t.same(batches, [["aaaaaaaa"], ["bb", "cc"], ["dd", "e"], ["ffffff"]]);
});

function startGated(maxWaitingItems: number, isWanted: (item: string) => boolean = () => true) {
	let open: () => void = () => undefined;
	const gate = new Promise<void>((resolve) => {
		open = resolve;
	});
	const sent: string[] = [];
	const lane = createBatchQueue<string, string>({
		maxBatchItems: 1,
		maxWaitingItems,
		isWanted,
		async send(items) {
			sent.push(...items);
			await gate;
			return items;
		},
	});
	return { lane, sent, open: () => open() };
}

t.test("a crowd beyond the bound is refused at once", async (t) => {
	const { lane, open } = startGated(1);
	const first = lane.send("a");
	await Promise.resolve();
	const second = lane.send("b");
	await t.rejects(lane.send("c"), { code: "UNAVAILABLE", message: /already wait/ });
	open();
	t.same([await first, await second], ["a", "b"]);
});

t.test("what no caller wants any more when its turn comes is not sent", async (t) => {
	const gone = new Set<string>();
	const { lane, sent, open } = startGated(9, (item) => !gone.has(item));
	const asked = ["a", "b", "c"].map((item) => lane.send(item));
	await Promise.resolve();
	gone.add("b");
	open();
	t.same(await Promise.all(asked), ["a", undefined, "c"]);
	t.same(sent, ["a", "c"]);
	t.equal(await lane.send("d"), "d", "the lane goes on");
});

t.test("a batch that fails rejects its own items only", async (t) => {
	let calls = 0;
	const lane = createBatchQueue<string, string>({
		maxBatchItems: 2,
		maxWaitingItems: 9,
		async send(items) {
			if (++calls === 1) throw new Error("lost");
			return items;
		},
	});
	const asked = ["a", "b", "c"].map((item) => lane.send(item));
	const outcomes = await Promise.allSettled(asked);
	t.same(
		outcomes.map(({ status }) => status),
		["rejected", "rejected", "fulfilled"],
	);
});
