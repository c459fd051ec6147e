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
		const noOne = await ledger("refund", "tok_nobody", "--reason", "a test");
		t.match(noOne, { code: 2, stderr: /No token is called/ });
		child.kill("SIGTERM");
		await once(child, "exit");
		const csv = await ledger("report", "--by", "rail", "--from", "2020-01-01", "--csv");
		t.same(csv.stdout.split("\n").slice(0, 2), [
			"rail,calls,free_calls,gross_usd,refunded_usd,net_usd",
			"spt,1,0,0.50,0.20,0.30",
		]);
	},
);
