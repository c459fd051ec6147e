import { createConfig, lintFromString } from "@redocly/openapi-core";
import t from "tap";
import { createPriceList } from "../../payments/price-list.js";
import { toOpenApiDocument } from "../../src/rest/openapi-document.js";

/** Paths that two templates fit, and what distinguishes them. */
const TOLD_APART: ReadonlySet<string> = new Set([
	// Beside /v1/verify/claims/{batch_id}: the id of a verification begins with vrf_, so none is "claims".
	"#/paths/~1v1~1verify~1{verification_id}~1claim-review",
	"#/paths/~1v1~1verify~1claims~1{batch_id}",
	// Beside /v1/research/deep-dive/status/{job_id}: the id of a job begins with job_, so none is "status".
	"#/paths/~1v1~1research~1deep-dive~1{job_id}~1events",
	"#/paths/~1v1~1research~1deep-dive~1{job_id}~1cancel",
	"#/paths/~1v1~1research~1deep-dive~1{job_id}~1sources",
	"#/paths/~1v1~1research~1deep-dive~1{job_id}~1export",
	"#/paths/~1v1~1research~1deep-dive~1status~1{job_id}",
]);

t.test(
	"the description has nothing to complain about for Redocly's recommended rules",
	async (t) => {
		const document = toOpenApiDocument({
			baseUrl: "https://api.example.org",
			prices: createPriceList(),
		});
		const config = await createConfig({ extends: ["recommended"] });
		const lint = (text: string) =>
			lintFromString({ source: text, absoluteRef: "openapi.json", config });
		const problems = await lint(JSON.stringify(document));
		const told = problems.filter(
			({ ruleId, location: [place] }) =>
				ruleId !== "no-ambiguous-paths" || !TOLD_APART.has(place?.pointer ?? ""),
		);
		t.same(
			told.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
			[],
		);
		const { paths: _paths, ...broken } = document;
		t.ok((await lint(JSON.stringify(broken))).length > 0, "a broken one is complained about");
	},
);

t.test("patterns mean the same to readers that know no classes of Unicode", (t) => {
	const document = toOpenApiDocument({
		baseUrl: "https://api.example.org",
		prices: createPriceList(),
	});
	const patterns: string[] = [];
	JSON.stringify(document, (key, value) => {
		if (key === "pattern" && typeof value === "string") patterns.push(value);
		return value;
	});
	t.ok(patterns.length > 5);
	t.same(
		patterns.filter((pattern) => /\\p\{/i.test(pattern)),
		[],
	);
	t.ok(patterns.every((pattern) => new RegExp(pattern)));
	t.end();
});

t.test("what an indexer reads of prices has bounds, and words for agents", (t) => {
	const { info, paths } = toOpenApiDocument({
		baseUrl: "https://api.example.org",
		prices: createPriceList(),
	});
	t.match(info["x-guidance"], /search\/route.*402/);
	const price = { mode: "dynamic", currency: "USD", min: "1.00", max: "10000.00" };
	t.match(paths["/v1/spt"], { post: { "x-payment-info": { price } } });
	t.end();
});
