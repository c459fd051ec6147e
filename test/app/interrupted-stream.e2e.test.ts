import { once } from "node:events";
import { join } from "node:path";
import t from "tap";
import { dataOf, readEvents } from "../rest/start-stream.js";
import { startPostgres, WITHOUT_POSTGRES } from "../support/postgres-cluster.js";
import { runTollgraph, type ServerProcess, startServerProcess } from "../support/server-process.js";
import { startWriterServer } from "../support/writer-server.js";

const QUERY = "Which HTTP status code asks for payment?";

t.test(
	"a paid stream whose process is killed is resumed at another",
	{ skip: WITHOUT_POSTGRES },
	async (t) => {
		let isHanging = true;
		const writer = await startWriterServer(t, (_, res) => {
			if (!isHanging) res.writeHead(400).end("{}");
		});
		const cluster = await startPostgres();
		t.teardown(() => cluster.stop());
		const folder = t.testdir();
		const shared = [
			...["--keys", join(folder, "keys"), "--store-url", cluster.url],
			...["--model", "none", "--facilitator", "off"],
			...["--writer-url", writer.url, "--writer-model", "small"],
		];
		const start = (name: string) => startServerProcess(["--data", join(folder, name), ...shared]);
		const servers = [await start("a"), await start("b")] as const;
		const issued = await runTollgraph([
			...["spt", "issue", "--usd", "9.00", "--json", "--data", join(folder, "command")],
			...shared,
		]);
		const headers = { "X-Pay-SPT": JSON.parse(issued.stdout).token };
		const ask = ({ ready }: ServerProcess, more: Record<string, string> = {}) =>
			fetch(
				`${ready.base_url}/v1/research/stream?${new URLSearchParams({ query: QUERY, ...more })}`,
				{ headers },
			);
		const end = async ({ child }: ServerProcess, signal: NodeJS.Signals) => {
			const exited = once(child, "exit");
			child.kill(signal);
			await exited;
		};

		const cut = await ask(servers[0]);
		let text = "";
		const reading = (async () => {
			for await (const part of cut.body as unknown as AsyncIterable<Uint8Array>) {
				text += Buffer.from(part).toString("utf8");
				if (text.includes("event: research.evidence")) return;
			}
		})();
		await reading;
		await end(servers[0], "SIGKILL");
		isHanging = false;
		const { stream_id: cutId } = dataOf(text, "research.created");

		let resumed = "";
		for (let left = 60; left > 0 && resumed === ""; left--) {
			resumed = await (await ask(servers[1], { after: "2" })).text();
			if (resumed === "") await new Promise((resolve) => setTimeout(resolve, 500));
		}
		const events = readEvents(resumed);
		const { stream_id: id } = dataOf(resumed, "research.created");
		t.not(id, cutId, "it is another stream, from its start");
		t.match(dataOf(resumed, "research.completed"), { is_answered: true });
		t.match(dataOf(resumed, "research.usage"), {
			cost: { amount_usd: "1.50", balance_after_usd: "7.50", replayed: true },
		});
		t.same(
			readEvents(await (await ask(servers[1], { stream_id: cutId })).text()),
			events,
			"by its earlier id",
		);
		t.same(
			readEvents(await (await ask(servers[1], { stream_id: id, after: "10003" })).text()),
			events.slice(3),
		);
		const rows = (await cluster.sql(
			"SELECT count(*)::integer AS receipts FROM tollgraph.records WHERE tbl = 'receipts'",
		)) as readonly { receipts: number }[];
		t.same(rows, [{ receipts: 1 }], "paid for once");
		await end(servers[1], "SIGTERM");
	},
);
