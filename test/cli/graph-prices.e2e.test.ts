import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { runTollgraph } from "../support/server-process.js";

t.test("an owner prices a graph from the command line", async (t) => {
	const root = t.testdir({
		notes: {
			"graph.md": "---\ntype: domain\nid: tides\ntitle: Tides\nowners:\n  ann: 60\n---\nTides.\n",
			"moon.md": "---\ntype: Concept\ntitle: Moon\nprice_usd: 2\n---\nThe moon pulls the sea.\n",
		},
	});
	const where = ["--data", join(root, "data"), "--catalog", "none", "--model", "none"];
	const run = (...args: string[]) => runTollgraph([...args, ...where]);

	const refused = await run("import", join(root, "notes"), "--as", "tides");
	t.match(refused, {
		code: 2,
		stderr: /^tollgraph: graph\.md: "owners" add up to 60 %, not to 100 %\.\n$/,
	});
	writeFileSync(
		join(root, "notes/graph.md"),
		"---\ntype: domain\nid: tides\ntitle: Tides\n---\nTides.\n",
	);
	t.equal((await run("import", join(root, "notes"), "--as", "tides")).code, 0);
	const set = await run(
		...["graphs", "prices", "tides", "--price", "0.25"],
		...["--of", "search_graph=0.30", "--owners", "ann=60,operator=40"],
	);
	t.equal(
		set.stdout.replaceAll(/ {2,}/g, "  "),
		`tides:
any call priced per call  0.25 USD
graphs.search  0.30 USD
node moon  2.00 USD
owner ann  60 %
owner operator  40 %
`,
	);
	t.equal((await run("graphs", "prices", "tides")).stdout, set.stdout);
	t.match(await run("graphs", "prices", "tides", "--of", "search_graph"), {
		code: 2,
		stderr: /--of wants name=value/,
	});
	t.match(await run("graphs", "prices", "tides", "--owners", "ann=60"), {
		code: 2,
		stderr: /add up to 60 %/,
	});
	t.match(await run("graphs", "prices", "sea"), { code: 2, stderr: /No graph is called "sea"/ });
	t.match(
		(await run("graphs", "prices", "tides", "--clear")).stdout,
		/^tides:\nnode moon +2\.00 USD\n$/,
	);
	t.match(await run("ledger", "payouts"), { code: 0, stdout: /^No graph that has owners/ });
	t.match(await run("ledger", "payouts", "pay", "ann"), { code: 2, stderr: /Nothing is owed/ });
});
