import fc from "fast-check";
import t from "tap";
import { systemRandom } from "../../src/kernel/ids.js";
import { createWebhookDispatch, type SendWebhook } from "../../src/webhooks/webhook-dispatch.js";
import { recordPause } from "../../src/webhooks/webhook-events.js";
import { createWebhookTexts } from "../../src/webhooks/webhook-record.js";
import { WEBHOOK_LIMITS } from "../../src/webhooks/webhook-wire.js";
import type { TokenRow } from "../../store/rows/account-rows.js";
import type { WebhookDeliveryRow } from "../../store/rows/notification-rows.js";
import { createQuickStore } from "../jobs/quick-store.js";
import { manualClock } from "../support/manual-clock.js";

type Answer = "taken" | "refused" | "died";
interface Step {
	readonly events: number;
	readonly waitMs: number;
	readonly answers: readonly Answer[];
}

const HOUR_MS = 3_600_000;
const silent = { info: () => undefined, error: () => undefined };
const plain = { seal: (text: string) => text, open: (text: string) => text || undefined };
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** Answers as scripted; a process may die after something was taken, and what belongs to it sends nothing more. */
function createReceiver() {
	const receiver = {
		received: [] as string[],
		answers: [] as Answer[],
		deaths: { count: 0 },
		onDeath: () => {},
		sendAs:
			(life: number): SendWebhook =>
			async ({ eventId }) => {
				if (life !== receiver.deaths.count) return never();
				const answer = receiver.answers.shift() ?? "taken";
				if (answer === "refused") return { httpStatus: 503, failure: "status" };
				receiver.received.push(eventId);
				if (answer === "taken") return { httpStatus: 200 };
				receiver.deaths.count += 1;
				receiver.onDeath();
				return never();
			},
	};
	return receiver;
}

const never = () => new Promise<never>(() => undefined);

/** One webhook, a receiver that answers as scripted, and a process that may die after the receiver has taken something. */
async function startWorld() {
	const store = createQuickStore();
	const clock = manualClock("2026-03-10T12:00:00Z");
	const texts = createWebhookTexts({ documents: store.documents, seal: plain, clock });
	const token = { id: "tok_1", hash: "h", status: "active", createdAt: clock.now() };
	await store.transaction((tx) => tx.put("tokens", token as TokenRow));
	const expiresAt = await texts.put("whk_1-a", { url: "https://example.com/", secret: SECRET });
	await store.transaction((tx) =>
		tx.put("webhooks", {
			id: "whk_1",
			owner: "tok_1",
			isForAll: true,
			documentId: "whk_1-a",
			masked: "",
			events: ["schedule.paused"],
			status: "active",
			failedAttempts: 0,
			createdAt: clock.now(),
			expiresAt,
		}),
	);
	const receiver = createReceiver();
	const { received, answers, deaths } = receiver;
	const start = () =>
		createWebhookDispatch({
			...{ store, clock, texts, random: systemRandom, logger: silent },
			send: receiver.sendAs(deaths.count),
			baseUrl: () => "",
		});
	let dispatch = start();
	let events = 0;
	/** One round; a process that dies in it is followed by another one. */
	const round = async () => {
		const killed = new Promise<"killed">((resolve) => {
			receiver.onDeath = () => resolve("killed");
		});
		const end = await Promise.race([dispatch.tick(), killed]);
		if (end === "killed") dispatch = start();
	};
	const happen = () =>
		store.transaction((tx) => {
			events += 1;
			const row = { id: `sch_${events}`, owner: "tok_1" };
			return recordPause(tx, row as never, clock.now());
		});
	const rows = () => store.read((reader) => reader.list("webhook_deliveries"));
	return { store, clock, received, answers, deaths, round, happen, rows };
}

const steps = fc.array(
	fc.record({
		events: fc.nat(2),
		waitMs: fc.integer({ min: -HOUR_MS, max: 8 * HOUR_MS }),
		answers: fc.array(fc.constantFrom<Answer>("taken", "refused", "died"), { maxLength: 4 }),
	}),
	{ maxLength: 12 },
);

async function play(told: readonly Step[]) {
	const world = await startWorld();
	const { answers, clock, happen, round } = world;
	for (const { events, waitMs, answers: next } of told) {
		for (let count = 0; count < events; count++) await happen();
		answers.splice(0, answers.length, ...next);
		await round();
		clock.advance(waitMs);
	}
	answers.length = 0;
	for (let day = 0; day < 3; day++) {
		clock.advance(24 * HOUR_MS);
		await round();
	}
	return world;
}

/** Throws what went wrong. */
function judge(
	{ received, deaths }: Awaited<ReturnType<typeof startWorld>>,
	rows: readonly WebhookDeliveryRow[],
): void {
	const missing = rows.filter(({ state }) => state === "pending");
	if (missing.length > 0) throw new Error(`${missing.length} still wait`);
	const arrived = new Set(received);
	const lost = rows.filter(({ state, eventId }) => state === "delivered" && !arrived.has(eventId));
	if (lost.length > 0) throw new Error(`${lost.length} did not arrive`);
	const twice = received.length - arrived.size;
	if (twice <= deaths.count * WEBHOOK_LIMITS.sendingOfOwner) return;
	throw new Error(`${twice} came twice after ${deaths.count} deaths`);
}

t.test(
	"whatever dies or refuses on the way, every event arrives, and no oftener than something died",
	async (t) => {
		await fc.assert(
			fc.asyncProperty(steps, async (told) => {
				const world = await play(told);
				judge(world, await world.rows());
			}),
			{ numRuns: 150 },
		);
		t.pass();
	},
);

t.test(
	"rounds that overlap send nothing twice, and the oldest go when too many wait",
	async (t) => {
		const world = await startWorld();
		for (let count = 0; count < WEBHOOK_LIMITS.deliveriesKeptMax + 3; count++) {
			world.clock.advance(1);
			await world.happen();
		}
		const rows = await world.rows();
		t.equal(rows.length, WEBHOOK_LIMITS.deliveriesKeptMax);
		const first = Math.min(...rows.map(({ occurredAt }) => occurredAt));
		t.equal(first, world.clock.now() - WEBHOOK_LIMITS.deliveriesKeptMax + 1);
		await Promise.all([world.round(), world.round()]);
		t.equal(world.received.length, rows.length);
	},
);
