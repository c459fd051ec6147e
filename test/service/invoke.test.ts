import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import t from "tap";
import { createSkillServices } from "../../src/app/services.js";
import { bindSkills } from "../../src/contract/bind-skills.js";
import type { Call } from "../../src/contract/call.js";
import type { Skill } from "../../src/contract/skill.js";
import { watchCaller } from "../../src/http/response.js";
import { systemClock } from "../../src/kernel/clock.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import type { Admission, Cashier } from "../../src/sales/cashier.js";
import { createInvoke } from "../../src/sales/invoke.js";
import { OPERATIONS } from "../../src/service/service.js";
import { listenOnLoopback } from "../support/listen-on-loopback.js";
import { createTestResearch } from "../support/test-research.js";
import { emptySearch } from "./empty-search.js";
import { DOMAIN_GRAPH } from "./sample-graphs.js";

/** The pipeline over one skill, with a cashier that holds everybody's money and reports what became of it. */
function start(run: Skill["run"]) {
	const released: string[] = [];
	const cashier: Partial<Cashier> = {
		payerOf: async () => undefined,
		admit: async () =>
			({
				kind: "held",
				id: "hold_test",
				release: async (reason: string) => {
					released.push(reason);
					return { balanceMicros: undefined };
				},
			}) as unknown as Admission,
	};
	const skills = bindSkills(
		OPERATIONS,
		createSkillServices({
			catalog: createGraphCatalog([DOMAIN_GRAPH]),
			search: emptySearch,
			clock: systemClock,
			baseUrl: () => "https://example.org",
			research: createTestResearch(),
		}),
	);
	const invoke = createInvoke({
		skills: { ...skills, "search.domain": { ...skills["search.domain"], run } },
		cashier: cashier as Cashier,
		recordUsage: () => undefined,
		clock: systemClock,
	});
	const ask = (signal: AbortSignal) =>
		invoke({
			operationId: "search.domain",
			rawInput: { query: "x" },
			credential: undefined,
			idempotencyKey: undefined,
			requestId: "req_1",
			transport: "rest",
			resourceUrl: "http://localhost",
			signal,
		} satisfies Call);
	return { ask, released };
}

t.test("a skill that throws before it waits costs nothing and leaves no loose end", async (t) => {
	const { ask, released } = start(() => {
		throw new Error("broken skill");
	});
	const loose: unknown[] = [];
	const onLoose = (error: unknown) => loose.push(error);
	process.on("unhandledRejection", onLoose);
	t.teardown(() => process.off("unhandledRejection", onLoose));
	const caller = new AbortController();
	await t.rejects(ask(caller.signal), { message: "broken skill" });
	t.same(released, ["failed"]);
	caller.abort(new Error("The caller left."));
	await setImmediate();
	t.same(loose, []);
});

t.test("a caller who leaves while the skill works gets the money back", async (t) => {
	const caller = new AbortController();
	const { ask, released } = start(() => {
		caller.abort(new Error("The caller left."));
		return new Promise(() => undefined);
	});
	await t.rejects(ask(caller.signal), { message: "The caller left." });
	t.same(released, ["client_gone"]);
});

t.test("a caller who leaves in the instant in which the answer comes is not charged", async (t) => {
	const ended: string[] = [];
	let leave = () => undefined as unknown;
	const { ask, released } = start(async () => {
		leave();
		return { kind: "answer", result: {} };
	});
	const server = createServer((_, res) => {
		const watch = watchCaller(res, systemClock, 60_000);
		void ask(watch.signal).then(
			() => ended.push("answered"),
			({ message }) => ended.push(message),
		);
	});
	const port = await listenOnLoopback(t, server);
	for (const way of ["destroy", "end", "resetAndDestroy"] as const) {
		const socket = connect(port, "127.0.0.1");
		leave = () => socket[way]();
		socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
		await once(socket, "close");
		while (ended.length === 0) await setImmediate();
		t.same(ended.splice(0), ["The caller left."], way);
		t.same(released.splice(0), ["client_gone"], way);
	}
});
