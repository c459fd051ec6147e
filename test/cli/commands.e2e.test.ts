import { once } from "node:events";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { findAnvil } from "../../src/chain/demo-chain.js";
import { runTollgraph, startServerProcess } from "../support/server-process.js";

const NOTES = {
	"tides.md":
		"---\ntitle: Tides\ncreated: 2020-01-02\nrequires: moon\n---\nTides rise and fall because the moon pulls the oceans.\n",
	"moon.md":
		"---\ntitle: The moon\ncreated: 2020-01-03\n---\nThe moon circles the earth in about 27 days.\n",
	"empty.md": "",
	"photo.bin": "not text",
};

t.test("commands work on a folder without a server", async (t) => {
	const root = t.testdir({ notes: NOTES });
	const where = ["--data", join(root, "data"), "--catalog", "none"];
	const run = async (...args: string[]) => {
		const result = await runTollgraph([...args, ...where, "--json"]);
		return { ...result, json: result.stdout ? JSON.parse(result.stdout) : undefined };
	};

	const issued = await run("spt", "issue", "--usd", "7.50", "--label", "test");
	t.match(issued.json, { token: /^spt_test_[0-9A-Za-z]{36}$/, id: /^tok_/, balance_usd: "7.50" });
	t.equal(issued.stdout.trim().split("\n").length, 1, "one object on one line");
	t.match((await run("spt", "list")).json.items, [
		{ balance_usd: "7.50", label: "test", status: "active" },
	]);
	const key = (await run("keys", "create")).json;
	t.match(key, { key: /^sk_test_/, id: /^key_/, account_id: /^acc_/ });
	t.match((await run("keys", "credit", key.account_id, "--usd", "3")).json, {
		balance_usd: "3.00",
	});
	t.equal((await run("keys", "credit", "acc_nobody", "--usd", "3")).code, 2);
	const rotated = (await run("keys", "rotate", key.id, "--overlap-seconds", "60")).json;
	t.match(rotated, { key: /^sk_test_/, id: key.id });
	t.not(rotated.key, key.key);
	t.match((await run("keys", "list")).json.items, [{ id: key.id, old_secret_until: /Z$/ }]);
	const token = (await run("tokens", "create", "--account", key.account_id)).json;
	t.match(token, { token: /^ct_[0-9A-Za-z]{36}$/, url: null });

	const report = await run(
		...[
			"import",
			join(root, "notes"),
			"--as",
			"tides",
			"--date-key",
			"created",
			"--edge-keys",
			"requires",
		],
		...["--source-url", "https://example.org/{stem}"],
	);
	t.match(report.json, { graph_id: "tides", imported: 2, nodes: 2, evidence: 2 });
	t.ok(report.json.edges >= 1);
	t.ok(
		report.json.skipped.every(
			({ file, reason }: { file: string; reason: string }) => file && reason,
		),
	);
	t.ok(report.json.skipped.some(({ file }: { file: string }) => file === "empty.md"));
	t.match((await run("graphs", "list")).json.items, [{ id: "tides", nodes: 2 }]);

	const again = await run("import", join(root, "notes"), "--as", "tides");
	t.equal(again.code, 2, "an id that is taken is refused");
	t.match(again.stderr, /--update/);
	t.equal((await run("import", join(root, "notes"), "--as", "tides", "--update")).code, 0);

	const bore = join(root, "bore.md");
	writeFileSync(bore, "---\ntype: Concept\n---\nA wave that runs upstream.\n");
	t.match((await run("concepts", "put", "tides", bore, "--path", "rivers/bore.md")).json, {
		graph_id: "tides",
		concept_id: "rivers.bore",
		change: "added",
		nodes: 3,
		visible_ms: Number,
	});
	t.match((await run("concepts", "remove", "tides", "rivers.bore")).json, { change: "removed" });
	const refused = await run("concepts", "put", "tides", join(root, "notes", "empty.md"));
	t.equal(refused.code, 2);
	t.match(refused.stderr, /empty/);

	t.match((await run("reindex")).json, { concepts: 2, mode: "hybrid" });
	t.match((await run("ledger", "verify")).json, { status: "ok", sum_usd: "0.00", failures: [] });
	const doctor = await run("doctor");
	t.equal(doctor.code, 0, doctor.stdout);
	t.ok(doctor.json.checks.every(({ ok }: { ok: boolean }) => ok));
});

t.test("commands talk to the server that holds the folder", async (t) => {
	const root = t.testdir({ notes: NOTES });
	const where = ["--data", join(root, "data")];
	const { child, ready, stdout } = await startServerProcess([...where, "--catalog", "none"]);
	t.equal(statSync(join(root, "data", "server.json")).mode & 0o777, 0o600);

	const issued = JSON.parse(
		(await runTollgraph(["spt", "issue", "--usd", "1", "--json", ...where])).stdout,
	);
	const imported = await runTollgraph([
		"import",
		join(root, "notes"),
		"--as",
		"tides",
		"--json",
		...where,
	]);
	t.match(JSON.parse(imported.stdout), { graph_id: "tides", imported: 2 });
	const answer = await fetch(`${ready.base_url}/v1/graphs/tides/search`, {
		method: "POST",
		headers: { "X-Pay-SPT": issued.token, "Content-Type": "application/json" },
		body: '{"query":"why do tides rise and fall"}',
	});
	t.equal(answer.status, 200, "searchable and priced at once");
	const { rows } = (await answer.json()) as { rows: { name: string }[] };
	t.equal(rows[0]?.name, "Tides");

	const search = {
		method: "POST",
		headers: { "X-Pay-SPT": issued.token, "Content-Type": "application/json" },
	};
	await runTollgraph(["spt", "revoke", issued.id, ...where]);
	const revoked = await fetch(`${ready.base_url}/v1/graphs/tides/search`, {
		...search,
		body: '{"query":"tides"}',
	});
	t.equal(revoked.status, 401, "a revoked token buys nothing");

	const bad = await fetch(`${ready.base_url}/v1/admin/spts`, {
		headers: { Authorization: "Bearer adm_wrong" },
	});
	t.equal(bad.status, 401);

	child.kill("SIGTERM");
	const [code] = await once(child, "exit");
	t.equal(code, 0, "SIGTERM drains and exits 0");
	t.equal(stdout.length, 1, "stdout has exactly one line");
	t.match(ready, {
		base_url: /^http:\/\/127\.0\.0\.1:\d+$/,
		agent_card_url: /agent-card\.json$/,
		mcp_url: `${ready.base_url}/mcp`,
		docs_url: /openapi\.json$/,
		admin_token: /^adm_/,
		demo_spt: /^spt_test_/,
		demo_wallet: findAnvil() === undefined ? null : { network: "eip155:84532", rpc_url: String },
		graph_ids: [],
		ready_ms: Number,
	});
});

t.test("wrong calls say what is wrong and exit 2", async (t) => {
	const data = ["--data", join(t.testdir({}), "data")];
	for (const [args, message] of [
		[["spt", "issue", ...data], /--usd/],
		[["spt", "issue", "--usd", "lots", ...data], /not an amount/],
		[["serve", "--host", "0.0.0.0", ...data], /loopback/],
		[["serve", "--port", "70000", ...data], /port/],
		[["spt", "issue", "--usd", "1", "--skills", "mining", ...data], /mining/],
		[["spt", "issue", "--usd", "1", "--profile", "production", ...data], /demo profile/],
		[["serve", "--profile", "production", ...data], /facilitator.*pay_to.*network/],
		[["frobnicate"], /unknown command/],
		[["import", "/no/such/folder", "--as", "x1", ...data], /no\/such\/folder/],
	] as const) {
		const { code, stdout, stderr } = await runTollgraph(args);
		t.equal(code, 2, args.join(" "));
		t.equal(stdout, "", "stdout stays clean");
		t.match(stderr, message);
	}
});
