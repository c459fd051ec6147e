import { once } from "node:events";
import { join } from "node:path";
import t from "tap";
import { runTollgraph, startServerProcess } from "../support/server-process.js";
import { times } from "../support/times.js";

const notes = (count: number) =>
	Object.fromEntries(
		times(count, (index) => [`note-${index}.md`, `# Note ${index}\n\nWater rises ${index} feet.`]),
	);

t.test(
	"an owner's commands work on a running server, and what was sold stays in the books",
	async (t) => {
		const root = t.testdir({
			notes: notes(6),
			wrong: { "a.md": "# A\n\nNot it." },
			many: notes(1_500),
		});
		const data = ["--data", join(root, "data"), "--model", "none", "--catalog", "none"];
		const { child, ready } = await startServerProcess([...data, "--facilitator", "off"]);
		t.teardown(async () => {
			child.kill();
			await once(child, "exit");
		});
		const run = async (...args: string[]) => {
			const result = await runTollgraph([...args, ...data, "--json"]);
			const json = result.stdout === "" ? undefined : JSON.parse(result.stdout);
			return { ...result, json };
		};
		const first = await run("import", join(root, "notes"), "--as", "tides");
		t.match(first.json, { nodes: 6, quality: { concepts: 6, without_source: { count: 6 } } });

		const wrong = ["import", join(root, "wrong"), "--as", "tides", "--update"];
		const refused = await run(...wrong);
		t.equal(refused.code, 2);
		t.equal(refused.stdout, "");
		t.match(refused.stderr, /6 of 6 concepts out of "tides" .* Nothing has changed\. .*--yes/);
		t.match((await run(...wrong, "--yes")).json, { version: 2, changed: { removed: 6, added: 1 } });
		t.match((await run("graphs", "rollback", "tides", "--to", "1")).json, {
			version: 3,
			restored: 1,
		});
		const versions = await runTollgraph(["graphs", "versions", "tides", ...data]);
		t.match(
			versions.stdout,
			/^version +since +made_by +nodes\n3 .* rollback +6\n2 .* update +1\n1 /,
		);

		const bought = await fetch(`${ready.base_url}/v1/graphs/tides/search`, {
			method: "POST",
			headers: { "Content-Type": "application/json", "X-Pay-SPT": ready.demo_spt },
			body: JSON.stringify({ query: "Note 3 water rises" }),
		});
		t.equal(bought.status, 200);
		const receipt = bought.headers.get("X-Receipt-Id");

		const set = [
			"graphs",
			"set",
			"tides",
			"--contact",
			"the harbour office",
			"--licence",
			"CC0-1.0",
		];
		t.match((await run(...set)).json, { contact: "the harbour office", license: "CC0-1.0" });
		t.match((await run("graphs", "rename", "tides", "seas")).json, { graph_id: "seas" });
		const old = await fetch(`${ready.base_url}/v1/graphs/tides`);
		t.equal(old.status, 404);
		t.match(await old.json(), { error: { message: /is called "seas" now/ } });
		t.equal((await run("graphs", "remove", "seas")).code, 2, "no one can be asked");
		t.match((await run("graphs", "remove", "seas", "--yes")).json, { removed: 6 });
		const kept = await fetch(`${ready.base_url}/v1/receipts/${receipt}`, {
			headers: { "X-Pay-SPT": ready.demo_spt },
		});
		t.equal(kept.status, 200, "the receipt stays");

		const stopped = new AbortController();
		await fetch(`${ready.base_url}/v1/admin/imports`, {
			method: "POST",
			signal: stopped.signal,
			headers: { "Content-Type": "application/json", Authorization: `Bearer ${ready.admin_token}` },
			body: JSON.stringify({ source: join(root, "many"), as: "many" }),
		});
		stopped.abort();
		// Imports run one after the other: what was stopped has ended before this one begins.
		t.equal((await run("graphs", "rollback", "seas")).code, 0);
		const { items } = (await run("graphs", "list")).json as { items: { id: string }[] };
		t.same(
			items.map(({ id }) => id),
			["seas"],
		);
	},
);
