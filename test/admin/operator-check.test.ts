import t from "tap";
import { heldClock } from "../support/held-clock.js";
import { startApp } from "../support/start-app.js";

const EMPTY = { model: "none", catalog: "none", profile: "production" } as const;

t.test("what a proxy on this machine forwards finds no admin API", async (t) => {
	const { send, app } = await startApp(t, { settings: EMPTY });
	const Authorization = `Bearer ${app.adminToken}`;
	t.equal((await send("/v1/admin/graphs", { headers: { Authorization } })).status, 200);
	for (const header of [
		{ Forwarded: "for=203.0.113.9" },
		{ "X-Forwarded-For": "203.0.113.9" },
		{ "X-Forwarded-For": "127.0.0.1" },
		{ "X-Forwarded-Proto": "https" },
		{ "X-Forwarded-Host": "shop.example" },
		{ "X-Real-IP": "203.0.113.9" },
		{ Via: "1.1 proxy" },
	] as Record<string, string>[]) {
		for (const path of ["/v1/admin/graphs", "/V1/Admin/graphs", "/v1/admin"]) {
			const { status, body } = await send(path, { headers: { ...header, Authorization } });
			t.equal(status, 404, `${JSON.stringify(header)} ${path}`);
			t.notMatch(JSON.stringify(body), /admin/i);
		}
	}
});

t.test("wrong admin tokens are guesses, and the right one is never in the way", async (t) => {
	const clock = heldClock();
	const { send, app } = await startApp(t, {
		clock,
		settings: { ...EMPTY, requestsPerMinute: 100 },
	});
	clock.hold();
	const ask = async (token: string) =>
		(await send("/v1/admin/graphs", { headers: { Authorization: `Bearer ${token}` } })).status;
	const statuses: number[] = [];
	for (let call = 0; call < 70; call++) statuses.push(await ask("x".repeat(43)));
	t.same([...new Set(statuses.slice(0, 60))], [401]);
	t.same([...new Set(statuses.slice(60))], [429], "sixty at once, then one a second");
	for (let call = 0; call < 120; call++) statuses.push(await ask(app.adminToken));
	t.ok(statuses.slice(-120).every((status) => status === 200));
});
