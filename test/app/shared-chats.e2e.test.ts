import { once } from "node:events";
import { join } from "node:path";
import t from "tap";
import { startPostgres, WITHOUT_POSTGRES } from "../support/postgres-cluster.js";
import { runTollgraph, type ServerProcess, startServerProcess } from "../support/server-process.js";
import { startWriterServer } from "../support/writer-server.js";

const LIGHT = ["--model", "none", "--judge", "none", "--facilitator", "off"];
const CHAT = "/v1/research/chat";
const PRICE = 1.5;
const AT_ONCE = 12;

interface Reply {
	readonly status: number;
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it asserts on.
	readonly body: any;
}

t.test("the turns of a chat come to several processes", { skip: WITHOUT_POSTGRES }, async (t) => {
	const cluster = await startPostgres();
	t.teardown(() => cluster.stop());
	const folder = t.testdir();
	const shared = ["--keys", join(folder, "keys"), "--store-url", cluster.url, ...LIGHT];
	const start = async (name: string, ...more: readonly string[]) => {
		const server = await startServerProcess(["--data", join(folder, name), ...shared, ...more]);
		t.teardown(() => server.child.kill("SIGKILL"));
		return server;
	};
	let isAsked = () => undefined as unknown;
	const asked = new Promise<void>((resolve) => {
		isAsked = () => resolve();
	});
	// Never answers: its process is killed while the answer is being written.
	const model = await startWriterServer(t, () => void isAsked());
	const [a, b] = [await start("a"), await start("b")];
	const at = (index: number) => (index % 2 === 0 ? a : b);
	const issue = async () => {
		const data = join(folder, "command");
		const args = ["spt", "issue", "--usd", "90", "--json", "--data", data, ...shared];
		const issued = await runTollgraph(args);
		t.equal(issued.code, 0, issued.stderr);
		return JSON.parse(issued.stdout).token as string;
	};
	const send = async (server: ServerProcess, path: string, init: RequestInit): Promise<Reply> => {
		const response = await fetch(`${server.ready.base_url}${path}`, init);
		return { status: response.status, body: await response.json() };
	};
	const turnOf = (token: string, message: string, sessionId: string) => ({
		method: "POST",
		headers: { "X-Pay-SPT": token, "Content-Type": "application/json" },
		body: JSON.stringify({ sessionId, message }),
	});
	const say = (server: ServerProcess, token: string, message: string, sessionId = "s1") =>
		send(server, CHAT, turnOf(token, message, sessionId));
	const messages = async (server: ServerProcess, token: string, sessionId = "s1") => {
		const headers = { "X-Pay-SPT": token };
		const path = `${CHAT}/sessions/${sessionId}/messages?limit=100`;
		return (await send(server, path, { headers })).body.data.items as readonly {
			readonly n: number;
			readonly message: string;
		}[];
	};
	const charged = async (token: string) => {
		const { body } = await send(a, "/v1/spt/balance", { headers: { "X-Pay-SPT": token } });
		return 90 - Number(body.data.balance_usd);
	};
	const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

	await t.test("each knows those before it, wherever they were", async (t) => {
		const token = await issue();
		const said = ["What is EIP-3009?", "and EIP-712?", "What is HSTS?", "and EIP-3009?"];
		for (const [index, message] of said.entries()) {
			const { status, body } = await say(at(index), token, message);
			t.equal(status, 200, JSON.stringify(body));
			t.equal(body.data.session.turns, index + 1);
			t.equal(body.data.resolved_question, message.replace("and", "What is"));
		}
		for (const server of [a, b]) {
			t.same(
				(await messages(server, token)).map(({ n, message }) => [n, message]),
				said.map((message, index) => [index + 1, message]),
			);
		}
		t.equal(await charged(token), said.length * PRICE);
	});

	await t.test("those at once follow each other, and each is charged once", async (t) => {
		const token = await issue();
		const replies = await Promise.all(
			numbers(AT_ONCE).map((n) => say(at(n), token, "What is EIP-3009?", "at-once")),
		);
		t.same(
			replies.map(({ status }) => status),
			replies.map(() => 200),
		);
		const sessions = new Set(replies.map(({ body }) => body.data.session.id));
		t.equal(sessions.size, 1, "one session, though none of them found it");
		t.same(
			replies.map(({ body }) => body.data.session.turns).sort((one, other) => one - other),
			numbers(AT_ONCE),
		);
		const kept = await messages(b, token, "at-once");
		t.same(
			kept.map(({ n }) => n),
			numbers(AT_ONCE),
		);
		t.equal(await charged(token), AT_ONCE * PRICE);
		const left = await cluster.sql(
			"SELECT body FROM tollgraph.records WHERE tbl = 'turn_queues' OR (tbl = 'artefacts' AND body LIKE '%chat_turn%')",
		);
		t.same(left, [], "no place and no turn is left");
	});

	await t.test("so many wait for a turn and no more, counted over all", async (t) => {
		const token = await issue();
		await say(a, token, "What is EIP-3009?");
		const [row] = (await cluster.sql(
			"SELECT id FROM tollgraph.processes ORDER BY id LIMIT 1",
		)) as readonly { id: string }[];
		const [chat] = (await cluster.sql(
			"SELECT k1 FROM tollgraph.records WHERE tbl = 'chats' ORDER BY body::json->>'createdAt' DESC LIMIT 1",
		)) as readonly { k1: string }[];
		const id = `seats|${chat?.k1}`;
		const waiting = (count: number) =>
			JSON.stringify({
				id,
				waiting: numbers(count).map((n) => ({ processId: row?.id, n: -n, until: 9e12 })),
			});
		const put = (count: number) =>
			cluster.sql(
				`INSERT INTO tollgraph.records (tbl, id, body) VALUES ('turn_queues', '${id}', '${waiting(count)}') ON CONFLICT (tbl, id) DO UPDATE SET body = excluded.body`,
			);
		await put(100);
		t.match(await say(b, token, "and EIP-712?"), { status: 429 });
		await put(99);
		const last = say(b, token, "and EIP-712?");
		for (;;) {
			const [found] = (await cluster.sql(
				"SELECT body FROM tollgraph.records WHERE tbl = 'turn_queues'",
			)) as readonly { body: string }[];
			if (JSON.parse(found?.body ?? "{}").waiting.length === 100) break;
		}
		t.match(await say(a, token, "and EIP-712?"), { status: 429 });
		await cluster.sql(
			`UPDATE tollgraph.records SET body = regexp_replace(body, '9000000000000', '1', 'g') WHERE tbl = 'turn_queues'`,
		);
		t.match(await last, { status: 200 });
		t.equal(await charged(token), 2 * PRICE);
	});

	await t.test(
		"a process that is killed within a turn keeps the next one waiting for no longer than its lease",
		async (t) => {
			const token = await issue();
			const writer = ["--writer-url", model.url, "--writer-model", "m", "--judge", "bundled"];
			const victim = await start("victim", ...writer, "--writer-timeout-ms", "60000");
			await say(a, token, "What is EIP-3009?");
			const cut = fetch(
				`${victim.ready.base_url}${CHAT}/stream`,
				turnOf(token, "What is EIP-712?", "s1"),
			)
				.then((response) => response.text())
				.catch(() => undefined);
			await asked;
			const exited = once(victim.child, "exit");
			victim.child.kill("SIGKILL");
			await exited;
			await cut;
			const killedMs = Date.now();
			const next = await say(b, token, "What is HSTS?");
			t.equal(next.status, 200, JSON.stringify(next.body));
			t.ok(Date.now() - killedMs < 30_000);
			t.equal(next.body.data.session.turns, 3, "the one that was paid for is not lost");
			t.same(
				(await messages(a, token)).map(({ n, message }) => [n, message]),
				[
					[1, "What is EIP-3009?"],
					[2, "What is EIP-712?"],
					[3, "What is HSTS?"],
				],
			);
			t.equal(await charged(token), 3 * PRICE);
		},
	);
});
