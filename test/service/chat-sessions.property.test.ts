import fc from "fast-check";
import t from "tap";
import { createChatRecords } from "../../skills/chat/chat-records.js";
import { createChatRoom, createStagedTurns } from "../../skills/chat/chat-room.js";
import type { ChatSeat } from "../../skills/chat/chat-turns.js";
import { CHAT_LIMITS } from "../../skills/chat/chat-turns.js";
import type { Caller } from "../../src/contract/call.js";
import { createIds, systemRandom } from "../../src/kernel/ids.js";
import { createTurnQueue } from "../../src/kernel/turn-queue.js";
import { createMemoryStore } from "../a2a/memory-store.js";
import { manualClock } from "../support/manual-clock.js";

const live = () => new AbortController().signal;
const OWNER: Caller = { owner: "tok_1", rail: "spt" };

function openRoom() {
	const clock = manualClock("2026-11-22T12:00:00Z");
	const store = createMemoryStore();
	const records = createChatRecords({ store, clock });
	const ids = createIds({ clock, random: systemRandom });
	const queues = { writes: createTurnQueue(), seats: createTurnQueue() };
	const parts = { records, ...queues, ids, clock };
	const logger = { error: () => undefined };
	const staged = createStagedTurns({ ...parts, store, logger });
	return {
		clock,
		records,
		store,
		staged,
		room: createChatRoom({ ...parts, staged }),
	};
}

const turn = (message: string, callId = message) => ({
	at: 0,
	callId,
	message,
	question: message,
	kind: "alone" as const,
	cited: [],
	missing: [],
	writer: "extractive",
});

const pause = (steps: number) =>
	Array.from({ length: steps }).reduce<Promise<void>>((done) => done.then(), Promise.resolve());

const isRising = (numbers: readonly number[]) =>
	numbers.every((n, place) => place === 0 || n > (numbers[place - 1] ?? 0));

/** One turn: thinks for a while, is paid for a while later, or not at all. */
interface Planned {
	readonly session: "a" | "b";
	readonly thinks: number;
	readonly paysAfter: number;
	readonly end: "paid" | "unpaid" | "unanswered" | "failed";
}

const planned: fc.Arbitrary<Planned> = fc.record({
	session: fc.constantFrom("a", "b"),
	thinks: fc.nat({ max: 12 }),
	paysAfter: fc.nat({ max: 40 }),
	end: fc.constantFrom("paid", "paid", "paid", "unpaid", "unanswered", "failed"),
});

t.test(
	"turns follow each other in order of arrival, and what is paid for is remembered in it",
	async (t) => {
		const property = fc.asyncProperty(fc.array(planned, { maxLength: 30 }), async (plans) => {
			const { records, room } = openRoom();
			const begun: Record<string, number[]> = { a: [], b: [] };
			const inside: Record<string, number> = { a: 0, b: 0 };
			let wasAlone = true;
			const take = async ({ session, thinks, paysAfter, end }: Planned, index: number) => {
				const seat: ChatSeat = await room.enter(OWNER, session, live());
				begun[session]?.push(index);
				inside[session] = (inside[session] ?? 0) + 1;
				wasAlone &&= inside[session] === 1;
				await pause(thinks);
				const isAnswered = end === "paid" || end === "unpaid";
				const added = isAnswered ? await seat.add(turn(String(index))) : undefined;
				inside[session] = (inside[session] ?? 0) - 1;
				seat.leave();
				if (end !== "paid") return;
				await pause(paysAfter);
				await added?.remember();
			};
			await Promise.all(plans.map(take));
			for (const session of ["a", "b"]) {
				const mine = plans.flatMap((plan, index) =>
					plan.session === session ? [{ ...plan, index }] : [],
				);
				t.same(
					begun[session],
					mine.map(({ index }) => index),
				);
				const paid = mine.filter(({ end }) => end === "paid");
				const kept = (await records.findOwn(OWNER, session))?.text;
				t.same(
					kept?.turns.map(({ message }) => message) ?? [],
					paid.map(({ index }) => String(index)),
				);
				t.equal(kept?.turn_count ?? 0, paid.length);
				t.ok(isRising(kept?.turns.map(({ n }) => n) ?? []));
			}
			return wasAlone;
		});
		await fc.assert(property, { numRuns: 60 });
		t.pass();
	},
);

t.test("a turn knows those before it, paid for or about to be", async (t) => {
	const { room, clock } = openRoom();
	const first = await room.enter(OWNER, "s", live());
	const { remember } = await first.add(turn("one"));
	first.leave();
	const second = await room.enter(OWNER, "s", live());
	t.same(
		second.memory.turns.map(({ n, message }) => [n, message]),
		[[1, "one"]],
	);
	t.equal(second.memory.turnCount, 1);
	t.equal(second.memory.id, first.memory.id);
	t.equal((await second.add(turn("two"))).n, 2);
	second.leave();
	await remember();
	await remember();
	const third = await room.enter(OWNER, "s", live());
	t.same(
		third.memory.turns.map(({ message }) => message),
		["one", "two"],
	);
	third.leave();
	clock.advance(CHAT_LIMITS.keptMs);
	const later = await room.enter(OWNER, "s", live());
	t.same(
		later.memory.turns.filter(({ message }) => message === "one"),
		[],
	);
	later.leave();
});

t.test(
	"one session does not hold up another, and a caller who leaves the queue holds up no one",
	async (t) => {
		const { room } = openRoom();
		const busy = await room.enter(OWNER, "s", live());
		const elsewhere = await room.enter(OWNER, "other", live());
		const stranger = await room.enter({ ...OWNER, owner: "tok_2" }, "s", live());
		t.not(stranger.memory.id, busy.memory.id);
		const impatient = new AbortController();
		const left = room.enter(OWNER, "s", impatient.signal);
		const next = room.enter(OWNER, "s", live());
		impatient.abort(new Error("gone"));
		await t.rejects(left, { message: "gone" });
		busy.leave();
		busy.leave();
		(await next).leave();
		elsewhere.leave();
	},
);

t.test("no queue and no shelf grows without end", async (t) => {
	const { room, records, clock } = openRoom();
	const first = await room.enter(OWNER, "s", live());
	const waiting = Array.from({ length: CHAT_LIMITS.waitingMax - 1 }, () =>
		room.enter(OWNER, "s", live()).then((seat) => seat.leave()),
	);
	await t.rejects(room.enter(OWNER, "s", live()), { code: "RATE_LIMITED" });
	for (let index = 0; index < CHAT_LIMITS.turnsKept + 20; index += 1) {
		const { remember } = await first.add({ ...turn(`m${index}`), at: index });
		await remember();
		if (index === 0) first.leave();
		if (index === 0) await Promise.all(waiting);
		const seat = await room.enter(OWNER, "s", live());
		Object.assign(first, seat);
		seat.leave();
	}
	const { text } = (await records.findOwn(OWNER, "s")) ?? {};
	t.equal(text?.turns.length, CHAT_LIMITS.turnsKept);
	t.equal(text?.turn_count, CHAT_LIMITS.turnsKept + 20);
	t.equal(text?.turns.at(-1)?.message, `m${CHAT_LIMITS.turnsKept + 19}`);

	const usedAt = clock.now();
	const rest = { grantId: undefined, createdAt: usedAt, usedAt, owner: OWNER.owner };
	const nothing = { session_id: "x", title: null, graphs: [], turn_count: 0, turns: [] };
	for (let index = 1; index < CHAT_LIMITS.sessionsMax; index += 1) {
		await records.put({ ...rest, id: `cht_${index}`, key: `${index}` }, nothing);
	}
	await t.rejects(room.enter(OWNER, "new", live()), { code: "RATE_LIMITED" });
	(await room.enter(OWNER, "s", live())).leave();
});

t.test("where no text is kept each turn stands alone, and waits for none", async (t) => {
	const { room, records } = openRoom();
	for (const caller of [undefined, { ...OWNER, keepsNoText: true }]) {
		const seat = await room.enter(caller, "s", live());
		await (await seat.add(turn("secret"))).remember();
		const again = await room.enter(caller, "s", live());
		t.same(again.memory, { id: undefined, graphs: [], turns: [], turnCount: 0 });
		seat.leave();
	}
	t.equal(await records.findOwn(OWNER, "s"), undefined);
});
