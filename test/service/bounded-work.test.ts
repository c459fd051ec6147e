import t from "tap";
import { createBoundedWork } from "../../src/contract/bounded-work.js";

t.test("a few run, a few wait, and the next one is asked to come back", async (t) => {
	const bounded = createBoundedWork({ running: 1, waiting: 1 });
	const { signal } = new AbortController();
	let finish = (_: string) => {};
	const first = bounded(
		() =>
			new Promise<string>((resolve) => {
				finish = resolve;
			}),
		signal,
	);
	const second = bounded(async () => "second", signal);
	await t.rejects(
		bounded(async () => "third", signal),
		{ code: "RATE_LIMITED", retryAfterSeconds: 1 },
	);
	finish("first");
	t.same(await Promise.all([first, second]), ["first", "second"]);
	t.equal(await bounded(async () => "fourth", signal), "fourth");
});

t.test("work of a caller who leaves while it waits is never started", async (t) => {
	const bounded = createBoundedWork({ running: 1, waiting: 1 });
	const caller = new AbortController();
	const stays = new AbortController();
	let finish = () => {};
	const first = bounded(
		() =>
			new Promise<void>((resolve) => {
				finish = resolve;
			}),
		stays.signal,
	);
	let isStarted = false;
	const second = bounded(async () => {
		isStarted = true;
	}, caller.signal);
	caller.abort(new Error("The caller left."));
	finish();
	await first;
	await t.rejects(second, { message: "The caller left." });
	t.equal(isStarted, false);
});
