import { createHash } from "node:crypto";
import { type Book, createBook, nameOf } from "./book.js";
import { BrokenPromise } from "./broken-promise.js";
import { createDice, type Dice } from "./dice.js";
import type { House, HouseDeps } from "./house.js";
import { judgeEnd } from "./judge.js";
import type { PaymentCounts } from "./judge-payments.js";
import { createLandlord, type Landlord } from "./landlord.js";
import { createOutside, type Outside } from "./outside.js";
import { shop } from "./shopper.js";
import { createTimeline, type Timeline } from "./timeline.js";
import { trade } from "./trader.js";
import { createAsk, createVisit } from "./visit.js";
import { newAddress, ownerOf } from "./wallet.js";

export interface WorldOptions {
	readonly seed: number;
	/** Nothing new is begun after so many steps; what was begun before goes on. */
	readonly until?: number | undefined;
	/** A fault put into the server on purpose, to show that it is found. */
	readonly spoil?: HouseDeps["spoil"];
	readonly onTrace?: ((line: string) => void) | undefined;
}

export interface WorldReport {
	readonly seed: number;
	/** Equal for equal seeds and steps. */
	readonly traceHash: string;
	readonly steps: number;
	/** How the server's lives ended. */
	readonly endings: ReadonlyMap<string, number>;
	/** What was reported to callers. */
	readonly replies: ReadonlyMap<string, number>;
	/** Settlements and what became of them, by kind of facilitator. */
	readonly payments: ReadonlyMap<string, number>;
	/** The promise that was broken; undefined when all were kept. */
	readonly failure: string | undefined;
}

/** A start reads the whole journal, so that many short worlds see more crashes than a long one. */
const STEPS = { from: 30, to: 120 };
const SHOPPERS = 8;
const TRADERS = 1;
/** Worlds whose journal has several segments: they take their time. */
const BULKY_SHARE = 0.1;
const START_MS = Date.parse("2026-03-01T12:00:00Z");
/** Beyond the end of every hold, authorization and grace. */
const AFTERWARDS_MS = 3_600_000;
/** Every kind of housekeeping has had its turn. */
const SETTLING_DOWN_MS = 90_000;

interface World {
	readonly timeline: Timeline;
	readonly dice: Dice;
	readonly book: Book;
	readonly outside: Outside;
	readonly landlord: Landlord;
	readonly trace: (line: string) => void;
	readonly hash: () => string;
}

/** Lives one world from its seed to its end, and says what became of its promises. */
export async function liveWorld(options: WorldOptions): Promise<WorldReport> {
	const { seed, until = Number.POSITIVE_INFINITY } = options;
	const world = createWorld(options);
	const lastStep = Math.min(until, world.dice.between(STEPS.from, STEPS.to));
	let steps = 0;
	const nextStep = () => (steps < lastStep ? ++steps : undefined);
	const payments: PaymentCounts = new Map();
	const failure = await world.timeline.run(live(world, nextStep)).then(
		(counts) => {
			for (const [name, count] of counts) payments.set(name, count);
			return undefined;
		},
		(error: unknown) => {
			if (error instanceof BrokenPromise) return error.message;
			throw error;
		},
	);
	const { landlord, book, hash } = world;
	const { endings } = landlord;
	return { seed, traceHash: hash(), steps, endings, replies: book.counts, payments, failure };
}

function createWorld({ seed, spoil, onTrace }: WorldOptions): World {
	const dice = createDice(seed);
	const timeline = createTimeline(START_MS);
	const hash = createHash("sha256");
	const trace = (text: string) => {
		const line = `${(timeline.now() - START_MS).toFixed(3)} ${text}`;
		hash.update(line);
		onTrace?.(line);
	};
	const book = createBook((order, reply) => trace(`${order.query}: ${nameOf(reply)}`));
	const outside = createOutside({ timeline, dice: dice.fork(), seed });
	const landlord = createLandlord({ timeline, dice: dice.fork(), book, outside, spoil, trace });
	return {
		timeline,
		dice,
		book,
		outside,
		landlord,
		trace,
		hash: () => hash.digest("hex").slice(0, 16),
	};
}

async function live(world: World, nextStep: () => number | undefined): Promise<PaymentCounts> {
	const { timeline, dice, book, outside, landlord, trace } = world;
	await provide(world);
	let fault: BrokenPromise | undefined;
	const onFault = (found: BrokenPromise) => {
		fault ??= found;
	};
	const isBulky = dice.chance(BULKY_SHARE);
	const callers = Array.from({ length: SHOPPERS + TRADERS }, (_, index) => {
		const own = dice.fork();
		const visit = createVisit({ timeline, dice: own, current: landlord.current });
		const deps = { timeline, dice: own, book, outside, nextStep };
		if (index >= SHOPPERS) return trade({ ...deps, visit, onFault, trace, isBulky });
		return shop({ ...deps, ask: createAsk(visit, onFault) });
	});
	const shopping = Promise.all(callers).then(() => landlord.rest());
	await Promise.all([shopping, landlord.work()]);
	if (fault) throw fault;
	outside.calm();
	timeline.leap(AFTERWARDS_MS);
	const house = await landlord.openForGood();
	await timeline.sleep(SETTLING_DOWN_MS);
	// What was found out only now has its time of grace, too.
	timeline.leap(AFTERWARDS_MS);
	await timeline.sleep(SETTLING_DOWN_MS);
	const counts = await judgeEnd(house, { book, outside });
	trace(`end ${await summary(house)}`);
	await house.close();
	return counts;
}

/** What is there before anything goes wrong: tokens, accounts with and without a balance. */
async function provide({ dice, book, outside, landlord }: World): Promise<void> {
	const house = await landlord.openForGood();
	const { spts, apiKeys, ledger } = house.money;
	for (let index = 0; index < 4; index++) {
		const creditedMicros = BigInt(dice.between(1, 60)) * 1_000_000n;
		const { id, token } = await spts.issue({ amountMicros: creditedMicros });
		const credential = { scheme: "spt", token } as const;
		book.purses.push({ owner: id, rail: "spt", credential, creditedMicros, address: undefined });
	}
	for (const creditedMicros of [0n, 12_000_000n]) {
		const { accountId, key } = await apiKeys.create({
			alongside: async (tx, owner) => {
				if (creditedMicros === 0n) return;
				const source = "cash:manual";
				const terms = { owner, source, amountMicros: creditedMicros, key: `prepay:${owner}` };
				await ledger.credit(tx, terms);
			},
		});
		const credential = { scheme: "api_key", key } as const;
		book.purses.push({
			...{ owner: accountId, rail: "plan", credential, creditedMicros, address: undefined },
		});
	}
	for (let index = 0; index < 5; index++) {
		const address = newAddress(dice);
		outside.chain.mint(address, BigInt(dice.between(1, 80)) * 1_000_000n);
		const owner = ownerOf(address);
		book.purses.push({
			...{ owner, rail: "x402", credential: undefined, creditedMicros: 0n, address },
		});
	}
	await house.close();
}

async function summary({ store }: House): Promise<string> {
	const balances = await store.read((reader) => reader.balances());
	return [...balances].map(([account, sum]) => `${account}=${sum}`).join(" ");
}
