import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { runTollgraph, type ServerProcess, startServerProcess } from "../support/server-process.js";
import { KNOWN_QUERY } from "../support/start-app.js";

const OPTIONS = ["--model", "none", "--facilitator", "off"];

function search({ ready }: ServerProcess, token = ready.demo_spt): Promise<Response> {
	return fetch(`${ready.base_url}/v1/graphs/agent-payments/search`, {
		method: "POST",
		headers: { "X-Pay-SPT": token, "Content-Type": "application/json" },
		body: JSON.stringify({ query: KNOWN_QUERY }),
	});
}

async function kill({ child }: ServerProcess): Promise<void> {
	child.kill("SIGKILL");
	await once(child, "exit");
}

t.test("a backup taken beside a running server outlives it", async (t) => {
	const root = t.testdir({ notes: { "tides.md": "# Tides\nThe moon pulls the oceans.\n" } });
	const [data, copy, other] = [join(root, "data"), join(root, "copy"), join(root, "other")];
	const where = ["--data", data, ...OPTIONS];
	const server = await startServerProcess(where);
	await runTollgraph(["import", join(root, "notes"), "--as", "tides", ...where]);
	const issued = await runTollgraph(["spt", "issue", "--usd", "2", "--json", ...where]);
	const { token } = JSON.parse(issued.stdout);
	for (const _ of [1, 2]) t.equal((await search(server, token)).status, 200);

	const made = await runTollgraph(["backup", copy, "--json", ...where]);
	t.match(JSON.parse(made.stdout), { folder: copy, holds_secrets: true, transactions: Number });
	t.equal((await search(server, token)).status, 200, "paid after the backup");
	const exported = await runTollgraph(["ledger", "export", "--ndjson", ...where]);
	await kill(server);

	t.same(readdirSync(copy), [
		"graph-history",
		"graphs",
		"journal",
		"keys",
		"manifest.json",
		"profile",
	]);
	t.equal(statSync(join(copy, "keys", "pepper")).mode & 0o777, 0o600);
	t.equal(statSync(join(copy, "keys")).mode & 0o777, 0o700);
	const back = await runTollgraph(["restore", copy, "--data", other, "--json", ...OPTIONS]);
	t.match(JSON.parse(back.stdout), { data: other, profile: "demo", transactions: Number });

	const again = await startServerProcess(["--data", other, ...OPTIONS]);
	const paid = await search(again, token);
	t.equal(paid.status, 200, "the token works");
	const { meta } = (await paid.json()) as { meta: { cost: { balance_after_usd: string } } };
	t.equal(meta.cost.balance_after_usd, "0.50", "1.00 at the backup, 0.50 paid");
	t.ok(again.ready.graph_ids.includes("tides"), "imported graphs are on sale");
	const verified = await runTollgraph(["ledger", "verify", "--json", "--data", other, ...OPTIONS]);
	t.match(JSON.parse(verified.stdout), { status: "ok", failures: [] });
	await kill(again);

	const lines = exported.stdout.trimEnd().split("\n");
	t.match(exported.stderr, `${lines.length} transactions exported`);
	t.match(JSON.parse(lines.at(-1) ?? ""), {
		postings: [{ kind: "capture", entries: [{ amountMicros: /^-?\d+$/ }] }],
		receipts: [{ amountMicros: "500000" }],
	});
});

t.test("backup and restore need the folder named", async (t) => {
	const root = t.testdir({});
	const [data, copy] = [join(root, "data"), join(root, "copy")];
	const nothing = await runTollgraph(["backup", copy, "--data", data, ...OPTIONS]);
	t.match(nothing, { code: 2, stdout: "", stderr: /nothing to back up/ });
	t.match(await runTollgraph(["restore", copy]), { code: 2, stdout: "", stderr: /--data/ });
	t.same(readdirSync(root), [], "nothing is made for a mistyped name");
});
