import t from "tap";
import { createTokenBucket } from "../../src/http/rates.js";
import type { Clock } from "../../src/kernel/clock.js";

function start(keysMax = 10) {
	const state = { ms: 0 };
	const clock = { monotonicMs: () => state.ms } as Partial<Clock> as Clock;
	return { take: createTokenBucket({ clock, perMinute: 2, keysMax }), state };
}

t.test("however long the machine has run, all calls of a minute may come at once", (t) => {
	for (let uptimeMs = 12_345.678; uptimeMs < 1e11; uptimeMs *= 1.0987) {
		const clock = { monotonicMs: () => uptimeMs } as Partial<Clock> as Clock;
		const take = createTokenBucket({ clock, perMinute: 60, keysMax: 10 });
		for (let call = 0; call < 60; call++) take("a");
		t.throws(() => take("a"), { code: "RATE_LIMITED" }, `${uptimeMs}`);
	}
	t.end();
});

t.test("a key that used up its calls is answered when the next one is free", (t) => {
	const { take, state } = start();
	take("a");
	take("a");
	t.throws(() => take("a"), { code: "RATE_LIMITED", retryAfterSeconds: 30 });
	take("b");
	state.ms = 20_000;
	t.throws(() => take("a"), { code: "RATE_LIMITED", retryAfterSeconds: 10 });
	state.ms = 30_000;
	take("a");
	t.throws(() => take("a"), { code: "RATE_LIMITED" });
	state.ms = 3_600_000;
	take("a");
	take("a");
	t.throws(
		() => take("a"),
		{ code: "RATE_LIMITED" },
		"a long pause gives no more than a minute's calls",
	);
	t.end();
});

t.test("only so many keys are remembered: the one that called longest ago is forgotten", (t) => {
	const { take } = start(2);
	take("a");
	take("a");
	take("b");
	take("b");
	t.throws(() => take("a"));
	take("c");
	t.throws(() => take("a"), "a called after b and is still known");
	take("b");
	t.end();
});
