import t from "tap";
import type { Clock } from "../../src/kernel/clock.js";
import { systemClock } from "../../src/kernel/clock.js";
import { buildLexicalSegment } from "../../src/search/index/index-builder.js";
import { createIndexState, type IndexState } from "../../src/search/index/index-state.js";
import { createLinkGraphKeeper } from "../../src/search/ranking/link-graph-keeper.js";
import { sampleConcept, sampleGraph } from "./sample-graph.js";

async function stateOf(count: number): Promise<IndexState> {
	const concepts = Array.from({ length: count }, (_, number) => sampleConcept(`c${number}`));
	const graph = sampleGraph("g", concepts);
	const segment = await buildLexicalSegment(graph);
	return createIndexState([{ graph, parts: [{ segment, concepts, vectors: undefined }] }]);
}

/** A clock that advances by `stepMs` whenever it is looked at, and keeps what is to be done later. */
function steppingClock(stepMs: number) {
	let now = 0;
	const later: { delayMs: number; task: () => void }[] = [];
	const clock: Clock = {
		...systemClock,
		monotonicMs: () => (now += stepMs),
		after(delayMs, task) {
			later.push({ delayMs, task });
			return () => undefined;
		},
	};
	return { clock, later };
}

const nodesOf = (keeper: ReturnType<typeof createLinkGraphKeeper>) =>
	keeper.current()?.segmentOf.length;

t.test("nothing is at hand before the first graph is built", async (t) => {
	const keeper = createLinkGraphKeeper(systemClock);
	t.equal(keeper.current(), undefined);
	keeper.renew(await stateOf(2));
	await keeper.settle();
	t.equal(nodesOf(keeper), 2);
});

t.test("of states that follow one another only the last is built", async (t) => {
	const keeper = createLinkGraphKeeper(systemClock);
	for (const count of [1, 2, 3, 4]) keeper.renew(await stateOf(count));
	await keeper.settle();
	t.equal(nodesOf(keeper), 4);
});

t.test("a long build is followed by a rest, during which the older graph serves", async (t) => {
	const { clock, later } = steppingClock(100);
	const keeper = createLinkGraphKeeper(clock);
	keeper.renew(await stateOf(1));
	await keeper.settle();
	later.length = 0;
	keeper.renew(await stateOf(2));
	t.equal(nodesOf(keeper), 1);
	t.equal(later.length, 1);
	t.ok((later[0]?.delayMs ?? 0) > 500);
	later[0]?.task();
	await keeper.settle();
	t.equal(nodesOf(keeper), 2);
});

t.test("who must have the newest does not wait for the rest", async (t) => {
	const { clock } = steppingClock(100);
	const keeper = createLinkGraphKeeper(clock);
	for (const count of [1, 2]) {
		keeper.renew(await stateOf(count));
		await keeper.settle();
	}
	t.equal(nodesOf(keeper), 2);
});

t.test("nothing is built after the end", async (t) => {
	const { clock, later } = steppingClock(100);
	const keeper = createLinkGraphKeeper(clock);
	keeper.renew(await stateOf(1));
	await keeper.settle();
	keeper.renew(await stateOf(2));
	await keeper.close();
	for (const { task } of later) task();
	await new Promise(setImmediate);
	t.equal(nodesOf(keeper), 1);
});

t.test("a graph that cannot be built is logged, and the one before goes on serving", async (t) => {
	const messages: string[] = [];
	const logger = { info: () => undefined, error: (message: string) => void messages.push(message) };
	const keeper = createLinkGraphKeeper(systemClock, logger);
	keeper.renew(await stateOf(1));
	await keeper.settle();
	const state = await stateOf(2);
	const graphs = new Map(state.graphs);
	graphs.values = () => {
		throw new RangeError("Array buffer allocation failed");
	};
	keeper.renew({ ...state, graphs });
	await keeper.settle();
	t.equal(nodesOf(keeper), 1);
	t.match(messages, [/could not be brought up to date/]);
	keeper.renew(await stateOf(3));
	await keeper.settle();
	t.equal(nodesOf(keeper), 3, "it is tried again with the next state");
});

t.test("the first answers after a start do not wait for the first graph", async (t) => {
	const { clock, later } = steppingClock(0);
	const keeper = createLinkGraphKeeper(clock);
	keeper.renew(await stateOf(1));
	await new Promise(setImmediate);
	t.equal(keeper.current(), undefined);
	t.equal(later.length, 1);
	later[0]?.task();
	await keeper.settle();
	t.equal(nodesOf(keeper), 1);
});
