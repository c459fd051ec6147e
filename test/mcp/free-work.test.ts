import t from "tap";
import { LIMITS } from "../../src/core/limits.js";
import { startMcp } from "./start-mcp.js";

const PER_MINUTE = LIMITS.routedQueriesPerMinute;
const post = (body: object) => ({
	method: "POST",
	headers: { "Content-Type": "application/json" },
	body: JSON.stringify(body),
});

t.test("what is free is free so many times a minute, whichever way it is asked", async (t) => {
	const mcp = { payPerCall: true, allowedOrigins: [] };
	const shop = await startMcp(t, { settings: { mcp } });
	shop.clock.hold();
	const codeOf = async (name: string, args: object) => {
		const { result } = await shop.callTool(name, args);
		return result.isError ? JSON.parse(result.content[0].text).error.code : "ANSWERED";
	};
	const both = [
		["route_query", { query: "x" }, "/v1/search/route"],
		["match_experts", { question: "x" }, "/v1/experts/match"],
	] as const;
	for (const [name, args, path] of both) {
		await t.test(name, async (t) => {
			const statuses = new Map<string, number>();
			for (let asked = 0; asked < PER_MINUTE * 1.5; asked += 2) {
				const code = await codeOf(name, args);
				const { status } = await shop.send(path, post(args));
				for (const end of [code, String(status)]) statuses.set(end, (statuses.get(end) ?? 0) + 1);
			}
			const answered = (statuses.get("ANSWERED") ?? 0) + (statuses.get("200") ?? 0);
			t.equal(answered, PER_MINUTE);
			t.ok((statuses.get("RATE_LIMITED") ?? 0) > 0);
			t.equal(statuses.size, 4, [...statuses.keys()].join());
		});
	}
	await t.test("cancelling too, and reading a job more often", async (t) => {
		const job = { job_id: `job_${"0".repeat(26)}` };
		const codes: string[] = [];
		for (let asked = 0; asked < LIMITS.accountChangesPerMinute * 1.5; asked++) {
			codes.push(await codeOf("cancel_deep_dive", job));
		}
		t.ok(codes.includes("RATE_LIMITED"));
		t.not(await codeOf("get_deep_dive", job), "RATE_LIMITED");
	});
	t.equal(await codeOf("list_graphs", {}), "ANSWERED", "what costs no work goes on");
});
