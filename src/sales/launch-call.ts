import { fingerprintOf, type LaunchedAdmission } from "../../payments/payments.js";
import type { JobRow } from "../../store/store.js";
import {
	type Call,
	type Caller,
	type CallResult,
	type CostWire,
	type Invoke,
	type JobOffer,
	parseInput,
	type Skill,
} from "../contract/contract.js";
import { type JobPlace, type Jobs, toJobCost } from "../jobs/jobs.js";
import {
	type Clock,
	formatUsd,
	invalidArgument,
	notFound,
	ServiceError,
} from "../kernel/kernel.js";
import { type Admission, type OpenCallDeps, refuseTwoPayers } from "./cashier.js";
import type { RecordUsage } from "./usage.js";

/** What a call needs of the jobs to launch one. */
export type Launches = Pick<Jobs, "place" | "passesOf" | "begin" | "writeAgain" | "find">;

export interface LaunchServices extends OpenCallDeps {
	readonly recordUsage: RecordUsage;
	readonly clock: Clock;
	/** Launches what outlives its call; without it nothing does. */
	readonly jobs?: Launches | undefined;
}

/**
 * Runs one call whose work outlives it: its price is held together with the job's row, then the caller is given the job,
 * which takes the money when it ends. Sent again under its key or payment, it is given the same job.
 */
export function createLaunchCall(deps: LaunchServices): Invoke {
	const { skills, cashier, clock, recordUsage } = deps;
	return async (call) => {
		const skill: Skill = skills[call.operationId];
		const { jobs, job } = partsOf(deps, skill);
		const input = parseInput(skill.input, call.rawInput); // 400 before anything else
		refuseTwoPayers(skill, call);
		const payer = await cashier.payerOf(call); // 401
		await skill.prepare?.(input, payer); // 404 before anybody pays
		if (payer?.keepsNoText) throw keepsNoText();

		const startedMs = clock.monotonicMs();
		const order = await toOrder(jobs, { job, skill, input, payer });
		const place = jobs.place(order);
		try {
			call.signal.throwIfAborted();
			const admission = await cashier.admit({ skill, input, payer, call, job: place }); // 402, 429
			const launched = await toLaunched(admission, place, { call, skill, input });
			const { row, output } = await unlessLost(launched, async () => {
				if (launched.isNew) await jobs.begin(place.id, order.input);
				else await jobs.writeAgain(launched.jobId, order.input);
				const row = await jobs.find(launched.jobId);
				if (!row)
					throw notFound(
						`The job ${launched.jobId} that was launched with this key is deleted or past its time; use a new key for a new one.`,
					);
				const context = { signal: call.signal, requestId: call.requestId, callId: row.id };
				return { row, output: (await skill.run(input, context)).result };
			});
			const cost = toCost(row, launched);
			const owner = payer?.owner ?? "anonymous";
			if (launched.isNew) recordUsage({ call, skill, input, owner, output, receiptId: null });
			return {
				output,
				isAnswer: true,
				cost,
				caller: { ...payer, owner, rail: cost.rail },
				timings: { pay: clock.monotonicMs() - startedMs },
				...settlementOf(launched),
			} satisfies CallResult;
		} finally {
			place.leave();
		}
	};
}

function partsOf({ jobs }: LaunchServices, { job, operationId }: Skill) {
	if (jobs && job) return { jobs, job };
	throw new ServiceError("INTERNAL", `Nothing launches "${operationId}".`);
}

interface Order {
	readonly job: JobOffer;
	readonly skill: Skill;
	readonly input: unknown;
	readonly payer: Caller | undefined;
}

async function toOrder(jobs: Launches, { job, skill, input, payer }: Order) {
	const asked = await job.inputOf(input, payer);
	const mode = job.modeOf?.(input);
	const { kind } = job;
	const passes = jobs.passesOf(kind, asked);
	return { kind, operationId: skill.operationId, input: asked, mode, passes, caller: payer };
}

type Launched = Pick<LaunchedAdmission, "jobId" | "isNew"> & Partial<LaunchedAdmission>;

/** What costs nothing is persisted all the same, and opens by its id. */
async function toLaunched(
	admission: Admission,
	place: JobPlace,
	{ call, skill, input }: Pick<Order, "skill" | "input"> & { readonly call: Call },
): Promise<Launched> {
	if (admission.kind === "launched") return admission;
	if (admission.kind !== "free") throw new Error(`"${skill.operationId}" was held by a call.`);
	const fingerprint = fingerprintOf(skill.operationId, input);
	const { idempotencyKey } = call;
	return place.openUnpaid({ quote: admission.quote, fingerprint, idempotencyKey });
}

/** A caller who is given no job can be given it under the same payment. */
async function unlessLost<T>({ abandoned }: Launched, tell: () => Promise<T>): Promise<T> {
	try {
		return await tell();
	} catch (error) {
		abandoned?.({ isLost: false });
		throw error;
	}
}

function toCost(row: JobRow, { isNew, balanceMicros }: Launched): CostWire {
	const { price_usd: _price, ...cost } = toJobCost(row);
	return {
		...cost,
		balance_after_usd: balanceMicros === undefined ? null : formatUsd(balanceMicros),
		...(!isNew && { replayed: true }),
	};
}

function settlementOf({ settlement, headers, delivered, abandoned }: Launched) {
	return {
		...(settlement && { settlement }),
		...(headers && { paymentHeaders: headers }),
		...(delivered && { onDelivered: delivered }),
		...(abandoned && { onAbandoned: () => abandoned({ isLost: false }) }),
	};
}

function keepsNoText(): ServiceError {
	return invalidArgument(
		"This account keeps no text, and a job keeps its question and its report until they are read; pay with a Shared Payment Token or a wallet alone, or choose standard retention.",
	);
}
