import t, { type Test } from "tap";
import { systemClock } from "../../../src/kernel/clock.js";
import { openPostgresStore } from "../../../store/postgres/postgres.js";
import type { Store } from "../../../store/store-port.js";
import { startPostgres, WITHOUT_POSTGRES } from "../../support/postgres-cluster.js";
import { FACILITATOR_KINDS, type FacilitatorKind } from "../../support/sim-facilitator.js";
import { times } from "../../support/times.js";
import {
	createWorld,
	type OnchainProcess,
	PRICE,
	type Result,
	startOnchain,
	type World,
} from "./start-onchain.js";

const PROCESSES = 4;
const COPIES = 100;
const MOVES_NOTHING: ReadonlySet<FacilitatorKind> = new Set([
	"claims_settled",
	"old_hash",
	"unreachable",
]);
/** Steps of a payment, each of which a process dies at; the last are after all was done. With every kind by SETTLEMENT_KINDS=all. */
const DEATHS = Number(process.env["SETTLEMENT_DEATHS"] ?? 12);
const DEATH_KINDS: readonly FacilitatorKind[] =
	process.env["SETTLEMENT_KINDS"] === "all" ? FACILITATOR_KINDS : ["strict"];

t.test("one payment, several processes", { skip: WITHOUT_POSTGRES }, async (t) => {
	const cluster = await startPostgres();
	const stores: Store[] = [];
	let opened = 0;
	const openBooks = (world: World) => {
		opened += 1;
		const schema = `s${opened}`;
		const clock = { ...world.clock, after: systemClock.after, every: systemClock.every };
		return async () => {
			const store = await openPostgresStore({ url: cluster.url, schema, clock, connections: 6 });
			stores.push(store);
			return store;
		};
	};
	const endOf = async ({ store }: OnchainProcess) =>
		cluster.sql(`SELECT s${opened}.end_process('${store.processes.ownId()}')`);
	t.afterEach(async () => {
		for (const store of stores.splice(0)) await store.close();
	});
	t.teardown(() => cluster.stop());

	for (const kind of FACILITATOR_KINDS) {
		t.test(
			`sent a hundred times to ${PROCESSES}, ${kind}: one delivery, one settlement`,
			async (t) => {
				const world = createWorld({ kind });
				world.chain.mint(world.wallet.address, 1n);
				const processes = await startSeveral({ ...world, openStore: openBooks(world) });
				const authorization = world.wallet.sign({ value: PRICE });
				const results = await Promise.all(
					times(COPIES, (index) =>
						(processes[index % PROCESSES] as OnchainProcess).buy(authorization, {
							settlesFirst: index % 2 === 0,
						}),
					),
				);
				const delivered = deliveriesOf(results);
				const runs = processes.reduce((sum, process) => sum + process.runs(), 0);
				// It refuses, and moves the money some turns of the loop later: who comes then is delivered to.
				if (kind === "turns_away") t.ok(delivered <= 1, `${delivered} deliveries`);
				else {
					t.ok(runs <= 1, `${runs} runs`);
					t.equal(delivered, MOVES_NOTHING.has(kind) ? 0 : 1);
				}
				const { from, nonce } = authorization;
				t.ok(world.chain.timesSettled(from, nonce) <= 1);
				const [first] = processes as readonly [OnchainProcess];
				await first.later(5_000);
				const balances = await first.balances();
				const settled = world.chain.timesSettled(from, nonce);
				t.equal(-(balances["cash:x402:eip155:84532"] ?? 0n), settled === 1 ? PRICE : 0n);
				t.equal(balances["rev:per_call"] ?? 0n, BigInt(delivered) * PRICE);
				await first.store.verify();
			},
		);
	}

	for (const [kind, settlesFirst] of DEATH_KINDS.flatMap((one) => [
		[one, false] as const,
		[one, true] as const,
	])) {
		const when = `settled ${settlesFirst ? "first" : "last"}, ${kind}`;
		t.test(
			`a process that dies at any step, ${when}: paid once, delivered or given back`,
			async (t) => {
				for (let step = 0; step < DEATHS; step++) {
					const world = createWorld({ kind });
					const openStore = openBooks(world);
					const survivor = await startOnchain({ ...world, openStore });
					const dying = createDying(await openStore(), step);
					const opened = { repeatsWork: false, openStore: async () => dying.store };
					const victim = await startOnchain({ ...world, ...opened });
					const order = { authorization: world.wallet.sign({ value: PRICE }), settlesFirst };
					dying.arm();
					const first = await Promise.race([buy(victim, order), dying.death]);
					await endOf(victim);
					const again = await goOn(survivor, order);
					assertEnded(t, await endedState(survivor, order), {
						what: `${step}`,
						results: [first, again],
					});
					await survivor.store.verify();
					for (const store of stores.splice(0)) await store.close();
				}
			},
		);
	}
});

interface DyingOrder {
	readonly authorization: ReturnType<World["wallet"]["sign"]>;
	readonly settlesFirst: boolean;
}

const buy = (process: OnchainProcess, { authorization, settlesFirst }: DyingOrder) =>
	process.buy(authorization, { settlesFirst });

/** Takes up what the other one left, and is asked the same. */
async function goOn(survivor: OnchainProcess, order: DyingOrder): Promise<Result> {
	await survivor.takeUp();
	await survivor.later(5_000);
	return buy(survivor, order);
}

/** Once no one can settle any more what was never sent, or never looked for. */
async function endedState(survivor: OnchainProcess, { authorization }: DyingOrder) {
	for (let minute = 0; minute < 10; minute++) await survivor.later(60_000);
	const settled = survivor.chain.timesSettled(authorization.from, authorization.nonce);
	const state = (await survivor.row(authorization))?.state ?? "none";
	return { settled, state, balances: await survivor.balances() };
}

function assertEnded(
	t: Test,
	{ settled, state, balances }: Awaited<ReturnType<typeof endedState>>,
	{ what, results }: { readonly what: string; readonly results: readonly (Result | undefined)[] },
): void {
	t.ok(settled <= 1, what);
	const isDelivered = results.some((result) => result?.kind === "delivered");
	const wanted = settled === 1 ? ["captured", "credited"] : ["released", "none"];
	t.ok((isDelivered ? ["captured"] : wanted).includes(state), `${what}: ${state}`);
	const cash = -(balances["cash:x402:eip155:84532"] ?? 0n);
	t.equal(cash, settled === 1 ? PRICE : 0n, "booked once where it settled");
	const sum = Object.values(balances).reduce((total, one) => total + one, 0n);
	t.equal(sum, 0n);
}

async function startSeveral(world: World): Promise<readonly OnchainProcess[]> {
	const processes: OnchainProcess[] = [];
	for (let count = 0; count < PROCESSES; count++) processes.push(await startOnchain(world));
	return processes;
}

const deliveriesOf = (results: readonly Result[]) =>
	results.filter((result) => result.kind === "delivered").length;

/** A store whose process dies at one of its transactions: before it, or after its commit and before anyone hears of that. */
function createDying(inner: Store, step: number) {
	let isArmed = false;
	let steps = 0;
	let die: () => void = () => undefined;
	const death = new Promise<undefined>((resolve) => {
		die = () => resolve(undefined);
	});
	const forever = new Promise<never>(() => undefined);
	const passes = async () => {
		if (!isArmed || steps++ !== step) return steps <= step || !isArmed;
		die();
		return false;
	};
	const store: Store = {
		...inner,
		async transaction(work, options) {
			if (!(await passes())) return forever;
			const done = await inner.transaction(work, options);
			return (await passes()) ? done : forever;
		},
	};
	return {
		store,
		death,
		arm() {
			isArmed = true;
		},
	};
}
