import t, { type Test } from "tap";
import type { Egress } from "../../src/kernel/outbound.js";
import { recordPause } from "../../src/webhooks/webhook-events.js";
import { manualClock } from "../support/manual-clock.js";
import { startApp } from "../support/start-app.js";

const DAY_MS = 86_400_000;

async function startShop(t: Test, callerEgress?: Egress) {
	const time = manualClock("2026-03-10T12:00:00Z");
	// What may take seconds takes for ever.
	const clock = {
		...time,
		after: (delayMs: number, task: () => void) =>
			delayMs > 2_000 ? () => undefined : time.after(delayMs, task),
	};
	const settings = { model: "none", catalog: "none" } as const;
	const app = await startApp(t, { clock, settings, ...(callerEgress && { callerEgress }) });
	const { token, id: owner } = await app.issueSpt("50");
	const post = (path: string, body: object) =>
		app.send(path, {
			method: "POST",
			headers: { "X-Pay-SPT": token, "Content-Type": "application/json" },
			body: JSON.stringify(body),
		});
	return { ...app, clock, owner, post };
}

t.test("a service that stops takes no calls while it waits for what is under way", async (t) => {
	let begin = () => {};
	let letGo = () => {};
	const begun = new Promise<void>((resolve) => {
		begin = resolve;
	});
	const held = new Promise<Response>((resolve) => {
		letGo = () => resolve(new Response(null, { status: 204 }));
	});
	const callerEgress: Egress = {
		request() {
			begin();
			return held;
		},
	};
	const { app, clock, owner, post, send } = await startShop(t, callerEgress);
	await post("/v1/webhooks", { url: "https://hooks.example.com/in" });
	await app.store.transaction((tx) =>
		recordPause(tx, { id: "sch_1", owner } as never, clock.now()),
	);
	const ticking = app.webhooks.dispatch.tick();
	await begun;
	const isRefused = () =>
		send("/openapi.json").then(
			({ status }) => status === 503,
			() => true,
		);
	t.notOk(await isRefused());
	let isClosed = false;
	const closing = app.close().then(() => {
		isClosed = true;
	});
	while (!(await isRefused())) {
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
	await new Promise((resolve) => setTimeout(resolve, 200));
	t.notOk(isClosed, "what is under way still has its time");
	t.equal(await app.webhooks.dispatch.tick(), 0, "nothing more is begun");
	letGo();
	await Promise.all([closing, ticking]);
});

t.test("a round over schedules begins none once it is asked to stop", async (t) => {
	const { app, clock, post } = await startShop(t);
	const order = { topic: "tidal power", frequency: "weekly" };
	t.equal((await post("/v1/research/schedules", order)).status, 200);
	clock.advance(7 * DAY_MS);
	t.equal(await app.schedules.worker.tick(AbortSignal.abort()), 0);
	t.equal(await app.schedules.worker.tick(), 1);
});
