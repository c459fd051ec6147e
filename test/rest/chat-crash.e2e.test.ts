import { join } from "node:path";
import t, { type Test } from "tap";
import { CHAT_LIMITS } from "../../src/core/chat-limits.js";
import { openAccount } from "../auth/open-account.js";
import { CHAT, SESSIONS } from "./open-chat.js";

const RETRY = { "Idempotency-Key": "one-turn" };

t.test(
	"a turn that was paid for is in its session though the process died before it was written",
	async (t) => {
		const folder = join(t.testdir({}), "data");
		const first = await open(t, { folder });
		await first.say("What is EIP-3009?");
		// From the capture on nothing of the session reaches the disk.
		first.breakDisk((id) => id.startsWith("cht_"));
		const paid = await first.say("What are its risks?", RETRY);
		t.match(paid, { status: 200, body: { data: { session: { turns: 2 } } } });
		t.match((await first.sessions())[0], { turns: 1 });
		await first.close();

		const second = await open(t, { folder, key: first.key });
		t.match(await second.sessions(), [{ session_id: "s1", turns: 2 }]);
		const { items } = (await second.ask("GET", `${SESSIONS}/s1/messages`)).body.data;
		t.match(items[1], { n: 2, message: "What are its risks?" });
		const again = await second.say("What are its risks?", RETRY);
		t.match(again, { status: 200, body: { meta: { cost: { replayed: true } } } });
		t.equal((await second.staged()).length, 0);
		const more = await second.say("And its benefits?");
		t.match(more.body.data.session, { turns: 3 });
	},
);

t.test("so is one that began its session", async (t) => {
	const folder = join(t.testdir({}), "data");
	const first = await open(t, { folder });
	first.breakDisk((id) => id.startsWith("cht_"));
	t.equal((await first.say("What is EIP-3009?")).status, 200);
	t.same(await first.sessions(), []);
	await first.close();
	const second = await open(t, { folder, key: first.key });
	t.match(await second.sessions(), [{ session_id: "s1", turns: 1 }]);
});

t.test("a turn nobody paid for is forgotten with the process, and before it in time", async (t) => {
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

/** A shop on a folder; each test's account stays the same over its processes. */
async function open(t: Test, { folder, key }: { folder: string; key?: string }) {
	const shop = await openAccount(t, { folder, usd: "99.00" });
	const mine = key ?? shop.key;
	const { store } = shop.app;
	const ask: typeof shop.ask = (method, path, body) => shop.ask(method, path, body, mine);
	return {
		...shop,
		key: mine,
		ask,
		say: (message: string, headers: Record<string, string> = {}) =>
			shop.send(CHAT, {
				method: "POST",
				headers: { "X-API-Key": mine, "Content-Type": "application/json", ...headers },
				body: JSON.stringify({ sessionId: "s1", message }),
			}),
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
		},
	};
}
