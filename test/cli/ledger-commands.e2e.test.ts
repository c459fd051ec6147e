import { once } from "node:events";
import { join } from "node:path";
import t from "tap";
import { runTollgraph, startServerProcess } from "../support/server-process.js";
import { KNOWN_QUERY } from "../support/start-app.js";

t.test(
	"an operator reads the books and gives money back, with the server up or down",
	async (t) => {
		const where = [
			"--data",
			join(t.testdir({}), "data"),
			"--model",
			"none",
			"--facilitator",
			"off",
		];
		const ledger = async (...args: string[]) => {
			const { code, stdout, stderr } = await runTollgraph(["ledger", ...args, ...where]);
			return { code, stdout, stderr, json: () => JSON.parse(stdout) };
		};
		const { child, ready } = await startServerProcess(where);
		const answer = await fetch(`${ready.base_url}/v1/graphs/agent-payments/search`, {
			method: "POST",
			headers: { "X-Pay-SPT": ready.demo_spt, "Content-Type": "application/json" },
			body: JSON.stringify({ query: KNOWN_QUERY }),
		});
		t.equal(answer.status, 200);
		const receiptId = answer.headers.get("x-receipt-id") ?? "";

		const refund = await ledger(
			"refund",
			receiptId,
			"--reason",
			"a test",
			"--usd",
			"0.20",
			"--json",
		);
		t.match(refund.json(), { ref: receiptId, amount_usd: "0.20", state: "paid", reason: "a test" });
		await fetch(`${ready.base_url}/v1/graphs/agent-payments/search`, {
			method: "POST",
			headers: { "X-Pay-SPT": ready.demo_spt, "Content-Type": "application/json" },
			body: JSON.stringify({ query: "zzzz qqqq xxxx" }),
		});
		const gaps = await ledger("gaps", "--since", "2020-01-01", "--json");
		t.match(gaps.json(), { groups: 1, items: [{ question: "zzzz qqqq xxxx" }] });
		const noOne = await ledger("refund", "tok_nobody", "--reason", "a test");
		t.match(noOne, { code: 2, stderr: /No token is called/ });
		child.kill("SIGTERM");
		await once(child, "exit");
		t.match(await ledger("refunds", "requests"), { stdout: /^No request/ });
		t.match(await ledger("refunds", "decline", "rfd_nobody"), { code: 2, stderr: /No request/ });
		const down = await ledger("gaps");
		t.match(down, { code: 0 }, down.stderr);
		t.match(
			down.stdout,
			/unpaid_usd.*\n1 .*0\.50 .*zzzz qqqq xxxx\n1 asked, 1 different by words, 0\.50 USD/,
		);
		const none = await ledger("gaps", "--until", "2020-01-01");
		t.match(none.stdout, /^No question went without an answer/);
		t.match(await ledger("gaps", "--limit", "0"), { code: 2, stderr: /limit/ });
		const csv = await ledger("report", "--by", "rail", "--from", "2020-01-01", "--csv");
		t.same(csv.stdout.split("\n").slice(0, 2), [
			"rail,calls,free_calls,gross_usd,refunded_usd,net_usd",
			"spt,1,0,0.50,0.20,0.30",
		]);
	},
);
