import t from "tap";
import { LIMITS } from "../../src/contract/limits.js";
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
	const [graph] = shop.app.catalog.list();
	const graph_id = graph?.record.id ?? "";
	const preview = `/v1/graphs/${graph_id}/preview`;
	const cases = [
		["route_query", { query: "x" }, "/v1/search/route", PER_MINUTE],
		["match_experts", { question: "x" }, "/v1/experts/match", PER_MINUTE],
		["preview_graph", { graph_id }, preview, LIMITS.previewsPerMinute],
	] as const;
	const ask = async (path: string, args: object) => {
		const { status } = await shop.send(path, path === preview ? {} : post(args));
		return String(status);
	};
	for (const [name, args, path, perMinute] of cases) {
		await t.test(name, async (t) => {
			const ends: string[] = [];
			for (let asked = 0; asked < perMinute * 1.5; asked += 2) {
				ends.push(await codeOf(name, args), await ask(path, args));
			}
			const answered = ends.filter((end) => end === "ANSWERED" || end === "200").length;
			t.equal(answered, perMinute);
			t.same([...new Set(ends)].sort(), ["200", "429", "ANSWERED", "RATE_LIMITED"]);
		});
	}
	await t.test("a search of experts, which ends as a match where no profile is sure", async (t) => {
		const statuses = new Set<number>();
		for (let asked = 0; asked < PER_MINUTE * 1.5; asked++) {
			statuses.add((await shop.send("/v1/experts/search?q=x")).status);
		}
		t.same([...statuses].sort(), [200, 429]);
	});
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
