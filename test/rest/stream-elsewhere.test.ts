import t, { type Test } from "tap";
import { createArtifactRepository } from "../../src/artifacts/artifact-repository.js";
import type { Caller } from "../../src/contract/call.js";
import { systemClock } from "../../src/kernel/clock.js";
import { createKeptStreams } from "../../src/sales/stored-streams.js";
import { createStreamRecord, type FollowedStream } from "../../src/sales/stream-record.js";
import { createFakeDisk } from "../store/fake-disk.js";
import { openOn } from "../store/open-test-store.js";

const PAYER = { owner: "tok_a", rail: "spt" } as Caller;
const OPERATION = "search.domain";
const EVENTS = ["research.created", "research.summary", "research.completed"].map((event) => ({
	event,
	data: {},
}));

/** Two processes on the same books: one writes a stream, the other is asked for it. */
async function openTwo(t: Test) {
	const store = await openOn(createFakeDisk(), { clock: systemClock });
	t.teardown(() => store.close());
	// As the connection of who follows it does.
	const connection = setInterval(() => undefined, 1_000);
	t.teardown(() => clearInterval(connection));
	const artifacts = createArtifactRepository({ store, clock: systemClock });
	const open = () => createKeptStreams({ artifacts, store, clock: systemClock });
	const [writing, asked] = [open(), open()];
	const running = {
		record: createStreamRecord("str_1"),
		operationId: OPERATION,
		payer: PAYER,
		name: "name of it",
		receiptId: "rcpt_1",
	};
	const { forget, announcement } = writing.begin(running);
	await announcement;
	return { store, writing, asked, running, forget };
}

async function read(stream: FollowedStream, after = 0): Promise<readonly string[]> {
	const found: string[] = [];
	for await (const { id, event } of stream.follow(after, AbortSignal.timeout(10_000)))
		found.push(`${id} ${event}`);
	return found;
}

t.test(
	"a stream that another process writes is given once it has ended, from any place on",
	async (t) => {
		const { writing, asked, running, forget } = await openTwo(t);
		const byId = await asked.find(PAYER, { operationId: OPERATION, id: "str_1" });
		const byName = await asked.find(PAYER, { operationId: OPERATION, name: "name of it" });
		t.ok(byId && byName);
		await writing.keep(running, EVENTS);
		forget();
		t.same(await read(byId as FollowedStream, 1), ["2 research.summary", "3 research.completed"]);
		t.equal((await read(byName as FollowedStream)).length, 3);
		t.ok(await asked.find(PAYER, { operationId: OPERATION, name: "name of it" }), "and afterwards");
	},
);

t.test("nobody else's stream is found, nor one whose process has ended", async (t) => {
	const { store, asked } = await openTwo(t);
	const other = { owner: "tok_b", rail: "spt" } as Caller;
	t.equal(await asked.find(other, { operationId: OPERATION, id: "str_1" }), undefined);
	const followed = await asked.find(PAYER, { operationId: OPERATION, id: "str_1" });
	await store.transaction(async (tx) => {
		for (const row of await tx.findBy("streams", "streamId", "str_1"))
			await tx.put("streams", { ...row, processId: "proc_ended" });
	});
	t.same(await read(followed as FollowedStream), [], "who followed it is sent away");
	t.equal(await asked.find(PAYER, { operationId: OPERATION, id: "str_1" }), undefined);
});
