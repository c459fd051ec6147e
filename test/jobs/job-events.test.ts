import t from "tap";
import type { JobEvent } from "../../src/jobs/job-events.js";
import { JOB_LIMITS } from "../../src/jobs/job-schemas.js";
import { createGate } from "../support/gate.js";
import { createWorld, type JobShop, openShop } from "./job-shop.js";

/** Follows a job from an event on until nothing more is reported. */
async function follow(
	shop: JobShop,
	{
		owner,
		id,
		after = 0,
		heard,
	}: { owner: string; id: string; after?: number; heard?: () => void },
): Promise<JobEvent[]> {
	const { signal } = new AbortController();
	const told: JobEvent[] = [];
	const events = await shop.operations.events({ owner, rail: "spt" }, id, { after, signal });
	for await (const event of events ?? []) {
		told.push(event);
		heard?.();
	}
	return told;
}

const namesOf = (told: readonly JobEvent[]) => told.map(({ event }) => event);
const LAST = /^research\.(completed|failed|cancelled)$/;

t.test("events rise over a restart, are sent again behind any of them, and end once", async (t) => {
	const world = createWorld(["one", "two"]);
	const gate = createGate();
	world.script.onPass = (pass, { emit }) => {
		emit({ event: "research.search", data: { pass } });
		return pass === "two" ? gate.pass() : undefined;
	};
	const before = await openShop(world);
	const { token, id: owner } = await before.issue(10n);
	const id = (await before.launch({ token })).job?.job_id ?? "";
	const first = follow(before, { owner, id });
	await gate.arrived;
	await before.jobs.close();
	const cutOff = await first;
	t.notOk(
		namesOf(cutOff).some((name) => LAST.test(name)),
		"it goes on after the restart",
	);
	const last = cutOff.at(-1)?.id ?? 0;
	t.match(cutOff.at(-1), { event: "research.search", data: { pass: "two" } });

	world.script.onPass = (pass, { emit }) => emit({ event: "research.search", data: { pass } });
	const after = await before.restart();
	const rest = await follow(after, { owner, id, after: last });
	await after.ended(id);
	const whole = await follow(after, { owner, id });
	for (const told of [[...cutOff, ...rest], whole]) {
		const ids = told.map((event) => event.id);
		t.same(
			ids,
			[...new Set(ids)].sort((a, b) => a - b),
			"each id once, rising",
		);
		t.equal(namesOf(told).filter((name) => LAST.test(name)).length, 1);
		t.match(namesOf(told).slice(-2), ["research.usage", "research.completed"]);
		t.equal(told[0]?.event, "research.created");
	}
	t.same(await follow(after, { owner, id, after: rest.at(-2)?.id ?? 0 }), rest.slice(-1));
	t.same(await follow(after, { owner, id, after: rest.at(-1)?.id ?? 0 }), []);
	gate.open();
	await after.close();
	await before.store.close().catch(() => undefined);
});

t.test("what is reported is bounded, and so are those who listen", async (t) => {
	const world = createWorld(["one"]);
	const gate = createGate();
	world.script.onPass = (_pass, { emit }) => {
		emit({ event: "research.evidence", data: { text: "x".repeat(JOB_LIMITS.eventChars) } });
		for (let count = 0; count < 2 * JOB_LIMITS.events; count++) {
			emit({ event: "research.evidence", data: { count } });
		}
		return gate.pass();
	};
	const shop = await openShop(world);
	const { token, id: owner } = await shop.issue(10n);
	const id = (await shop.launch({ token })).job?.job_id ?? "";
	await gate.arrived;
	const listening: Promise<JobEvent[]>[] = [];
	for (let count = 0; count < JOB_LIMITS.eventStreamsPerJob; count++) {
		await new Promise<void>((heard) => listening.push(follow(shop, { owner, id, heard })));
	}
	await t.rejects(follow(shop, { owner, id }), { code: "RATE_LIMITED" });
	gate.open();
	await shop.ended(id);
	for (const told of await Promise.all(listening)) {
		t.ok(told.length <= JOB_LIMITS.events + 2);
		t.equal(namesOf(told).filter((name) => LAST.test(name)).length, 1);
	}
	await shop.close();
});

t.test("who leaves is heard no more, and the work goes on", async (t) => {
	const world = createWorld(["one"]);
	const gate = createGate();
	world.script.onPass = () => gate.pass();
	const shop = await openShop(world);
	const { token, id: owner } = await shop.issue(10n);
	const id = (await shop.launch({ token })).job?.job_id ?? "";
	await gate.arrived;
	const leaving = new AbortController();
	const caller = { owner, rail: "spt" };
	const options = { after: 0, signal: leaving.signal };
	const events = await shop.operations.events(caller, id, options);
	const told: string[] = [];
	const heard = (async () => {
		for await (const { event } of events ?? []) told.push(event);
	})();
	await new Promise((resolve) => setTimeout(resolve, 5));
	leaving.abort();
	await heard;
	t.notOk(told.some((name) => LAST.test(name)));
	gate.open();
	t.match(await shop.ended(id), { status: "completed" });
	await shop.close();
});
