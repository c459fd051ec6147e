import type { Express } from "express";
import t from "tap";
import { heldClock } from "../support/held-clock.js";
import { startApp } from "../support/start-app.js";

const EMPTY = { model: "none", catalog: "none", profile: "production" } as const;

t.test("only proxies on this machine, and those that are named, say who calls", async (t) => {
	const trustOf = async (trustedProxies?: readonly string[]) => {
		const settings = { ...EMPTY, ...(trustedProxies && { trustedProxies }) };
		const { app } = await startApp(t, { settings });
		const isTrusted = (app.handler as Express).get("trust proxy fn") as (ip: string) => boolean;
		return (address: string) => isTrusted(address);
	};
	const bare = await trustOf();
	const named = await trustOf(["172.18.0.0/16", "fd00:1::/64"]);
	for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
		t.ok(bare(address) && named(address), address);
	}
	for (const address of ["10.0.0.5", "192.168.1.4", "172.19.0.2", "fd00:2::1", "8.8.8.8"]) {
		t.notOk(bare(address) || named(address), address);
	}
	for (const address of ["172.18.3.4", "::ffff:172.18.3.4", "fd00:1::9"]) {
		t.notOk(bare(address), address);
		t.ok(named(address), address);
	}
});

t.test("a forwarded address is accepted from a proxy on this machine", async (t) => {
	const clock = heldClock();
	const { send } = await startApp(t, { clock, settings: { ...EMPTY, requestsPerMinute: 2 } });
	clock.hold();
	const from = async (address: string) =>
		(await send("/v1/offerings", { headers: { "X-Forwarded-For": address } })).status;
	t.same(
		[await from("203.0.113.1"), await from("203.0.113.1"), await from("203.0.113.1")],
		[200, 200, 429],
	);
	t.equal(await from("203.0.113.2"), 200);
	t.equal(await from("203.0.113.2, 203.0.113.1"), 429, "the nearest address counts");
});
