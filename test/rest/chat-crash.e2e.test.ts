import { join } from "node:path";
import t, { type Test } from "tap";
import { CHAT_LIMITS } from "../../skills/chat/chat-turns.js";
import type { Settings } from "../../src/settings/read-settings.js";
import { openAccount, useFreeCalls } from "../auth/open-account.js";
import { movingClock } from "../support/manual-clock.js";
import type { Answer } from "../support/start-app.js";
import { handJudge } from "../support/word-judge.js";
import { startWriterServer } from "../support/writer-server.js";
import { CHAT, SESSIONS } from "./open-chat.js";
import { dataOf } from "./start-stream.js";

const isSession = (id: string) => id.startsWith("cht_");
const RETRY = { "Idempotency-Key": "one-turn" };

t.test(
	"a turn that was paid for is in its session though the process died before it was written",
	async (t) => {
		const folder = join(t.testdir({}), "data");
		const first = await open(t, { folder });
		await first.say("What is EIP-3009?");
		// From the capture on nothing of the session reaches the disk.
		first.breakDisk(isSession);
		const paid = await first.say("What does it let a token holder sign?", RETRY);
		t.match(paid, { status: 200, body: { data: { session: { turns: 2 } } } });
		t.match((await first.sessions())[0], { turns: 1 });
		await first.close();

		const second = await open(t, { folder, key: first.key });
		t.match(await second.sessions(), [{ session_id: "s1", turns: 2 }]);
		const { items } = (await second.ask("GET", `${SESSIONS}/s1/messages`)).body.data;
		t.match(items[1], { n: 2, message: "What does it let a token holder sign?" });
		const again = await second.say("What does it let a token holder sign?", RETRY);
		t.match(again, { status: 200, body: { meta: { cost: { replayed: true } } } });
		t.equal((await second.staged()).length, 0);
		const more = await second.say("Does it create an allowance?");
		t.match(more.body.data.session, { turns: 3 });
	},
);

t.test("so is one that began its session", async (t) => {
	const folder = join(t.testdir({}), "data");
	const first = await open(t, { folder });
	first.breakDisk(isSession);
	t.equal((await first.say("What is EIP-3009?")).status, 200);
	t.same(await first.sessions(), []);
	await first.close();
	const second = await open(t, { folder, key: first.key });
	t.match(await second.sessions(), [{ session_id: "s1", turns: 1 }]);
});

t.test("an unpaid turn is forgotten with the process, and before it in time", async (t) => {
	const folder = join(t.testdir({}), "data");
	const first = await open(t, { folder });
	await first.stageUnpaid();
	t.equal((await first.staged()).length, 1);
	await first.close();
	const second = await open(t, { folder, key: first.key });
	t.same(await second.sessions(), []);
	t.same(await second.staged(), []);
	await second.stageUnpaid();
	second.clock.advance(CHAT_LIMITS.stagedMs);
	await second.app.operator.purge();
	t.same(await second.staged(), []);
});

t.test(
	"where a turn cannot be put to rest nothing is charged, and an export shows none",
	async (t) => {
		const shop = await open(t, { folder: join(t.testdir({}), "data") });
		await shop.stageUnpaid();
		const exported = await shop.ask("GET", "/v1/account/export");
		t.notOk(JSON.stringify(exported.body).includes("nobody paid"));
		shop.breakDisk((id) => id.startsWith("art_"));
		const balance = () => shop.app.store.read((reader) => reader.balance(`cust:${shop.accountId}`));
		const before = await balance();
		t.equal((await shop.say("What is EIP-3009?")).status, 500);
		t.equal(await balance(), before);
	},
);

for (const isBroken of [isSession, (id: string) => isSession(id) || id.startsWith("str_")]) {
	t.test("so is one that was streamed, and is streamed again from it", async (t) => {
		const folder = join(t.testdir({}), "data");
		const first = await open(t, { folder });
		first.breakDisk(isBroken);
		const told = await first.stream("What is EIP-3009?", RETRY);
		const { citations } = dataOf(told.body, "research.output.done");
		t.ok(citations.length > 0, "what cannot be written yet is answered all the same");
		t.ok(dataOf(told.body, "research.completed").is_answered);
		await first.close();

		const second = await open(t, { folder, key: first.key });
		t.match(await second.sessions(), [{ session_id: "s1", turns: 1 }]);
		t.same(await second.staged(), []);
		const again = await second.stream("What is EIP-3009?", RETRY);
		t.equal(again.status, 200);
		const idsOf = (all: { evidence_id: string }[]) => all.map((one) => one.evidence_id);
		const toldAgain = new Set(idsOf(dataOf(again.body, "research.output.done").citations));
		t.ok(idsOf(citations).every((id) => toldAgain.has(id)));
		const receiptOf = ({ body }: Answer) => dataOf(body, "research.usage").cost.receipt_id;
		t.equal(receiptOf(again), receiptOf(told));
	});
}

t.test(
	"a stream that breaks off behind its evidence leaves a turn with that evidence",
	async (t) => {
		const folder = join(t.testdir({}), "data");
		// Never answers: the process ends while the answer is being written.
		let isAsked = () => undefined as unknown;
		const asked = new Promise<void>((resolve) => {
			isAsked = () => resolve();
		});
		const model = await startWriterServer(t, () => void isAsked());
		const writer = { url: model.url, model: "m", timeoutMs: 60_000, apiKey: undefined };
		const first = await open(t, { folder, settings: { writer } });
		first.breakDisk(isSession);
		const leaving = new AbortController();
		const telling = first.stream("What is EIP-3009?", RETRY, leaving.signal);
		await asked;
		t.equal((await first.staged()).length, 1, "at rest before its answer is written");
		leaving.abort();
		await t.rejects(telling);
		await first.close();

		const second = await open(t, { folder, key: first.key });
		const { items } = (await second.ask("GET", `${SESSIONS}/s1/messages`)).body.data;
		t.match(items, [{ n: 1, message: "What is EIP-3009?" }]);
		t.ok(items[0].citations.length > 0);
	},
);

t.test("a stream whose turn cannot be put to rest is not charged and begins nothing", async (t) => {
	const shop = await open(t, { folder: join(t.testdir({}), "data") });
	await useFreeCalls(shop);
	const balance = () => shop.app.store.read((reader) => reader.balance(`cust:${shop.accountId}`));
	const before = await balance();
	const mend = shop.breakDisk((id) => id.startsWith("art_"));
	t.equal((await shop.stream("What is EIP-3009?", RETRY)).status, 500);
	t.equal(await balance(), before);
	t.same(await shop.sessions(), []);
	mend();
	t.equal((await shop.stream("What is EIP-3009?", RETRY)).status, 200);
	t.equal(before - (await balance()), 1_500_000n);
	t.match(await shop.sessions(), [{ turns: 1 }]);
});

t.test("a turn that is still at rest is known to those who come after", async (t) => {
	const folder = join(t.testdir({}), "data");
	const first = await open(t, { folder });
	const mend = first.breakDisk(isSession);
	t.equal((await first.say("What is EIP-3009?", RETRY)).status, 200);
	mend();
	const later = await first.say("Which HTTP status code asks for payment?");
	t.match(later.body.data.session, { turns: 2 });
	t.match((await first.say("What is EIP-3009?", RETRY)).body.meta, { cost: { replayed: true } });
	await first.close();
	const second = await open(t, { folder, key: first.key });
	const { items } = (await second.ask("GET", `${SESSIONS}/s1/messages`)).body.data;
	t.match(items, [
		{ n: 1, message: "What is EIP-3009?" },
		{ n: 2, message: "Which HTTP status code asks for payment?" },
	]);
	t.same(await second.staged(), []);
});

t.test("a session that is deleted takes the turns along that are at rest beside it", async (t) => {
	const folder = join(t.testdir({}), "data");
	const first = await open(t, { folder });
	await first.say("What is EIP-3009?");
	const mend = first.breakDisk(isSession);
	await first.say("What does it let a token holder sign?", RETRY);
	mend();
	t.equal((await first.staged()).length, 1);
	t.equal((await first.ask("DELETE", `${SESSIONS}/s1`)).status, 200);
	t.same(await first.staged(), []);
	t.equal(
		(await first.say("What does it let a token holder sign?", RETRY)).status,
		404,
		"and is not told again",
	);
	const anew = await first.say("And what of it?");
	t.match(anew.body.data, { resolved_question: "And what of it?" }, "nor referred to");
	await first.close();
	const second = await open(t, { folder, key: first.key });
	t.notMatch(JSON.stringify(await second.sessions()), /"turns":[2-9]/);
	const { body } = await second.ask("GET", "/v1/account/export");
	t.notMatch(JSON.stringify(body.data.chats), /risks|EIP-3009/);
});

/** A shop on a folder, on a clock that goes on; each test's account stays the same over its processes. */
async function open(
	t: Test,
	{ folder, key, settings = {} }: { folder: string; key?: string; settings?: Partial<Settings> },
) {
	const clock = movingClock("2026-03-10T12:00:00Z");
	const judge = handJudge();
	const shop = await openAccount(t, { folder, usd: "99.00", clock, settings, judge });
	const mine = key ?? shop.key;
	const { store } = shop.app;
	const ask: typeof shop.ask = (method, path, body) => shop.ask(method, path, body, mine);
	const sayAt =
		(path: string) =>
		(message: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
			shop.send(path, {
				method: "POST",
				...(signal && { signal }),
				headers: { "X-API-Key": mine, "Content-Type": "application/json", ...headers },
				body: JSON.stringify({ sessionId: "s1", message }),
			});
	return {
		...shop,
		key: mine,
		ask,
		say: sayAt(CHAT),
		/** The same turn, reported step by step. */
		stream: sayAt(`${CHAT}/stream`),
		sessions: async () => (await ask("GET", SESSIONS)).body.data.items,
		staged: async () => {
			const rows = await store.read((reader) => reader.list("artefacts"));
			return rows.filter(({ kind }) => kind === "chat_turn");
		},
		/** What a process leaves that died between an answer and its capture. */
		async stageUnpaid() {
			const { accountId: owner, clock } = shop;
			const id = `art_${owner.slice(4)}`;
			const expiresAt = clock.now() + CHAT_LIMITS.stagedMs;
			const place = { id: "cht_x", key: "x", owner, sessionId: "s9" };
			const turn = { n: 1, at: clock.now(), callId: "hold_gone", message: "nobody paid" };
			await store.documents.put(id, JSON.stringify({ place, turn }), expiresAt);
			const row = { id, owner, kind: "chat_turn", createdAt: clock.now(), expiresAt };
			await store.transaction((tx) => tx.put("artefacts", row));
		},
		breakDisk(isBroken: (id: string) => boolean) {
			const { put } = store.documents;
			Object.assign(store.documents, {
				put: (id: string, text: string, expiresAt: number) =>
					isBroken(id) ? Promise.reject(new Error("out of order")) : put(id, text, expiresAt),
			});
			return () => Object.assign(store.documents, { put });
		},
	};
}
