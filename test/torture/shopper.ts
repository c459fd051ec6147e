import { OPERATION_OF_SKILL, SKILL_IDS } from "../../src/core/operations.js";
import { fingerprintOf } from "../../src/service/idempotency.js";
import { type Book, isDecided, type Order, type Purse } from "./book.js";
import type { Dice } from "./dice.js";
import type { Timeline } from "./timeline.js";
import type { Ask } from "./visit.js";

export interface ShopperDeps {
	readonly timeline: Timeline;
	readonly dice: Dice;
	readonly book: Book;
	readonly ask: Ask;
	/** A number for the next thing anybody does; undefined when the time is up. */
	readonly nextStep: () => number | undefined;
}

/** Buys again and again, asks again when no word came, sometimes several times at once, and sometimes walks away. */
export async function shop(deps: ShopperDeps): Promise<void> {
	const { timeline, dice, book, nextStep } = deps;
	for (;;) {
		await timeline.sleep(dice.between(0, 400));
		const step = nextStep();
		if (step === undefined) return;
		const order = newOrder(step, dice.pick(book.purses), dice);
		book.orders.push(order);
		await fulfil(deps, order);
	}
}

function newOrder(step: number, purse: Purse, dice: Dice): Order {
	const skillId = dice.pick(SKILL_IDS);
	const query = `order ${step}`;
	return {
		query,
		fingerprint: fingerprintOf(OPERATION_OF_SKILL[skillId], { query }),
		skillId,
		purse,
		idempotencyKey: dice.chance(0.7) ? `key-${step}` : undefined,
		replies: [],
	};
}

async function fulfil({ timeline, dice, book, ask }: ShopperDeps, order: Order): Promise<void> {
	for (let attempt = 1; attempt <= 6; attempt++) {
		const copies = dice.chance(0.1) ? dice.between(2, 5) : 1;
		const replies = await Promise.all(Array.from({ length: copies }, () => ask(order)));
		for (const reply of replies) if (reply) book.record(order, reply);
		// Whoever was told once keeps asking now and then, to see the same receipt again.
		const isDone = replies.some(isDecided) && !dice.chance(0.1);
		if (isDone || dice.chance(0.1)) return;
		await timeline.sleep(dice.between(1, 1_000));
	}
}
