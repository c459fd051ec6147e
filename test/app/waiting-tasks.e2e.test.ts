import { EventEmitter, once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Task, TaskState } from "@a2a-js/sdk";
import t from "tap";
import type { Facilitator, Hex } from "../../payments/onchain/facilitator.js";
import { findUsdc } from "../../payments/onchain/networks.js";
import { LIMITS } from "../../src/contract/limits.js";
import { systemClock } from "../../src/kernel/clock.js";
import { rpc } from "../a2a/raw-rpc.js";
import { bodyOf, dataMessage, send } from "../a2a/stock-client.js";
import {
	ACTIVATION,
	connectPaying,
	EVERY_WAY,
	payment,
	paymentMessage,
	signFor,
} from "../a2a/x402-agent.js";
import { startHttpFacilitator } from "../support/http-facilitator.js";
import { startPostgres, WITHOUT_POSTGRES } from "../support/postgres-cluster.js";
import { runTollgraph, type ServerProcess, startServerProcess } from "../support/server-process.js";
import { createSimChain, SIM_TERMS } from "../support/sim-chain.js";
import { createSimFacilitator } from "../support/sim-facilitator.js";
import { createSimWallet } from "../support/sim-wallet.js";
import { KNOWN_QUERY } from "../support/start-app.js";
import { times } from "../support/times.js";

const { TASK_STATE_INPUT_REQUIRED, TASK_STATE_COMPLETED, TASK_STATE_CANCELED, TASK_STATE_WORKING } =
	TaskState;
type Paying = ReturnType<typeof paymentMessage>;
const PRICE = 500_000n;
/** Cancel against payment; more of them by WAITING_ROUNDS=100. */
const ROUNDS = Number(process.env["WAITING_ROUNDS"] ?? 8);
const NETWORK = SIM_TERMS.network;
const [WAY] = EVERY_WAY as readonly [(typeof EVERY_WAY)[number]];

const question = () =>
	dataMessage({
		skill: "graph_search",
		input: { graph_id: "agent-payments", query: KNOWN_QUERY, limit: 1 },
	});

/** A chain and its facilitator over HTTP: what settles there outlives any server. */
async function startChain(t: Parameters<typeof startHttpFacilitator>[0]) {
	const usdc = findUsdc(NETWORK);
	if (!usdc) throw new Error("no asset");
	const asset = { asset: usdc.address, assetName: usdc.name, assetVersion: usdc.version };
	const chain = createSimChain({ now: Date.now, terms: { ...SIM_TERMS, ...asset } });
	const honest = createSimFacilitator({ chain, clock: systemClock, kind: "idempotent" });
	const steps = new EventEmitter();
	/** Answers later than it acts. */
	const facilitator: Facilitator = {
		...honest,
		async verify(...order) {
			const verdict = await honest.verify(...order);
			steps.emit("verified");
			await sleep(100);
			return verdict;
		},
		async settle(...order) {
			const outcome = await honest.settle(...order);
			steps.emit("settled");
			await sleep(300);
			return outcome;
		},
	};
	const wallet = createSimWallet(chain, { name: "agent", now: Date.now, balance: 100_000_000n });
	const url = await startHttpFacilitator(t, { facilitator, terms: chain.terms });
	const spent = async () => 100_000_000n - (await chain.balanceOf(chain.terms, wallet.address));
	const flags = ["--facilitator", url, "--network", NETWORK, "--pay-to", chain.terms.payTo as Hex];
	return { chain, wallet, flags, spent, steps };
}

t.test(
	"a task that waits for its payment is known to every process",
	{ skip: WITHOUT_POSTGRES },
	async (t) => {
		const cluster = await startPostgres();
		t.teardown(() => cluster.stop());
		const { chain, wallet, flags, spent, steps } = await startChain(t);
		const folder = t.testdir();
		const light = ["--model", "none", "--judge", "none", ...flags];
		const shared = ["--keys", join(folder, "keys"), "--store-url", cluster.url, ...light];
		let made = 0;
		const start = () =>
			startServerProcess(["--data", join(folder, `data-${made++}`), "--grpc-port", "0", ...shared]);
		let one = await start();
		const other = await start();
		t.teardown(() => [one, other].map(({ child }) => child.kill("SIGKILL")));
		const connect = ({ ready }: ServerProcess, way = WAY) => connectPaying(ready.base_url, way);
		const ask = async (server: ServerProcess, way = WAY) => {
			const asked = await send(await connect(server, way), question());
			t.equal(asked.status?.state, TASK_STATE_INPUT_REQUIRED);
			return asked;
		};
		const pay = async (
			server: ServerProcess,
			message: ReturnType<typeof paymentMessage>,
			way = WAY,
		) => send(await connect(server, way), message);
		const payFor = (task: Task) => paymentMessage(task, signFor(task, chain, wallet));
		const find = async (server: ServerProcess, { id }: Task, way = WAY) =>
			(await connect(server, way)).getTask({ tenant: "", id });
		const cancel = async (server: ServerProcess, { id }: Task, way = WAY) =>
			(await connect(server, way)).cancelTask({ tenant: "", id, metadata: undefined });
		const rowsLeft = async () => {
			const text = "SELECT id, body FROM tollgraph.records WHERE tbl = 'waiting_tasks' ORDER BY id";
			return (await cluster.sql(text)) as readonly { id: string; body: string }[];
		};

		for (const way of EVERY_WAY) {
			await t.test(
				`read, paid and cancelled at another, ${way.binding} ${way.version}`,
				async (t) => {
					const before = await spent();
					const asked = await ask(one, way);
					t.same((await find(other, asked, way)).status, asked.status);
					const message = payFor(asked);
					const done = await pay(other, message, way);
					t.equal(done.status?.state, TASK_STATE_COMPLETED);
					t.equal(done.id, asked.id);
					t.equal(bodyOf(done).rows.length, 1);
					t.equal(payment(done.status).status, "payment-completed");
					t.equal((await spent()) - before, PRICE);
					t.same(bodyOf(await find(one, asked, way)), bodyOf(done));
					t.equal(bodyOf(await pay(one, message, way)).meta.cost.replayed, true);
					t.equal((await spent()) - before, PRICE);

					const unwanted = await ask(other, way);
					t.equal((await cancel(one, unwanted, way)).status?.state, TASK_STATE_CANCELED);
					t.equal((await find(other, unwanted, way)).status?.state, TASK_STATE_CANCELED);
					await t.rejects(pay(other, payFor(unwanted), way), /finished/);
					await t.rejects(cancel(other, unwanted, way));
					t.equal((await spent()) - before, PRICE);
				},
			);
		}

		await t.test("a list is its owner's alone, at each of them", async (t) => {
			for (const { ready } of [one, other]) {
				const anonymous = await rpc(ready.base_url, { method: "ListTasks", params: {} });
				t.equal(anonymous.status, 401);
				const headers = { "X-Pay-SPT": one.ready.demo_spt };
				const mine = await rpc(ready.base_url, { method: "ListTasks", params: {}, headers });
				t.equal(mine.body.result.totalSize, 0, "a wallet has no list");
			}
		});

		await t.test("neither question nor address stands in the books as it was sent", async (t) => {
			const { id } = await ask(one);
			const row = (await rowsLeft()).find((each) => each.id === id);
			t.ok(row);
			t.notMatch(row?.body, /HTTP|127\.0\.0\.1|graph_search/);
			const texts = (await cluster.sql(
				"SELECT convert_from(body, 'UTF8') AS body FROM tollgraph.documents WHERE id LIKE 'waiting-%'",
			)) as readonly { body: string }[];
			t.ok(texts.length > 0);
			for (const { body } of texts) t.match(body, /^tollgraph-sealed\.1\./);
		});

		await t.test("two copies of a payment at two processes are one", async (t) => {
			const before = await spent();
			const asked = await ask(one);
			const message = payFor(asked);
			const copies = times(8, (index) => pay(index % 2 === 0 ? one : other, message));
			const done = await Promise.all(copies);
			t.same([...new Set(done.map(({ status }) => status?.state))], [TASK_STATE_COMPLETED]);
			t.equal(new Set(done.map((task) => bodyOf(task).meta.cost.receipt_id)).size, 1);
			t.equal((await spent()) - before, PRICE);
			t.notOk(
				(await rowsLeft()).some(({ id }) => id === asked.id),
				"it waits no more",
			);
		});

		await t.test("another payment is refused while one is under way elsewhere", async (t) => {
			const before = await spent();
			const asked = await ask(one);
			const ends = await Promise.allSettled([pay(one, payFor(asked)), pay(other, payFor(asked))]);
			t.equal(ends.filter(({ status }) => status === "fulfilled").length, 1);
			t.match(
				ends.find(({ status }) => status === "rejected"),
				{ reason: /is being paid for|is finished/ },
			);
			t.equal((await spent()) - before, PRICE);
		});

		await t.test("a payment and a cancel at two processes: one of them wins", async (t) => {
			for (const round of times(ROUNDS, (at) => at)) {
				const before = await spent();
				const asked = await ask(one);
				const later = sleep((round % 4) * 5);
				const [paid, canceled] = await Promise.allSettled([
					pay(one, payFor(asked)),
					later.then(() => cancel(other, asked)),
				]);
				const wasPaid = paid.status === "fulfilled";
				t.not(canceled.status, paid.status, "not both, and not neither");
				t.equal((await spent()) - before, wasPaid ? PRICE : 0n);
				const state = wasPaid ? TASK_STATE_COMPLETED : TASK_STATE_CANCELED;
				for (const server of [one, other]) {
					t.equal((await find(server, asked)).status?.state, state);
				}
			}
		});

		await t.test("a token pays for it at another process, once", async (t) => {
			const issued = await runTollgraph([
				...["spt", "issue", "--usd", "5", "--json", "--data", join(folder, "data-command")],
				...shared,
			]);
			const { token } = JSON.parse(issued.stdout);
			const headers = { ...ACTIVATION["1.0"], "X-Pay-SPT": token };
			const asked = await ask(one);
			const message = {
				messageId: "by-token",
				taskId: asked.id,
				role: "ROLE_USER",
				parts: [{ text: "By token." }],
			};
			const sent = [one, other, one, other].map(({ ready }) =>
				rpc(ready.base_url, { params: { message }, headers }),
			);
			for (const { body } of await Promise.all(sent)) {
				if (body.error) t.match(body.error, { message: /is being paid for|is finished/ });
				else t.equal(body.result.task.status.state, "TASK_STATE_COMPLETED");
			}
			const params = { id: asked.id };
			const found = await rpc(other.ready.base_url, { method: "GetTask", params, headers });
			const { cost } = found.body.result.metadata;
			t.equal(cost.balance_after_usd, "4.50");
		});

		await t.test(
			"a failed payment is shown at the other, and may be made good there",
			async (t) => {
				const asked = await ask(one);
				const bad = paymentMessage(asked, signFor(asked, chain, wallet, { value: 1n }));
				const failed = await pay(other, bad);
				t.match(payment(failed.status), { status: "payment-failed" });
				const seen = await find(one, asked);
				t.same(seen.status, failed.status);
				t.equal((await pay(one, payFor(seen))).status?.state, TASK_STATE_COMPLETED);
			},
		);

		await t.test("who follows it sees what another process makes of it", async (t) => {
			for (const end of ["paid", "cancelled"]) {
				const asked = await ask(one);
				const client = await connect(one);
				const events = client.resubscribeTask({ tenant: "", id: asked.id })[Symbol.asyncIterator]();
				t.match((await events.next()).value?.payload, { $case: "task" });
				await (end === "paid" ? pay(other, payFor(asked)) : cancel(other, asked));
				const seen = [];
				for (let next = await events.next(); !next.done; next = await events.next()) {
					seen.push(next.value.payload?.$case);
				}
				t.same(seen, [...(end === "paid" ? ["artifactUpdate"] : []), "statusUpdate"]);
			}
		});

		await t.test("its time is over at all of them", async (t) => {
			const asked = await ask(one);
			const [row] = (await rowsLeft()).filter(({ id }) => id === asked.id);
			const { expiresAt } = JSON.parse(String(row?.body));
			const left = expiresAt - Date.now();
			t.ok(left > LIMITS.waitingTaskTtlMs - 60_000 && left <= LIMITS.waitingTaskTtlMs);
			await cluster.sql(
				`UPDATE tollgraph.records SET body = replace(body, '${expiresAt}', '${Date.now()}')
					WHERE tbl = 'waiting_tasks' AND id = '${asked.id}'`,
			);
			for (const server of [one, other]) {
				await t.rejects(find(server, asked));
				await t.rejects(pay(server, payFor(asked)), /No task waits/);
			}
		});

		await t.test("it outlives the process that made it", async (t) => {
			const [first, second] = [await ask(one), await ask(one)];
			const exited = once(one.child, "exit");
			one.child.kill("SIGKILL");
			await exited;
			t.equal((await pay(other, payFor(first))).status?.state, TASK_STATE_COMPLETED, "at once");
			one = await start();
			t.equal((await pay(one, payFor(second))).status?.state, TASK_STATE_COMPLETED);
		});

		/** Kills the process at this step of a payment that it works on. */
		const killWhile = async (step: "verified" | "settled", message: Paying) => {
			const begun = once(steps, step);
			const cut = pay(one, message).catch(() => undefined);
			await begun;
			one.child.kill("SIGKILL");
			t.equal(await cut, undefined);
		};
		await t.test("paid once where its process died before the money moved", async (t) => {
			const before = await spent();
			const asked = await ask(one);
			const message = payFor(asked);
			await killWhile("verified", message);
			await t.rejects(pay(other, payFor(asked)), /is being paid for/, "as long as it may live");
			const done = await pay(other, message);
			t.equal(done.status?.state, TASK_STATE_COMPLETED);
			t.equal((await spent()) - before, PRICE);
			one = await start();
			t.same(bodyOf(await find(one, asked)), bodyOf(done));
		});

		await t.test("no other payment is taken where it died while the money moved", async (t) => {
			const before = await spent();
			const asked = await ask(one);
			const message = payFor(asked);
			await killWhile("settled", message);
			const open = await pay(other, message);
			t.equal(open.status?.state, TASK_STATE_WORKING, "what the facilitator says proves nothing");
			await t.rejects(pay(other, payFor(asked)), /whether the payment settled is not known yet/);
			await t.rejects(cancel(other, asked));
			t.equal((await spent()) - before, PRICE);
			const verified = await runTollgraph([
				...["ledger", "verify", "--json", "--data", join(folder, "data-command")],
				...shared,
			]);
			t.match(JSON.parse(verified.stdout), { status: "ok" });
		});
	},
);
