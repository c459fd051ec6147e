import { liveWorld, type WorldOptions, type WorldReport } from "./world.js";

export interface CampaignOptions {
	/** Seed of the first world; the next one has the next number. */
	readonly seed: number;
	/** Begins no further world once one of these is reached. */
	readonly worlds?: number | undefined;
	readonly crashes?: number | undefined;
	readonly minutes?: number | undefined;
	readonly until?: number | undefined;
	readonly spoil?: WorldOptions["spoil"];
	readonly onTrace?: WorldOptions["onTrace"];
	/** Milliseconds that never run backwards. */
	readonly monotonicMs: () => number;
}

export interface Failure {
	readonly seed: number;
	readonly message: string;
	/** Fewest steps after which it still fails. */
	readonly until: number;
}

export interface CampaignReport {
	readonly worlds: number;
	readonly crashes: number;
	readonly seconds: number;
	readonly endings: Readonly<Record<string, number>>;
	readonly replies: Readonly<Record<string, number>>;
	readonly payments: Readonly<Record<string, number>>;
	readonly failure: Failure | undefined;
}

/** Lives world after world until time or number is reached, or one world breaks a promise. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
	const { seed, monotonicMs, worlds = Infinity, crashes = Infinity, minutes = Infinity } = options;
	const startMs = monotonicMs();
	const elapsedMs = () => monotonicMs() - startMs;
	const total = createTotal();
	let failure: Failure | undefined;
	const isOver = () =>
		failure !== undefined ||
		total.worlds >= worlds ||
		total.crashes() >= crashes ||
		elapsedMs() >= minutes * 60_000;
	while (!isOver()) {
		const world = { ...options, seed: seed + total.worlds };
		const report = await liveWorld(world);
		total.add(report);
		if (report.failure !== undefined) failure = await shrink(world, report);
	}
	return { ...total.facts(), seconds: Math.round(elapsedMs() / 100) / 10, failure };
}

/** Looks for the shortest prefix that fails; steps are few, so halving finds a good one soon. */
async function shrink(world: WorldOptions, report: WorldReport): Promise<Failure> {
	let [low, high] = [0, report.steps];
	let message = report.failure ?? "";
	while (low < high) {
		const until = (low + high) >> 1;
		const { failure } = await liveWorld({ ...world, until, onTrace: undefined });
		if (failure === undefined) low = until + 1;
		else [high, message] = [until, failure];
	}
	return { seed: report.seed, message, until: high };
}

function createTotal() {
	const [endings, replies, payments] = [new Map(), new Map(), new Map()] as Counts[];
	const total = {
		worlds: 0,
		crashes: () => CRASHES.reduce((sum, name) => sum + (endings?.get(name) ?? 0), 0),
		add(report: WorldReport) {
			total.worlds += 1;
			addTo(endings, report.endings);
			addTo(replies, report.replies);
			addTo(payments, report.payments);
		},
		facts: () => ({
			worlds: total.worlds,
			crashes: total.crashes(),
			endings: toRecord(endings),
			replies: toRecord(replies),
			payments: toRecord(payments),
		}),
	};
	return total;
}

type Counts = Map<string, number>;

/** Ends in the middle of something; a house that was closed in good order is none. */
const CRASHES = ["killed", "power cut", "stopped store", "failed start", "failed close"];

function addTo(sums: Counts | undefined, counts: ReadonlyMap<string, number>): void {
	for (const [name, count] of counts) sums?.set(name, (sums.get(name) ?? 0) + count);
}

function toRecord(counts: Counts | undefined): Record<string, number> {
	return Object.fromEntries([...(counts ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)));
}
