import t from "tap";
import type { Call, CallResult } from "../../src/contract/call.js";
import type { Skill, SkillCatalog, SkillEvent } from "../../src/contract/skill.js";
import { systemClock } from "../../src/kernel/clock.js";
import { ServiceError } from "../../src/kernel/errors.js";
import { createCallWatch } from "../../src/telemetry/watch-calls.js";
import { createNotes } from "./noted-recorder.js";

const callOf = (signal: AbortSignal = new AbortController().signal): Call => ({
	operationId: "graphs.search",
	rawInput: {},
	credential: undefined,
	idempotencyKey: undefined,
	requestId: "req_1",
	transport: "mcp",
	resourceUrl: "mcp://tool/search",
	signal,
});

function openWatch() {
	const notes = createNotes();
	return { ...notes, watch: createCallWatch({ recorder: notes.recorder, clock: systemClock }) };
}

const outcomes = (counts: ReadonlyMap<string, number>) =>
	[...counts.keys()].flatMap((key) => {
		const [, outcome] = /^tollgraph_calls_total .*"outcome":"(\w+)"/.exec(key) ?? [];
		return outcome ?? [];
	});

t.test("a failure of ours, a refusal and a caller who has left are told apart", async (t) => {
	for (const [error, outcome, code] of [
		[new Error("out of order"), "failed", "INTERNAL"],
		[new ServiceError("UNAVAILABLE", "The store has stopped."), "failed", "UNAVAILABLE"],
		[new ServiceError("SPENDING_LIMIT", "That is too much."), "refused", "SPENDING_LIMIT"],
		[new ServiceError("PAYMENT_REQUIRED", "Pay first."), "challenged", "PAYMENT_REQUIRED"],
	] as const) {
		const { watch, counts, ended } = openWatch();
		const invoke = watch.invoke(() => Promise.reject(error));
		await t.rejects(invoke(callOf()), error);
		t.same(outcomes(counts), [outcome]);
		const refusal = `tollgraph_refusals_total ${JSON.stringify({ operation: "graphs.search", code })}`;
		t.equal(counts.get(refusal), 1, code);
		t.same(ended, ["call graphs.search"]);
	}
	const { watch, counts } = openWatch();
	const leaving = new AbortController();
	const invoke = watch.invoke(() => {
		leaving.abort();
		return Promise.reject(leaving.signal.reason);
	});
	await t.rejects(invoke(callOf(leaving.signal)));
	t.same(outcomes(counts), ["left"]);
	t.notOk([...counts.keys()].some((key) => key.includes("refusals")));
});

t.test("an answer and none are told apart, and pass as they are", async (t) => {
	for (const isAnswer of [true, false]) {
		const { watch, counts } = openWatch();
		const result = { isAnswer } as CallResult;
		t.equal(await watch.invoke(async () => result)(callOf()), result);
		t.same(outcomes(counts), [isAnswer ? "answered" : "no_answer"]);
	}
});

t.test("a question for the price counts where it is answered with one", async (t) => {
	const { watch, counts } = openWatch();
	await watch.demand(async () => undefined)(callOf());
	t.same(outcomes(counts), [], "the call itself follows");
	const error = new ServiceError("PAYMENT_REQUIRED", "Pay first.");
	await t.rejects(watch.demand(() => Promise.reject(error))(callOf()), error);
	t.same(outcomes(counts), ["challenged"]);
});

async function* countTo(last: number): AsyncGenerator<SkillEvent, void, undefined> {
	for (let number = 1; number <= last; number++) yield { event: "count", data: number };
	if (last === 0) throw new Error("nothing to count");
}

t.test("work that comes in pieces is one stage, however it ends", async (t) => {
	const work = 'tollgraph_stage_duration_seconds {"operation":"graphs.search","stage":"work"}';
	const example = {
		get exampleInput() {
			return { at: performance.now() };
		},
	};
	const skill = { ...example, stream: (last: number) => countTo(last) } as unknown as Skill;
	Object.defineProperties(skill, Object.getOwnPropertyDescriptors(example));
	const open = () => {
		const notes = openWatch();
		const skills = { "graphs.search": skill } as unknown as SkillCatalog;
		const watched = notes.watch.skills(skills)["graphs.search"] as unknown as {
			stream(last: number): AsyncIterable<SkillEvent>;
			readonly exampleInput: { readonly at: number };
		};
		return { ...notes, watched };
	};
	const whole = open();
	const seen: unknown[] = [];
	for await (const { data } of whole.watched.stream(2)) seen.push(data);
	t.same(seen, [1, 2]);
	t.equal(whole.counts.get(work), 1);
	t.not(whole.watched.exampleInput.at, whole.watched.exampleInput.at, "as it is each time");

	const left = open();
	for await (const _ of left.watched.stream(2)) break;
	t.equal(left.counts.get(work), 1, "of a caller who leaves early");

	const failed = open();
	await t.rejects(
		async () => {
			for await (const _ of failed.watched.stream(0)) t.fail("there is nothing");
		},
		{ message: "nothing to count" },
	);
	t.equal(failed.counts.get(work), 1);
	t.same([...whole.ended, ...left.ended, ...failed.ended], ["work", "work", "work"]);
});
