import t from "tap";
import { isSupported } from "../../skills/answers/report/findings.js";
import { findCitedSentence } from "../../src/evidence/cited-sentences.js";
import { filesWith } from "../support/files-below.js";
import { type Answer, sumOfAllEntries } from "../support/start-app.js";
import { times } from "../support/times.js";
import { CHAT, openChat, SESSIONS } from "./open-chat.js";
import { dataOf, readEvents } from "./start-stream.js";

t.test(
	"a chat remembers what it was about, cites every sentence and says how it understood",
	async (t) => {
		const { say, ask, app, money } = await openChat();
		const turns: [said: string, understood: string][] = [
			["How should a server roll out HSTS?", "How should a server roll out HSTS?"],
			["Is it a risk for users?", "Is HSTS a risk for users?"],
			["What is EIP-3009?", "What is EIP-3009?"],
			["and EIP-712?", "What is EIP-712?"],
		];
		for (const [index, [said, understood]] of turns.entries()) {
			const { status, body } = await say(said);
			t.equal(status, 200);
			t.equal(body.data.resolved_question, understood);
			t.equal(body.data.session.turns, index + 1);
			t.match(body.meta.cost, { amount_usd: "1.50", billing_type: "research_chat" });
			t.ok(body.data.answer.sentences.length > 0);
			for (const { text, citation_ids: ids } of body.data.answer.sentences) {
				const cited = body.data.citations.filter(({ n }: { n: number }) => ids.includes(n));
				t.equal(cited.length, ids.length);
				for (const { evidence_id: id, excerpt } of cited) {
					t.equal(findCitedSentence(app.catalog, id)?.text, excerpt);
				}
				t.ok(
					isSupported(text, cited.map((one: { excerpt: string }) => one.excerpt).join("\n")),
					text,
				);
			}
		}
		const paid = await money();
		const unanswered = await say("zzyzx quuxfrob?");
		t.match(unanswered.body, { data: { session: { turns: 4 }, answer: { sentences: [] } } });
		t.match(unanswered.body.meta, { decision: "ABSTAIN", cost: { charged: false } });
		t.equal(await money(), paid);

		const { body: history } = await ask("GET", `${SESSIONS}/s1/messages?limit=3`);
		t.same(
			history.data.items.map(({ message }: { message: string }) => message),
			turns.slice(0, 3).map(([said]) => said),
		);
		t.ok(history.data.items.every((one: Answer["body"]) => one.citations.length > 0));
		const cursor = history.meta.next_cursor;
		const { body: rest } = await ask("GET", `${SESSIONS}/s1/messages?limit=3&cursor=${cursor}`);
		t.match(rest, {
			data: { items: [{ n: 4, message: "and EIP-712?" }] },
			meta: { next_cursor: null },
		});
		t.equal(await money(), paid);
	},
);

t.test(
	"what was said is said again from memory, free, also behind turns of no graph",
	async (t) => {
		const { say, stream, money } = await openChat();
		const first = (await say("How should a server roll out HSTS?")).body.data;
		const paid = await money();
		for (const off of ["Who won the 2022 World Cup?", "zzyzx quuxfrob?", "How do I bake bread?"]) {
			t.match((await say(off)).body, {
				data: { answer: { sentences: [] }, session: { turns: 1 } },
				meta: { cost: { charged: false } },
			});
		}
		const again = (await say("Say that again.")).body;
		t.match(again, {
			data: { follow_up: "again", session: { turns: 1 } },
			meta: { decision: "ANSWER", cost: { charged: false }, warnings: [] },
		});
		t.equal(again.data.answer.text, first.answer.text);
		const second = (await say("repeat the second point")).body.data;
		t.equal(second.answer.sentences.length, 1);
		t.equal(second.answer.sentences[0].text, first.answer.sentences[1].text);
		const source = (await say("What was the source of the first?")).body.data;
		const [one] = first.answer.sentences;
		t.same(
			source.citations.map(({ evidence_id: id }: { evidence_id: string }) => id),
			first.citations
				.filter(({ n }: { n: number }) => one.citation_ids.includes(n))
				.map(({ evidence_id: id }: { evidence_id: string }) => id),
		);
		t.match((await say("repeat the fifth point")).body.meta, { decision: /./ });
		const told = await stream("repeat the second point");
		t.match(told.text, /research\.output\.done/);
		t.equal(await money(), paid);
	},
);

t.test(
	"what a follow-up puts beside the question before is answered, or costs nothing",
	async (t) => {
		const { say, money } = await openChat();
		await say("How should a server roll out HSTS?");
		const paid = await money();
		for (const said of ["and for chocolate cake", "with chocolate cake?"]) {
			const { body } = await say(said);
			t.match(body, {
				data: { follow_up: "ellipsis", answer: { sentences: [] }, session: { turns: 1 } },
				meta: { decision: "ABSTAIN", cost: { charged: false } },
			});
			t.match(body.data.resolved_question, /HSTS/);
		}
		t.equal(await money(), paid);
		const { body } = await say("And for subdomains?");
		t.match(body, { data: { follow_up: "ellipsis" }, meta: { cost: { charged: true } } });
	},
);

t.test("fifty turns at once on one session follow each other, and none is lost", async (t) => {
	const { say, ask, app, money } = await openChat();
	const messages = times(50, (index) => `Which HTTP status code asks for payment, take ${index}?`);
	const before = await money();
	const replies = await Promise.all(messages.map((message) => say(message, "busy")));
	t.same(
		replies.map(({ status }) => status),
		times(50, () => 200),
	);
	const numbers = replies.map(({ body }) => body.data.session.turns);
	t.same(new Set(numbers).size, 50);
	const told: { message: string; n: number }[] = [];
	let path = `${SESSIONS}/busy/messages?limit=50`;
	for (;;) {
		const { body } = await ask("GET", path);
		told.push(...body.data.items);
		if (body.meta.next_cursor === null) break;
		path = `${SESSIONS}/busy/messages?limit=50&cursor=${body.meta.next_cursor}`;
	}
	t.same(told.map(({ message }) => message).sort(), [...messages].sort());
	t.same(
		told.map(({ n }) => n),
		times(50, (index) => index + 1),
	);
	t.equal(before - (await money()), 75_000_000n);
	t.equal(await sumOfAllEntries(app), 0n);
});

t.test(
	"a turn that is sent again is answered from its evidence, charged once and kept once",
	async (t) => {
		const { say, ask, money } = await openChat();
		const before = await money();
		const key = { "Idempotency-Key": "once" };
		const first = await say("What is EIP-3009?", "s1", key);
		const again = await say("What is EIP-3009?", "s1", key);
		t.same(again.body.data.answer, first.body.data.answer);
		t.same(again.body.data.citations, first.body.data.citations);
		t.match(again.body.meta.warnings, [/answered before/]);
		t.match(again.body.meta.cost, { replayed: true, receipt_id: first.body.meta.cost.receipt_id });
		t.equal(again.body.data.session.turns, 1);
		t.match((await ask("GET", `${SESSIONS}/s1`)).body, { data: { turns: 1, session_id: "s1" } });
		t.equal(before - (await money()), 1_500_000n);
	},
);

t.test(
	"a paid turn whose session is deleted is not reported any more, and not answered again",
	async (t) => {
		const { say, stream, ask, money } = await openChat();
		const retry = { "Idempotency-Key": "follow-up" };
		await say("What is EIP-3009?");
		await say("What are its risks?", "s1", retry);
		const tell = (sessionId: string, headers?: Record<string, string>) =>
			stream("What is HPACK?", sessionId, headers);
		const told = await tell("s1");
		t.match(dataOf(told.text, "research.plan"), { session: { sessionId: "s1" } });
		const other = await tell("s2");
		const paid = await money();
		await ask("DELETE", `${SESSIONS}/s1`);
		t.equal((await tell("s1", { "Last-Event-ID": "0" })).status, 404, "its streams went with it");
		const goneId = dataOf(told.text, "research.created").stream_id;
		const exported = JSON.stringify((await ask("GET", "/v1/account/export")).body);
		t.notOk(exported.includes(goneId));
		t.same((await tell("s2", { "Last-Event-ID": "0" })).text, other.text, "and no other's");

		const gone = await say("What are its risks?", "s1", retry);
		t.match(gone, {
			status: 404,
			body: { error: { code: "NOT_FOUND", message: /new retry key/ } },
		});
		t.equal((await ask("GET", `${SESSIONS}/s1`)).status, 404);
		t.equal(await money(), paid);
		t.equal((await say("How should a server roll out HSTS?")).status, 200);
		t.equal((await say("What are its risks?", "s1", retry)).status, 404, "nor in another context");
		t.match((await ask("GET", `${SESSIONS}/s1`)).body.data, { turns: 1 });
	},
);

t.test("a session is its owner's alone, and can be named, limited and deleted", async (t) => {
	const { say, ask, app, issueSpt, send } = await openChat();
	await say("What is EIP-3009?", "shared name");
	const { token } = await issueSpt("9.00");
	const asStranger = (method: string, path: string, body?: object) =>
		send(path, {
			method,
			headers: { "X-Pay-SPT": token, "Content-Type": "application/json" },
			...(body && { body: JSON.stringify(body) }),
		});
	const named = `${SESSIONS}/${encodeURIComponent("shared name")}`;
	const { body: mine } = await ask("GET", named);
	for (const path of [named, `${SESSIONS}/${mine.data.id}`]) {
		t.equal((await asStranger("GET", path)).status, 404);
		t.equal((await asStranger("GET", `${path}/messages`)).status, 404);
		t.equal((await asStranger("PATCH", path, { title: "x" })).status, 404);
		t.equal((await asStranger("DELETE", path)).status, 404);
		t.equal((await send(path)).status, 404);
	}
	t.match((await asStranger("GET", SESSIONS)).body.data, { items: [] });
	const theirs = await asStranger("POST", CHAT, { sessionId: "shared name", message: "Why?" });
	t.match(theirs.body.data, { resolved_question: "Why?" });

	const { key: second } = await app.operator.createKey({ label: "other" });
	t.equal((await ask("GET", named, undefined, second)).status, 404);
	t.equal((await ask("PATCH", named, {})).status, 400);
	t.match((await ask("PATCH", named, { graphs: ["no-such-graph"] })).body, {
		error: { code: "INVALID_ARGUMENT", details: [{ path: "graphs" }] },
	});
	const limited = await ask("PATCH", named, { title: "Tokens", graphs: ["python-evolution"] });
	t.match(limited.body.data, { title: "Tokens", graphs: ["python-evolution"], turns: 1 });
	const elsewhere = await say("Which typing syntax was refused?", "shared name");
	t.same(elsewhere.body.meta.graphs_used, ["python-evolution"]);
	t.match((await ask("GET", SESSIONS)).body.data, { items: [{ session_id: "shared name" }] });
	t.match((await ask("DELETE", named)).body.data, { id: mine.data.id, status: "deleted" });
	t.equal((await ask("GET", named)).status, 404);
	const anew = await say("And what of it?", "shared name");
	t.equal(anew.body.data.resolved_question, "And what of it?");
});

t.test("messages are nowhere but in their session, and go with it", async (t) => {
	const canary = "take 70";
	const { say, ask, app, clock, folder, accountId } = await openChat(t);
	const message = (n: number) =>
		`Which HTTP status code, 402 Payment Required, asks a client to pay in x402 before the resource is served, ${canary}${n}?`;
	const holding = (text: string) =>
		filesWith(folder, text).filter((path) => !path.includes("quer"));
	for (const n of [1, 2, 3]) t.equal((await say(message(n), `s${n}`)).status, 200);
	const answer = "no header, body or payment flow is standardised";
	const sold = holding(answer).filter((path) => !/graph|index/.test(path));
	t.same(sold, [], "no answer is kept");
	t.equal(holding(`${canary}1`).length, 1);
	const { body: exported } = await ask("GET", "/v1/account/export");
	t.match(exported.data.chats, [{ turns: [{ message: message(1) }] }, {}, {}]);

	await ask("DELETE", `${SESSIONS}/s1`);
	t.same(holding(`${canary}1`), []);
	clock.advance(364 * 24 * 3_600_000);
	await say(message(4), "s2");
	clock.advance(2 * 24 * 3_600_000);
	t.equal((await ask("GET", `${SESSIONS}/s3`)).status, 404);
	await app.operator.purge();
	t.same(holding(`${canary}3`), []);
	t.equal(holding(`${canary}2`).length, 1, "the year begins with the last turn");
	const left = await app.store.read((reader) => reader.balance(`cust:${accountId}`));
	const usd = `${left / 1_000_000n}.${String((left % 1_000_000n) / 10_000n).padStart(2, "0")}`;
	t.equal((await ask("DELETE", `/v1/account?confirm=${usd}`)).status, 200);
	t.same(holding(canary), []);
});

t.test("an account that keeps no text has no session: each turn stands alone", async (t) => {
	const { say, ask, app, accountId } = await openChat();
	await app.operator.setAccount({ account_id: accountId, zero_retention: true });
	await ask("PATCH", "/v1/account", { retention: "zero" });
	await say("What is EIP-3009?");
	const { body } = await say("Who wrote that standard, EIP-3009?");
	t.match(body, { data: { session: { id: null } }, meta: { warnings: [/keeps no text/] } });
	t.same((await ask("GET", SESSIONS)).body.data.items, []);
	const rows = await app.store.read((reader) => reader.findBy("chats", "owner", accountId));
	t.same(rows, []);
});

t.test("a turn can be streamed step by step, and is the same turn", async (t) => {
	const { say, stream, ask, money } = await openChat();
	await say("What is EIP-3009?");
	const before = await money();
	const { text } = await stream("And EIP-712?");
	const done = dataOf(text, "research.output.done");
	t.match(done, { resolved_question: "What is EIP-712?", session: { turns: 2 } });
	t.equal(dataOf(text, "research.plan").question, "What is EIP-712?");
	const numbers = new Set(done.citations.map(({ n }: { n: number }) => n));
	for (const { citation_ids: ids } of done.answer.sentences) {
		t.ok(ids.every((n: number) => numbers.has(n)));
	}
	const resumed = await stream("And EIP-712?", "s1", { "Last-Event-ID": "4" });
	t.same(readEvents(resumed.text), readEvents(text).slice(4));
	t.equal(before - (await money()), 1_500_000n);
	t.match((await ask("GET", `${SESSIONS}/s1/messages`)).body.data.items, [
		{ message: "What is EIP-3009?" },
		{ message: "And EIP-712?", resolved_question: "What is EIP-712?" },
	]);
	t.equal((await say("Why?")).body.data.resolved_question, "Why: What is EIP-712?");
});
