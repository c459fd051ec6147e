import { fingerprintOf } from "../../payments/idempotency.js";
import { type Book, type Deal, isDecided, nameOf, type Purse, type Reply } from "./book.js";
import type { BrokenPromise } from "./broken-promise.js";
import type { Dice } from "./dice.js";
import type { House } from "./house.js";
import type { Timeline } from "./timeline.js";
import { toReply, type Visit } from "./visit.js";
import { RESOURCE_URL, sign } from "./wallet.js";

export interface TraderDeps {
	readonly timeline: Timeline;
	readonly dice: Dice;
	readonly book: Book;
	readonly visit: Visit;
	readonly nextStep: () => number | undefined;
	readonly onFault: (fault: BrokenPromise) => void;
	readonly trace: (line: string) => void;
	/** Tokens with long labels are issued on the way, so that segments fill up and snapshots are taken. */
	readonly isBulky: boolean;
}

const BULK = "x".repeat(400_000);
/** Two segments of four megabytes; every start reads them. */
const BULKY_ROUNDS = 4;

type Told = Reply | { readonly kind: "done"; readonly data: Readonly<Record<string, unknown>> };

/** Buys tokens from a wallet, puts more on them, and has some of them refunded. */
export async function trade(deps: TraderDeps): Promise<void> {
	const { timeline, dice, nextStep } = deps;
	for (let round = 1; ; round++) {
		await timeline.sleep(dice.between(0, 1_500));
		const step = nextStep();
		if (step === undefined) return;
		if (deps.isBulky && round <= BULKY_ROUNDS) await fillUp(deps);
		await tradeOnce(deps, step);
	}
}

async function tradeOnce(deps: TraderDeps, step: number): Promise<void> {
	const { dice, book } = deps;
	const tokens = book.purses.filter(({ rail }) => rail === "spt");
	const bought = tokens.filter(({ creditedMicros }) => creditedMicros === 0n);
	const luck = dice.next();
	if (luck < 0.5) await buy(deps, step);
	else if (luck < 0.8) await topUp(deps, step, dice.pick(tokens));
	else await refund(deps, step, dice.pick(bought.length > 0 ? bought : tokens));
}

/** Two megabytes at once; no one keeps the token, so what became of it does not matter. */
async function fillUp({ visit }: TraderDeps): Promise<void> {
	const terms = { amountMicros: 1n, label: BULK };
	await visit(({ money }) => {
		const issues = Array.from({ length: 5 }, () => money.spts.issue(terms));
		return Promise.all(issues).catch(() => undefined);
	});
}

async function buy(deps: TraderDeps, step: number): Promise<void> {
	const { dice } = deps;
	const dollars = dice.between(1, 5);
	const order = { amount_usd: `${dollars}.00`, label: `purchase ${step}` };
	const deal = newDeal(deps, dollars, fingerprintOf("spt.purchase", order));
	const call = { ...callOf(deal, step), credential: undefined };
	const told = await insist(deps, `purchase ${step}`, ({ spt }) =>
		spt.purchases.buySpt(call, order),
	);
	if (told?.kind !== "done") return;
	const { id, token } = told.data as { id: string; token: string };
	deal.tokenId = id;
	deps.book.purses.push({
		...{ owner: id, rail: "spt", credential: { scheme: "spt", token } },
		...{ creditedMicros: 0n, address: undefined },
	});
}

async function topUp(deps: TraderDeps, step: number, { owner, credential }: Purse): Promise<void> {
	const { dice } = deps;
	const dollars = dice.between(1, 5);
	const order = { amount_usd: `${dollars}.00` };
	const deal = newDeal(deps, dollars, fingerprintOf("spt.top_up", { ...order, token_id: owner }));
	const call = { ...callOf(deal, step), credential };
	const told = await insist(deps, `top-up ${step}`, ({ spt }) =>
		spt.purchases.topUpSpt(call, order),
	);
	if (told?.kind === "done") deal.tokenId = owner;
}

async function refund(deps: TraderDeps, step: number, { owner, credential }: Purse): Promise<void> {
	const secret = credential?.scheme === "spt" ? credential.token : "";
	const holder = { tokenId: owner, secret };
	const told = await insist(deps, `refund ${step}`, async ({ spt }) => ({
		data: await spt.owner.sptRefund(holder, "no longer needed"),
	}));
	if (told?.kind === "done") deps.book.refunded.add(owner);
}

/** Asks until there is word, with the same payment and the same key. */
async function insist(
	{ timeline, dice, book, visit, onFault, trace }: TraderDeps,
	name: string,
	act: (house: House) => Promise<{ readonly data: unknown; readonly onDelivered?: () => void }>,
): Promise<Told | undefined> {
	for (let attempt = 1; attempt <= 6; attempt++) {
		const told = await visit<Told>((house) =>
			act(house).then(
				({ data, onDelivered }): Told => {
					onDelivered?.();
					return { kind: "done", data: data as Readonly<Record<string, unknown>> };
				},
				(error: unknown) => toReply(error, onFault),
			),
		);
		if (told) {
			const word = told.kind === "done" ? "done" : nameOf(told);
			trace(`${name}: ${word}`);
			book.count(`${name.split(" ")[0]} ${word}`);
			if (told.kind === "done" || isDecided(told)) return told;
		}
		await timeline.sleep(dice.between(1, 2_000));
	}
	return undefined;
}

function newDeal({ dice, book, timeline }: TraderDeps, dollars: number, fingerprint: string): Deal {
	const wallets = book.purses.flatMap(({ address }) => address ?? []);
	const value = BigInt(dollars) * 1_000_000n;
	const signed = sign(dice, { from: dice.pick(wallets), value, now: timeline.now() });
	const deal: Deal = { fingerprint, signed, tokenId: undefined };
	book.deals.push(deal);
	book.signatures.set(signed.authorization.nonce, signed);
	return deal;
}

function callOf({ signed }: Deal, step: number) {
	const { payment } = signed;
	return { payment, idempotencyKey: `deal-${step}`, resourceUrl: RESOURCE_URL };
}
