import t from "tap";
import { createJobQueue } from "../../src/jobs/job-runner.js";
import { type Observed, observeState } from "../../src/telemetry/gauges.js";
import { manualClock } from "../support/manual-clock.js";
import { createNotes } from "./noted-recorder.js";

const NOW = "2026-03-01T12:00:00Z";

function openGauges(changes: Partial<Observed> = {}) {
	const { recorder, sources } = createNotes();
	observeState(
		{ recorder, clock: manualClock(NOW) },
		{
			jobs: { load: () => ({ waiting: 3, running: 1 }) },
			guard: { isSelling: () => true },
			onchain: undefined,
			catalog: { list: () => [] },
			feeds: { registry: async () => new Map(), recall: () => Promise.reject(new Error()) },
			...changes,
		},
	);
	const read = async () =>
		Object.fromEntries(
			(await Promise.all(sources.map(async (source) => source())))
				.flat()
				.map(({ metric, labels = {}, value }) => [
					[metric, ...Object.values(labels)].join(" "),
					value,
				]),
		);
	return read;
}

t.test("jobs and the soundness of the books are exported as they are then", async (t) => {
	let isSound = true;
	const read = openGauges({ guard: { isSelling: () => isSound } });
	t.match(await read(), {
		"tollgraph_jobs waiting": 3,
		"tollgraph_jobs running": 1,
		tollgraph_ledger_sound: 1,
		tollgraph_graphs: 0,
	});
	isSound = false;
	t.match(await read(), { tollgraph_ledger_sound: 0 });
});

t.test("payments that are not at an end are exported where a chain is configured", async (t) => {
	const none = await openGauges()();
	t.notOk(Object.keys(none).some((name) => name.includes("payments")));
	const openPayments = () => ({ unknown: 2, refused: 1, settled: 4 });
	t.match(await openGauges({ onchain: { openPayments } })(), {
		"tollgraph_payments_open unknown": 2,
		"tollgraph_payments_open refused": 1,
		"tollgraph_payments_open undelivered": 4,
	});
});

t.test("a feed has the age of its value, and its failures while there are some", async (t) => {
	const feeds = {
		registry: async () => new Map(["a:one", "b:two"].map((id) => [id, { id }])),
		recall: async ({ id }: { id: string }) =>
			id === "a:one"
				? {
						kept: { origin: "source", retrievedAt: Date.parse(NOW) - 90_000 },
						reason: undefined,
						failures: 0,
					}
				: { kept: undefined, reason: "It did not answer.", failures: 2 },
	} as unknown as Observed["feeds"];
	const read = await openGauges({ feeds })();
	const ofFeeds = Object.entries(read).filter(([name]) => name.includes("feed"));
	t.same(ofFeeds, [
		["tollgraph_feed_age_seconds a:one source", 90],
		["tollgraph_feed_failures b:two", 2],
	]);
});

t.test("a queue knows how many jobs wait in it, and how many it has handed out", async (t) => {
	const queue = createJobQueue();
	queue.push({ id: "job_1", owner: "ann" });
	queue.push({ id: "job_2", owner: "bob" });
	t.same(queue.load(), { waiting: 2, running: 0 });
	queue.next();
	t.same(queue.load(), { waiting: 1, running: 1 });
	queue.remove("job_2");
	queue.end("ann");
	queue.next();
	t.same(queue.load(), { waiting: 0, running: 0 });
});
