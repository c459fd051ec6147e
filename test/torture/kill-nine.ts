/**
 * `npm run torture -- --kill9 200 [--turns-away] [--minutes 60]`: a real server, killed at any moment under paying callers, again and again. With
 * `--turns-away` its facilitator answers every settlement with a 4xx and sends it up to five seconds later.
 */
import { once } from "node:events";
import { parseArgs } from "node:util";
import { createApp } from "../../src/app/create-app.js";
import { readSettings } from "../../src/settings/read-settings.js";
import { startServerProcess } from "../support/server-process.js";
import { createBook } from "./book.js";
import { BrokenPromise } from "./broken-promise.js";
import { createDice } from "./dice.js";
import { judgeBooks, judgeStart } from "./judge.js";
import type { TurningAway } from "./kill-facilitator.js";
import { type DecisionFigures, judgeOnChain, judgeTransfers } from "./kill-judge.js";
import { openScene, type Scene, SILENT } from "./kill-scene.js";
import { shopOverHttp } from "./kill-shopper.js";

const { values } = parseArgs({
	options: {
		kill9: { type: "string", default: "200" },
		clients: { type: "string", default: "64" },
		"turns-away": { type: "boolean", default: false },
		/** Kills end then, however many there were. */
		minutes: { type: "string", default: "60" },
		seed: { type: "string", default: "1" },
		json: { type: "boolean", default: false },
	},
});
const [rounds, clients] = [Number(values.kill9), Number(values.clients)];
const WALLETS = 16;
/** Within which every transfer on the chain is captured or credited, and found there. */
const DECIDED_MS = 120_000;
const FOUND_MS = 20_000;
const dice = createDice(Number(values.seed));
const isTurningAway = values["turns-away"];
const scene = await openScene({
	tokens: 12,
	wallets: Math.min(WALLETS, isTurningAway ? clients : clients >> 2),
	turnsAway: isTurningAway ? dice.fork() : undefined,
});
if (isTurningAway && !scene.turningAway)
	throw new Error("--turns-away needs anvil, the local chain.");
const book = createBook(() => undefined);
book.purses.push(...scene.purses);
let isOver = false;
let baseUrl: string | undefined;
let numbers = 0;

const shoppers = Array.from({ length: clients }, (_, index) => {
	const wallet = scene.wallets[index];
	const tokens = scene.purses.filter(({ rail }) => rail === "spt");
	const own = dice.fork();
	return shopOverHttp({
		...{ dice: own, book, wallet },
		purse: wallet?.purse ?? own.pick(tokens),
		baseUrl: () => baseUrl,
		nextNumber: () => ++numbers,
		isOver: () => isOver,
		// Who does not come back is credited.
		...(isTurningAway && { patience: () => (own.chance(0.5) ? own.between(1, 3) : 40) }),
	});
});
const startedMs = performance.now();
const endMs = startedMs + Number(values.minutes) * 60_000;
let kills = 0;
while (kills < rounds && performance.now() < endMs) {
	const server = await startServerProcess(scene.args);
	baseUrl = server.ready.base_url;
	await untilItIsTime();
	baseUrl = undefined;
	server.child.kill("SIGKILL");
	await once(server.child, "exit");
	kills += 1;
	if (kills % 20 === 0) process.stderr.write(`${kills} kills, ${numbers} orders\n`);
}
isOver = true;
await Promise.all(shoppers);
if (scene.turningAway) await letItDecide(scene, scene.turningAway);
let decisions: DecisionFigures | undefined;
const failure = await judge(scene).then(
	() => undefined,
	(error: unknown) => {
		if (error instanceof BrokenPromise) return error.message;
		throw error;
	},
);
const report = {
	kills,
	clients,
	wallets: scene.wallets.length,
	orders: book.orders.length,
	acknowledged: book.acknowledged().size,
	replies: Object.fromEntries([...book.counts].sort()),
	signatures: book.signatures.size,
	...(scene.turningAway && {
		refusals: Object.fromEntries([...scene.turningAway.refusals].sort()),
		transfers: scene.turningAway.transfers.size,
		...decisions,
	}),
	seconds: Math.round((performance.now() - startedMs) / 1_000),
	failure: failure ?? null,
	...(failure !== undefined && { folder: scene.folder }),
};
process.stdout.write(`${JSON.stringify(report, null, values.json ? undefined : 2)}\n`);
await scene.close({ isKept: failure !== undefined });
process.exit(failure === undefined ? 0 : 1);

/** Most servers die amid their answers, some before the first one. */
async function untilItIsTime(): Promise<void> {
	const { refusals = new Map<number, number>() } = scene.turningAway ?? {};
	const progress = () =>
		[...refusals.values()].reduce((sum, count) => sum + count, book.acknowledged().size);
	const known = progress();
	const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
	const isEarly = dice.chance(0.2);
	const longest = performance.now() + 10_000;
	while (!isEarly && progress() === known && performance.now() < longest) {
		await pause(5);
	}
	// Payments on a chain take their time.
	await pause(dice.chance(0.75) ? dice.between(0, 600) : dice.between(1_500, 5_000));
}

/** One more server, for as long as the last transfer may take to be booked. */
async function letItDecide({ args }: Scene, { settled, transfers }: TurningAway): Promise<void> {
	await settled();
	const last = Math.max(0, ...transfers.values());
	const server = await startServerProcess(args);
	const isDecided = async () => {
		const health = (await (await fetch(`${server.ready.base_url}/v1/health`)).json()) as {
			readonly payments?: { readonly unknown: number; readonly undelivered: number };
		};
		return health.payments?.unknown === 0 && health.payments.undelivered === 0;
	};
	// What was refused is not counted in health until it is found on the chain.
	while (Date.now() < last + FOUND_MS || !(await isDecided())) {
		if (Date.now() > last + DECIDED_MS) break;
		await new Promise((resolve) => setTimeout(resolve, 500));
	}
	server.child.kill("SIGKILL");
	await once(server.child, "exit");
}

/** Opens the folder once more, without a server, and holds it against what the callers know. */
async function judge({ folder, chain, terms, turningAway }: Scene): Promise<void> {
	const flags = { data: folder, model: "none", facilitator: "off" };
	const settings = readSettings({ flags, environment: {}, folder });
	const app = await createApp({ settings, logger: SILENT });
	try {
		const { store } = app;
		await judgeStart({ store }, book);
		const receipts = await judgeBooks({ store, guard: app.money.guard }, book);
		if (chain && terms) await judgeOnChain(store, { chain, terms, book, receipts });
		if (!turningAway) return;
		const { transfers } = turningAway;
		decisions = await judgeTransfers(store, { transfers, receipts, withinMs: DECIDED_MS });
	} finally {
		await app.close();
	}
}
