import fc from "fast-check";
import t from "tap";
import type { JobStatus } from "../../src/contract/job.js";
import type { JobWire } from "../../src/jobs/job-schemas.js";
import type { JobRow } from "../../store/rows/result-rows.js";
import { diskError } from "../store/fake-disk.js";
import { seededRandom } from "../support/seeded-random.js";
import {
	ANONYMOUS,
	createWorld,
	type JobShop,
	type LaunchOrder,
	openShop,
	PRICE,
	pause,
	type World,
} from "./job-shop.js";

/** What may happen to a shop, in any order. */
const action = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ do: fc.constant("launch"), who: fc.nat(3) }) },
	{ weight: 3, arbitrary: fc.record({ do: fc.constant("look"), who: fc.nat(3) }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant("cancel"), who: fc.nat(3) }) },
	{ weight: 3, arbitrary: fc.record({ do: fc.constant("wait"), who: fc.nat(4) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("sweep"), who: fc.nat(3) }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant("crash"), who: fc.nat(12) }) },
);

const RANK: Readonly<Record<JobStatus, number>> = {
	queued: 0,
	running: 1,
	cancelling: 2,
	completed: 3,
	failed: 3,
	cancelled: 3,
	expired: 4,
};

/** One who wants one thing: the same key, and a wallet the same payment, however often it is asked for. */
interface Shopper {
	readonly order: LaunchOrder;
	readonly caller: { readonly owner: string; readonly rail: string };
	jobId?: string;
	seen?: JobWire;
}

/** Throws when what is reported to a caller goes back. */
function see(shopper: Shopper, job: JobWire): void {
	const { seen, jobId = job.job_id } = shopper;
	if (job.job_id !== jobId) throw new Error(`a second job, ${job.job_id} after ${jobId}`);
	shopper.jobId = jobId;
	shopper.seen = job;
	if (!seen) return;
	const before = [RANK[seen.status], seen.percent, seen.pass_number, seen.sources_read];
	const now = [RANK[job.status], job.percent, job.pass_number, job.sources_read];
	const back = before.findIndex((value, index) => value > (now[index] ?? 0));
	if (back >= 0) throw new Error(`went back: ${JSON.stringify(before)} to ${JSON.stringify(now)}`);
	const isOver = RANK[seen.status] === 3 && seen.status !== job.status;
	if (isOver || (seen.cost.receipt_id ?? job.cost.receipt_id) !== job.cost.receipt_id)
		throw new Error("what had ended changed");
}

/** Whatever the store refuses while it is stopped is not an answer. */
const unlessStopped = <T>(work: Promise<T>): Promise<T | undefined> => work.catch(() => undefined);

async function launch(shop: JobShop, shopper: Shopper): Promise<void> {
	const launched = await unlessStopped(shop.launch(shopper.order));
	if (launched?.job) see(shopper, launched.job);
}

async function look(shop: JobShop, shopper: Shopper): Promise<void> {
	if (shopper.jobId === undefined) return;
	const job = await unlessStopped(shop.operations.status(shopper.caller, shopper.jobId));
	if (job) see(shopper, job);
}

async function cancel(shop: JobShop, shopper: Shopper): Promise<void> {
	if (shopper.jobId === undefined) return;
	const cancelled = await unlessStopped(shop.operations.cancel(shopper.caller, shopper.jobId));
	if (cancelled) see(shopper, cancelled);
}

async function crash(shop: JobShop, left: number, seed: number): Promise<JobShop> {
	let writes = left;
	shop.disk.judge = () => (writes-- > 0 ? "work" : { error: diskError("EIO") });
	await pause(2);
	return shop.restart(shop.disk.afterPowerCut(seededRandom(seed)));
}

async function sweep(shop: JobShop): Promise<void> {
	shop.clock.set(shop.clock.now() + 150_000);
	await unlessStopped(shop.money.sweeper.sweep());
	await unlessStopped(shop.money.onchain?.reconcile() ?? Promise.resolve());
}

/** Every hold was opened once and closed once. */
async function assertClosedOnce(shop: JobShop): Promise<void> {
	const ends = new Map<string, string[]>();
	for await (const { postings } of shop.store.history()) {
		for (const { kind, ref } of postings) {
			const id = ref.replace(/^(rcpt|hold)_/, "");
			if (["authorise", "capture", "release"].includes(kind)) {
				ends.set(id, [...(ends.get(id) ?? []), kind]);
			}
		}
	}
	for (const [id, kinds] of ends) {
		const isSound = kinds.length === 2 && kinds[0] === "authorise" && kinds[1] !== "authorise";
		if (!isSound) throw new Error(`the hold ${id}: ${kinds.join(", ")}`);
	}
}

/** All money is somebody's, and what was taken is what the jobs say. */
async function assertWhole(shop: JobShop, shoppers: readonly Shopper[]): Promise<void> {
	const failures = await shop.failures();
	if (failures.length > 0) throw new Error(failures.join("\n"));
	const rows = await shop.store.read((reader) => reader.list("jobs"));
	const charged = rows.reduce((sum, { chargedMicros = 0n }) => sum + chargedMicros, 0n);
	const revenue = await shop.balance("rev:deep_research_light");
	if (revenue !== charged) throw new Error(`${revenue} taken, the jobs say ${charged}`);
	for (const row of rows) {
		const due = dueOf(row, shop.script.isAnswer);
		if ((row.chargedMicros ?? 0n) !== due) throw new Error(`${row.state}: ${row.chargedMicros}`);
	}
	const holds = await shop.store.read((reader) => reader.list("holds"));
	if (holds.length > 0) throw new Error("a hold is open");
	const { chain, wallet } = shop;
	if ((await shop.balance(`cust:${wallet.owner}`)) !== 0n) throw new Error("money lies about");
	const came = await chain.balanceOf(chain.terms, chain.terms.payTo);
	const booked = -(await shop.balance(`cash:x402:${chain.terms.network}`));
	if (came !== booked) throw new Error(`${came} came, ${booked} is booked`);
	const jobs = new Set(shoppers.flatMap(({ jobId }) => jobId ?? []));
	const asked = shoppers.filter(({ jobId }) => jobId !== undefined);
	if (jobs.size !== asked.length) throw new Error("two shoppers share a job");
}

/** What a job may have cost: nothing without an answer, and what was found is handed over before it is paid for. */
function dueOf(row: JobRow, isAnswer: boolean): bigint {
	const hasReport = row.reportExpiresAt !== undefined;
	if (row.passesDone > 0 && row.state === "cancelled" && !hasReport) throw new Error("no report");
	const begun = (PRICE * BigInt(row.passesBegun)) / BigInt(row.passes.length);
	const worth = { completed: PRICE, cancelled: begun, failed: 0n }[row.state] ?? -1n;
	return isAnswer && hasReport ? worth : 0n;
}

async function openShoppers(world: World, shop: JobShop): Promise<Shopper[]> {
	const { wallet } = world;
	const { token, id } = await shop.issue(100n);
	const keyed = (key: string): Shopper => ({
		order: { token, key, query: key },
		caller: { owner: id, rail: "spt" },
	});
	const paying = (key: string): Shopper => ({
		order: { authorization: wallet.sign({ value: PRICE }), key, query: key },
		caller: ANONYMOUS,
	});
	return [keyed("a"), keyed("b"), paying("c"), paying("d")];
}

/** One thing that happens; the shop that is open afterwards. */
async function act(
	shop: JobShop,
	{ shopper, what, who, seed }: { shopper: Shopper; what: string; who: number; seed: number },
): Promise<JobShop> {
	if (what === "crash") return crash(shop, who, seed);
	if (what === "launch") await launch(shop, shopper);
	if (what === "look") await look(shop, shopper);
	if (what === "cancel") await cancel(shop, shopper);
	if (what === "wait") await pause(who);
	if (what === "sweep") await sweep(shop);
	return shop;
}

/** After the last crash everything comes to its end. */
async function settle(shop: JobShop, shoppers: readonly Shopper[]): Promise<number> {
	const rows = await shop.store.read((reader) => reader.list("jobs"));
	await Promise.all(rows.map(({ id }) => shop.ended(id)));
	for (const shopper of shoppers) await look(shop, shopper);
	for (let step = 0; step < 6; step++) await sweep(shop);
	return rows.length;
}

const RUNS = Number(process.env["JOB_CRASH_RUNS"] ?? 20);

t.test(
	"whatever crashes and is cancelled, each job is one job and its price is taken once",
	async (t) => {
		let [crashes, ended] = [0, 0];
		const life = fc.array(action, { minLength: 6, maxLength: 16 });
		const property = fc.asyncProperty(
			life,
			fc.record({ seed: fc.nat(1_000), isAnswer: fc.boolean() }),
			async (actions, { seed, isAnswer }) => {
				const world = createWorld(["one", "two", "three"]);
				world.script.isAnswer = isAnswer;
				let turn = 0;
				world.script.onPass = async (_pass, { progress }) => {
					turn += 1;
					// A pass that runs again may say less than before.
					progress({
						considered: 9 - (turn % 4),
						read: 4 - (turn % 3),
						share: 0.9 - 0.2 * (turn % 4),
					});
					await pause();
				};
				let shop = await openShop(world);
				const shoppers = await openShoppers(world, shop);
				for (const { do: what, who } of actions) {
					const shopper = shoppers[who] ?? (shoppers[0] as Shopper);
					shop = await act(shop, { shopper, what, who, seed });
					if (what === "crash") crashes += 1;
				}
				shop = await crash(shop, 0, seed);
				ended += await settle(shop, shoppers);
				await assertClosedOnce(shop);
				await assertWhole(shop, shoppers);
				await shop.close();
			},
		);
		await fc.assert(property, { numRuns: RUNS, includeErrorInReport: true });
		t.comment(`${crashes} crashes, ${ended} jobs came to their end`);
		t.ok(crashes > RUNS / 2 && ended > RUNS / 2);
	},
);
