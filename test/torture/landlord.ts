import type { FileSystem } from "../../store/journal/file-system.js";
import { createFakeDisk, type FakeDisk } from "../store/fake-disk.js";
import type { Book } from "./book.js";
import { BrokenPromise } from "./broken-promise.js";
import type { Dice } from "./dice.js";
import { type House, type HouseDeps, openHouse } from "./house.js";
import { judgeStart } from "./judge.js";
import { createLife, type Ending, type Life, type LifePlan } from "./life.js";
import type { Outside } from "./outside.js";
import { createSimDisk } from "./sim-disk.js";
import { createSimClock, type Timeline } from "./timeline.js";
import type { Open } from "./visit.js";

/** Opens the server whenever it is down, and has it die in ever new ways. */
export interface Landlord {
	/** The open house; undefined while it is down. */
	current(): Open | undefined;
	/** Lets lives follow each other until `rest`. */
	work(): Promise<void>;
	/** The life that runs is the last that dies. */
	rest(): void;
	/** Opens a house that nothing happens to. */
	openForGood(): Promise<House>;
	/** How lives ended, and how often. */
	readonly endings: ReadonlyMap<string, number>;
}

export interface LandlordDeps {
	readonly timeline: Timeline;
	readonly dice: Dice;
	readonly book: Book;
	readonly outside: Outside;
	readonly spoil?: HouseDeps["spoil"];
	readonly trace: (line: string) => void;
}

const CALM: LifePlan = {
	diesAt: Number.POSITIVE_INFINITY,
	failsAt: Number.POSITIVE_INFINITY,
	ending: "killed",
};

export function createLandlord(deps: LandlordDeps): Landlord {
	const { timeline, dice, trace } = deps;
	const endings = new Map<string, number>();
	let disk = createFakeDisk();
	let open: Open | undefined;
	let isResting = false;
	let lieDown: () => void = () => undefined;
	const rested = new Promise<void>((resolve) => {
		lieDown = resolve;
	});
	let pid = 0;

	const end = (life: Life, how: string) => {
		open = undefined;
		if (life.isAlive()) life.die();
		endings.set(how, (endings.get(how) ?? 0) + 1);
		trace(`${how}`);
	};
	const enter = async (life: Life, plan: LifePlan): Promise<Open | Ending | "failed start"> => {
		let onStop: () => void = () => undefined;
		const stopped = new Promise<void>((resolve) => {
			onStop = resolve;
		});
		const start = beginHouse(deps, { life, disk, pid: ++pid, onStop });
		const opened = await Promise.race([start, life.died]);
		if (typeof opened === "string") return opened;
		if (opened instanceof Error) {
			if (plan.failsAt === Number.POSITIVE_INFINITY) {
				throw new BrokenPromise(`The house does not open: ${opened.message}`);
			}
			return "failed start";
		}
		return { house: opened, life, stopped };
	};
	const liveOnce = async () => {
		const plan = planLife(dice);
		const life = createLife(timeline, dice, plan);
		const entered = await enter(life, plan);
		if (typeof entered === "string") {
			end(life, entered);
			if (entered === "power cut") disk = disk.afterPowerCut(dice.next);
			return;
		}
		open = entered;
		trace(`open ${pid}`);
		const how = await stayOpen(entered, { timeline, dice, rested, lastEnding: plan.ending });
		for (const complaint of entered.house.complaints) throw new BrokenPromise(complaint);
		end(life, how);
		if (how === "power cut") disk = disk.afterPowerCut(dice.next);
	};

	return {
		endings,
		current: () => open,
		rest() {
			isResting = true;
			lieDown();
		},
		async work() {
			while (!isResting) {
				await liveOnce();
				await timeline.sleep(dice.between(0, 200));
			}
		},
		async openForGood() {
			const life = createLife(timeline, dice, CALM);
			const entered = await enter(life, CALM);
			if (typeof entered === "string") throw new Error(`A calm life ended: ${entered}.`);
			open = entered;
			return entered.house;
		},
	};
}

/** Machines come up with clocks that are ahead or behind. */
const SKEWS_MS = [-60_000, -3_000, 1_000];

interface Begin {
	readonly life: Life;
	readonly disk: FakeDisk;
	readonly pid: number;
	readonly onStop: () => void;
}

/** The open house, or why it did not open. */
async function beginHouse(
	{ timeline, dice, book, outside, spoil }: LandlordDeps,
	{ life, disk, pid, onStop }: Begin,
): Promise<House | Error> {
	const fileSystem: FileSystem = createSimDisk({ disk, life, dice: dice.fork() });
	const skewMs = dice.chance(0.15) ? dice.pick(SKEWS_MS) : 0;
	const clock = createSimClock(timeline, { isAlive: life.isAlive, skewMs });
	try {
		const house = await openHouse({
			...{ fileSystem, clock, pid, spoil, onStop },
			dice: dice.fork(),
			...outside.connect(life),
		});
		// Reading the whole journal is the dearest part of a start, and what is lost stays lost.
		if (dice.chance(0.2)) await judgeStart(house, book);
		return house;
	} catch (error) {
		if (error instanceof BrokenPromise || !(error instanceof Error)) throw error;
		return error;
	}
}

interface Stay extends Pick<LandlordDeps, "timeline" | "dice"> {
	readonly rested: Promise<void>;
	readonly lastEnding: Ending;
}

/** Resolves with the way this life ended: as planned, by a stopped store, or in good order. */
async function stayOpen(
	{ house, life, stopped }: Open,
	{ timeline, dice, rested, lastEnding }: Stay,
): Promise<string> {
	const isClosed = dice.chance(0.1);
	const closing = isClosed ? timeline.sleep(dice.between(0, 2_000)) : new Promise(() => undefined);
	const how = await Promise.race([
		life.died,
		stopped.then(() => "stopped store"),
		rested.then(() => lastEnding),
		closing.then(() => "closing"),
	]);
	if (how !== "closing") return how;
	const closed = house.close().then(
		() => "closed",
		() => "failed close",
	);
	return Promise.race([life.died, closed]);
}

/** Many die while they start, most soon after, some live long. */
function planLife(dice: Dice): LifePlan {
	const luck = dice.next();
	const meanRequests = luck < 0.97 ? 16 : 200;
	const late = 25 + Math.ceil(-Math.log(1 - dice.next()) * meanRequests);
	return {
		diesAt: luck < 0.2 ? dice.between(1, 25) : late,
		failsAt: dice.chance(0.12) ? dice.between(1, 80) : Number.POSITIVE_INFINITY,
		ending: dice.chance(0.5) ? "killed" : "power cut",
	};
}
