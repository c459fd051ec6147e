/** `npm run torture -- --kill9 200`: a real server, killed at any moment under paying callers, again and again. */
import { once } from "node:events";
import { parseArgs } from "node:util";
import { createApp } from "../../src/app/create-app.js";
import { readSettings } from "../../src/settings/read-settings.js";
import { startServerProcess } from "../support/server-process.js";
import { createBook } from "./book.js";
import { BrokenPromise } from "./broken-promise.js";
import { createDice } from "./dice.js";
import { judgeBooks, judgeStart } from "./judge.js";
import { judgeOnChain } from "./kill-judge.js";
import { openScene, type Scene, SILENT } from "./kill-scene.js";
import { shopOverHttp } from "./kill-shopper.js";

const { values } = parseArgs({
	options: {
		kill9: { type: "string", default: "200" },
		clients: { type: "string", default: "64" },
		seed: { type: "string", default: "1" },
		json: { type: "boolean", default: false },
	},
});
const [rounds, clients] = [Number(values.kill9), Number(values.clients)];
const WALLETS = 16;
const dice = createDice(Number(values.seed));
const scene = await openScene({ tokens: 12, wallets: Math.min(WALLETS, clients >> 2) });
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
	});
});
const startedMs = performance.now();
for (let round = 1; round <= rounds; round++) {
	const server = await startServerProcess(scene.args);
	baseUrl = server.ready.base_url;
	await untilItIsTime();
	baseUrl = undefined;
	server.child.kill("SIGKILL");
	await once(server.child, "exit");
	if (round % 20 === 0) process.stderr.write(`${round} kills, ${numbers} orders\n`);
}
isOver = true;
await Promise.all(shoppers);
const failure = await judge(scene).then(
	() => undefined,
	(error: unknown) => {
		if (error instanceof BrokenPromise) return error.message;
		throw error;
	},
);
const report = {
	kills: rounds,
	clients,
	wallets: scene.wallets.length,
	orders: book.orders.length,
	acknowledged: book.acknowledged().size,
	replies: Object.fromEntries([...book.counts].sort()),
	signatures: book.signatures.size,
	seconds: Math.round((performance.now() - startedMs) / 1_000),
	failure: failure ?? null,
	...(failure !== undefined && { folder: scene.folder }),
};
process.stdout.write(`${JSON.stringify(report, null, values.json ? undefined : 2)}\n`);
await scene.close({ isKept: failure !== undefined });
process.exit(failure === undefined ? 0 : 1);

/** Most servers die amid their answers, some before the first one. */
async function untilItIsTime(): Promise<void> {
	const known = book.acknowledged().size;
	const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
	const isEarly = dice.chance(0.2);
	const longest = performance.now() + 10_000;
	while (!isEarly && book.acknowledged().size === known && performance.now() < longest) {
		await pause(5);
	}
	// Payments on a chain take their time.
	await pause(dice.chance(0.75) ? dice.between(0, 600) : dice.between(1_500, 5_000));
}

/** Opens the folder once more, without a server, and holds it against what the callers know. */
async function judge({ folder, chain, terms }: Scene): Promise<void> {
	const flags = { data: folder, model: "none", facilitator: "off" };
	const settings = readSettings({ flags, environment: {}, folder });
	const app = await createApp({ settings, logger: SILENT });
	try {
		const { store } = app;
		await judgeStart({ store }, book);
		const receipts = await judgeBooks({ store, guard: app.money.guard }, book);
		if (chain && terms) await judgeOnChain(store, { chain, terms, book, receipts });
	} finally {
		await app.close();
	}
}
