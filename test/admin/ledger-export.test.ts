import { EventEmitter, once } from "node:events";
import { request, type ServerResponse } from "node:http";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import express from "express";
import t from "tap";
import { z } from "zod";
import { lines, long } from "../../src/admin/admin.js";
import { createOperatorClient } from "../../src/cli/operator-client.js";
import { listen } from "../../src/http/server.js";
import { systemClock } from "../../src/kernel/clock.js";
import { startApp } from "../support/start-app.js";

/** Of a thousand bytes each: more than all buffers on the way take. */
const LINES_MAX = 200_000;
const silent = { info: () => undefined, error: () => undefined };

t.test("the export and the backup go through the admin interface", async (t) => {
	const shop = await startApp(t, { settings: { model: "none" } });
	await shop.issueSpt("2");
	const headers = {
		Authorization: `Bearer ${shop.app.adminToken}`,
		"Content-Type": "application/json",
	};
	const exported = await fetch(`${shop.baseUrl}/v1/admin/ledger/export`, { headers });
	t.equal(exported.headers.get("content-type"), "application/x-ndjson");
	const [first = "", last = ""] = (await exported.text()).trimEnd().split("\n");
	t.match(JSON.parse(first), { postings: [{ kind: "credit" }], receipts: [] });
	t.same(JSON.parse(last), { result: { lines: 1 } });

	const backUp = async (folder: unknown) => {
		const body = JSON.stringify({ folder });
		const init = { method: "POST", headers, body };
		return (await fetch(`${shop.baseUrl}/v1/admin/backups`, init)).text();
	};
	t.match(await backUp("relative"), /INVALID_ARGUMENT.*relative/);
	t.match(await backUp(join(shop.folder, "in")), /inside the data folder/);
	t.match(await backUp(join(shop.folder, "..", "copy")), /"result":.*"holds_secrets":true/);
	t.match(await backUp(7), /INVALID_ARGUMENT/);
	t.equal((await shop.send("/v1/admin/ledger/export")).status, 401);
	t.equal((await shop.send("/v1/admin/backups", { method: "POST" })).status, 401);
});

t.test(
	"an export is made no faster than it is read, and ends when its reader leaves",
	async (t) => {
		let [made, isOver] = [0, false];
		async function* endless() {
			try {
				while (made < LINES_MAX) {
					made += 1;
					yield "x".repeat(1_000);
				}
			} finally {
				isOver = true;
			}
		}
		let answer: ServerResponse | undefined;
		const app = express().get(
			"/",
			(_req, res, next) => {
				answer = res;
				next();
			},
			lines(silent, () => endless()),
		);
		const server = await listen(app, { host: "127.0.0.1", port: 0, clock: systemClock });
		t.teardown(() => server.drain());
		const reader = request({ host: "127.0.0.1", port: server.port }).end();
		await once(reader, "response");
		while (!answer?.writableNeedDrain) await nextTurn();
		for (let turn = 0; turn < 1_000; turn++) await nextTurn();
		t.notOk(isOver, `it waits after ${made} lines`);
		reader.destroy();
		while (!isOver) await nextTurn();
		t.ok(made < LINES_MAX);
	},
);

t.test("long work that has nothing to report keeps its connection", async (t) => {
	const done = new EventEmitter();
	const clock = { every: (_ms: number, task: () => void) => systemClock.every(10, task) };
	const app = express().get(
		"/",
		long(z.unknown(), { logger: silent, clock }, async () => {
			await once(done, "done");
			return { ok: true };
		}),
	);
	const server = await listen(app, { host: "127.0.0.1", port: 0, clock: systemClock });
	t.teardown(() => server.drain());
	const { body } = await fetch(`http://127.0.0.1:${server.port}/`);
	let text = "";
	for await (const chunk of body ?? []) {
		text += Buffer.from(chunk).toString();
		if (/^\n\n/.test(text)) done.emit("done");
	}
	t.match(text, /^\n+\{"result":\{"ok":true\}\}\n$/);
});

const SERVER = { pid: 1, host: "h", started: "", admin_url: "http://127.0.0.1", token: "adm_x" };

t.test("a client skips empty lines, and says what a broken answer means", async (t) => {
	const backUp = (body: string | ReadableStream) => {
		const egress = { request: async () => new Response(body) };
		const done: number[] = [];
		const client = createOperatorClient(egress, SERVER);
		return client
			.backUp({ folder: "/copy" }, (progress) => done.push(progress.done))
			.then(() => done);
	};
	const progress = '{"progress":{"done":1,"total":2}}\n';
	t.same(await backUp(`\n\n${progress}\n{"result":{"folder":"/copy"}}\n`), [1]);
	const broken = new ReadableStream({
		pull: (controller) => controller.error(new TypeError("terminated")),
	});
	for (const body of [broken, `${progress}{"resu`, progress, "<html>\n"]) {
		await t.rejects(backUp(body), { code: "UNAVAILABLE", message: /broke off.*may be finishing/ });
	}
});

t.test("a client distinguishes an export that was cut short from a whole one", async (t) => {
	const read = async (body: string, status = 200): Promise<string[]> => {
		const egress = { request: async () => new Response(body, { status }) };
		const found: string[] = [];
		for await (const line of createOperatorClient(egress, SERVER).exportLedger()) found.push(line);
		return found;
	};
	const line = '{"postings":[],"receipts":[]}';
	t.same(await read(`${line}\n${line}\n{"result":{"lines":2}}\n`), [line, line]);
	await t.rejects(read(`${line}\n`), { code: "UNAVAILABLE", message: /not all/ });
	await t.rejects(read(`${line}\n{"error":{"code":"UNAVAILABLE","message":"damaged"}}\n`), {
		message: "damaged",
	});
	await t.rejects(read('{"error":{"code":"UNAUTHENTICATED","message":"no"}}', 401), {
		code: "UNAUTHENTICATED",
	});
});
