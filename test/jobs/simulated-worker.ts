import { createPriceList } from "../../payments/price-list.js";
import { createSptMethod } from "../../payments/spt/spt-method.js";
import type { ComposeBriefing } from "../../skills/briefings/briefing.js";
import type { ScheduleDelivery } from "../../skills/briefings/schedule-delivery.js";
import { createScheduleTexts } from "../../skills/briefings/schedule-text.js";
import type { BriefingWire } from "../../skills/briefings/schedule-wire.js";
import { createScheduleWorker } from "../../skills/briefings/schedule-worker.js";
import { createScheduleBilling } from "../../src/sales/schedule-billing.js";
import type { BriefingRunRow } from "../../store/rows/notification-rows.js";
import type { World } from "./schedule-world.js";

export interface SimulatedWorker {
	tick(): Promise<number>;
	/** Resolves when it dies. */
	readonly died: Promise<void>;
	isDead: boolean;
}

/** A worker whose process may end while it writes, or just before or after it sends. */
export function startWorker(world: World, { isSafe = false } = {}): SimulatedWorker {
	const { store, dice, clock, ledger, sent, unknown, facts } = world;
	let die: () => void = () => undefined;
	const worker = {
		isDead: false,
		died: new Promise<void>((resolve) => {
			die = resolve;
		}),
	};
	const crash = () => {
		worker.isDead = true;
		facts.crashes += 1;
		die();
		return new Promise<never>(() => undefined);
	};
	const mayCrash = (oneIn: number) => !isSafe && dice.chance(1 / oneIn);
	const compose: ComposeBriefing = async ({ topic, frequency }) => {
		if (mayCrash(40)) return crash();
		const memory = { at: clock.now(), graphs: {}, concepts: {} };
		return { briefing: { topic, frequency } as BriefingWire, memory, isWorth: true };
	};
	const delivery: Pick<ScheduleDelivery, "briefing"> = {
		async briefing({ schedule, run }) {
			const key = `${schedule.id} ${(run as BriefingRunRow).slot}`;
			if (mayCrash(60)) {
				unknown.add(key);
				return crash();
			}
			if (!isSafe && dice.chance(1 / 25)) {
				facts.refusals += 1;
				throw new Error("The target does not answer.");
			}
			sent.set(key, (sent.get(key) ?? 0) + 1);
			if (mayCrash(60)) {
				unknown.add(key);
				return crash();
			}
		},
	};
	const method = createSptMethod({
		ledger,
		clock,
		pepper: new Uint8Array(32),
		environment: "live",
	});
	const billing = createScheduleBilling({
		store,
		clock,
		prices: createPriceList(),
		methods: [method],
		guard: { isSelling: () => true },
	});
	const seal = { seal: (text: string) => text, open: () => "{}" };
	const { tick } = createScheduleWorker({
		store,
		clock,
		logger: { info: () => undefined, error: () => undefined },
		compose,
		texts: createScheduleTexts({ documents: store.documents, seal, clock }),
		delivery: delivery as ScheduleDelivery,
		billing,
	});
	return Object.assign(worker, { tick });
}
