import { fingerprintOf } from "../../payments/idempotency.js";
import { type Book, isDecided, type Order, type Purse } from "./book.js";
import type { Dice } from "./dice.js";
import { priceOf } from "./house.js";
import type { Outside } from "./outside.js";
import { TORTURED_OPERATIONS } from "./test-skills.js";
import type { Timeline } from "./timeline.js";
import type { Ask } from "./visit.js";
import { type Signed, sign } from "./wallet.js";

export interface ShopperDeps {
	readonly timeline: Timeline;
	readonly dice: Dice;
	readonly book: Book;
	readonly outside: Outside;
	readonly ask: Ask;
	/** A number for the next thing anybody does; undefined when the time is up. */
	readonly nextStep: () => number | undefined;
}

/** Buys again and again, asks again when no word came, sometimes several times at once, and sometimes walks away. */
export async function shop(deps: ShopperDeps): Promise<void> {
	const { timeline, dice, book, outside, nextStep } = deps;
	for (;;) {
		await timeline.sleep(dice.between(0, 400));
		const step = nextStep();
		if (step === undefined) return;
		if (dice.chance(0.1)) outside.stir();
		const order = newOrder(step, dice.pick(book.purses), dice);
		book.orders.push(order);
		await fulfil(deps, order);
	}
}

function newOrder(step: number, purse: Purse, dice: Dice): Order {
	const operationId = dice.pick(TORTURED_OPERATIONS);
	const query = `order ${step}`;
	return {
		query,
		fingerprint: fingerprintOf(operationId, { query }),
		operationId,
		priceMicros: priceOf(operationId),
		purse,
		idempotencyKey: dice.chance(0.7) ? `key-${step}` : undefined,
		attempts: [],
	};
}

async function fulfil(deps: ShopperDeps, order: Order): Promise<void> {
	const { timeline, dice } = deps;
	let signed = payFor(deps, order);
	for (let attempt = 1; attempt <= 6; attempt++) {
		const isDone = await attemptOnce(deps, order, signed);
		if (isDone || dice.chance(0.1)) return;
		await timeline.sleep(dice.chance(0.9) ? dice.between(1, 1_000) : dice.between(1_000, 30_000));
		// The hasty sign again before they know what became of what they signed.
		if (dice.chance(0.1)) signed = payFor(deps, order);
		if (signed && dice.chance(0.02)) await withdraw(deps, signed);
	}
}

/** Asks once, or several times at once; true when there is nothing more to hear. */
async function attemptOnce(
	{ dice, book, ask }: ShopperDeps,
	order: Order,
	signed: Signed | undefined,
): Promise<boolean> {
	const copies = dice.chance(0.1) ? dice.between(2, 5) : 1;
	const replies = await Promise.all(Array.from({ length: copies }, () => ask(order, signed)));
	const heard = replies.filter((reply) => reply !== undefined);
	for (const reply of heard) book.record(order, { reply, signed });
	// Anyone who was answered once keeps asking now and then, to see the same receipt again.
	return heard.some(isDecided) && !dice.chance(0.1);
}

/** What pays for the order: something signed for it or, by a crook, something signed for another. */
function payFor({ dice, book, timeline }: ShopperDeps, { purse, priceMicros }: Order) {
	const { address } = purse;
	if (address === undefined) return undefined;
	const used = [...book.signatures.values()].filter(
		({ authorization }) => authorization.from === address && authorization.value === priceMicros,
	);
	if (used.length > 0 && dice.chance(0.05)) return dice.pick(used);
	const signed = sign(dice, { from: address, value: priceMicros, now: timeline.now() });
	book.signatures.set(signed.authorization.nonce, signed);
	return signed;
}

/** The payer takes the signature back, or the money away. */
async function withdraw({ outside, dice }: ShopperDeps, { authorization }: Signed): Promise<void> {
	const { from, nonce } = authorization;
	if (dice.chance(0.5)) outside.chain.cancel(from, nonce);
	else await outside.drain(from);
}
