import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { createApp } from "../../src/app/create-app.js";
import { runTollgraph, type ServerProcess, startServerProcess } from "../support/server-process.js";
import { testSettings } from "../support/start-app.js";
import { times } from "../support/times.js";

const ROUNDS = 20;
const CALLERS = 8;

/** Pays for searches until the server is gone; every receipt that arrived goes into `received`. */
async function callUntilDead({ ready }: ServerProcess, received: Set<string>): Promise<void> {
	for (;;) {
		try {
			const response = await fetch(`${ready.base_url}/v1/graphs/agent-payments/search`, {
				method: "POST",
				headers: { "Content-Type": "application/json", "X-Pay-SPT": ready.demo_spt },
				body: '{"query":"status code that asks for payment","limit":1}',
			});
			const id = response.headers.get("X-Receipt-Id");
			if (response.status === 200 && id) received.add(id);
			await response.arrayBuffer();
		} catch {
			return;
		}
	}
}

t.test(
	"no receipt that reached a caller is lost, however often the server is killed",
	async (t) => {
		const folder = join(t.testdir({}), "data");
		const args = ["--data", folder, "--model", "none", "--judge", "none"];
		const received = new Set<string>();

		for (let round = 0; round < ROUNDS; round++) {
			const server = await startServerProcess(args);
			const before = received.size;
			const callers = times(CALLERS, () => callUntilDead(server, received));
			// However slow the machine, there is something to lose by then.
			while (received.size === before) await sleep(5);
			await sleep((round * 37) % 180);
			server.child.kill("SIGKILL");
			await once(server.child, "exit");
			await Promise.all(callers);
		}
		t.comment(`${received.size} receipts reached a caller in ${ROUNDS} rounds`);
		t.ok(received.size >= ROUNDS, "there was something to lose");

		const silent = { info: () => undefined, error: () => undefined };
		const app = await createApp({
			settings: testSettings(folder, { model: "none" }),
			logger: silent,
		});
		t.teardown(() => app.close());
		const missing = [];
		for (const id of received) {
			if (!(await app.store.read((reader) => reader.get("receipts", id)))) missing.push(id);
		}
		t.same(missing, [], "every receipt is there");
		t.match(await app.operator.verifyLedger(), {
			status: "ok",
			sum_usd: "0.00",
			open_holds: 0,
			failures: [],
		});
	},
);

t.test("a second server on the same folder gives up and says why", async (t) => {
	const folder = join(t.testdir({}), "data");
	const args = ["--data", folder, "--model", "none", "--catalog", "none"];
	const server = await startServerProcess(args);
	const second = await runTollgraph(["serve", "--port", "0", ...args]);
	t.not(second.code, 0);
	t.match(second.stderr, /holds|in use|another/i);
	server.child.kill("SIGTERM");
	const [code] = await once(server.child, "exit");
	t.equal(code, 0, "the first one is unharmed and drains");
});
