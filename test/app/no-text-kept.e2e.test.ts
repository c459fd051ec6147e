import { join } from "node:path";
import t from "tap";
import { ask, rpc } from "../a2a/raw-rpc.js";
import { filesWith, rawFilesWith } from "../support/files-below.js";
import { startApp } from "../support/start-app.js";

const QUERY_CANARY = "quetzalcoatlus";
const RESULT_CANARY = "archaeopteryx";

const GRAPH = {
	"graph.md":
		"---\ntype: domain\nid: fossils\ntitle: Fossils\nversion: 1.0.0\nupdated: '2020-01-01'\n---\nOld bones.\n",
	"index.md": '---\nokf_version: "0.2"\n---\n# Fossils\n\n* [Wings](wings.md) - early wings\n',
	"wings.md": `---\ntype: Concept\ntitle: Early wings\ndescription: The ${RESULT_CANARY} had feathers and teeth.\nsources:\n  - { resource: "https://example.org/wings", title: Wings, last_modified: "2020-01-01" }\n---\nFeathers came before flight.\n`,
};

t.test(
	"query text is only where it can be dropped, result text only where it expires",
	async (t) => {
		const root = t.testdir({ graphs: { fossils: GRAPH } });
		const folder = join(root, "data");
		const settings = { catalog: join(root, "graphs"), model: "none" };
		const shop = await startApp(t, { folder, settings });
		const { token } = await shop.issueSpt("25");
		const query = `early wings with feathers before flight, ${QUERY_CANARY} and teeth`;

		const overRest = await shop.search({
			graph: "fossils",
			token,
			body: { query },
			headers: { "Idempotency-Key": "canary" },
		});
		t.equal(overRest.body.meta.cost.charged, true, JSON.stringify(overRest.body));
		const overA2a = await rpc(shop.baseUrl, {
			params: ask({ skill: "graph_search", input: { graph_id: "fossils", query } }),
			headers: { "X-Pay-SPT": token },
		});
		t.match(JSON.stringify(overA2a.body), RESULT_CANARY, "the result did leave");
		await shop.close();

		const isDerived = (file: string) => file.startsWith("index/");
		const isExpiring = (file: string) => /^journal\/documents\//.test(file);
		const isDaily = (file: string) => /^journal\/queries\//.test(file);
		const queryFiles = filesWith(folder, QUERY_CANARY);
		t.ok(queryFiles.some(isDaily), "the query is there for billing");
		t.same(
			queryFiles.filter((file) => !isDaily(file) && !isExpiring(file)),
			[],
		);
		t.same(
			filesWith(folder, RESULT_CANARY).filter((file) => !isExpiring(file) && !isDerived(file)),
			[],
		);
		t.same(filesWith(folder, token), [], "a token is stored hashed only");
		t.same(rawFilesWith(folder, QUERY_CANARY), [], "nor can it be read without the key");
		t.same(
			rawFilesWith(folder, RESULT_CANARY).filter((file) => !isDerived(file)),
			[],
		);
	},
);
