import type { Test } from "tap";
import { type Clock, systemClock } from "../../src/kernel/clock.js";
import { parseUsd } from "../../src/kernel/money.js";
import type { Received } from "./contract-client.js";
import { type ContractWorld, type Models, startContractWorld } from "./contract-world.js";
import { exampleOf, type Operation, readOperations } from "./described-operations.js";
import { type HostileRequest, hostileRequests } from "./hostile-requests.js";

/** Of each operation and seed; `npm run properties` sends as many others. */
const CASES = 100;
/** So far apart that no ceiling of calls per minute hides what is behind it. */
const STEP_MS = 3_000;
const STACK = /\bat [^\n]*\.[cm]?[jt]s:\d+|node:internal|node_modules/;

function createSteppingClock(): Clock & { step(): void } {
	let aheadMs = 0;
	return {
		...systemClock,
		now: () => systemClock.now() + aheadMs,
		monotonicMs: () => systemClock.monotonicMs() + aheadMs,
		step: () => {
			aheadMs += STEP_MS;
		},
	};
}

/**
 * Sends hostile requests to each of the operations that are wanted: none breaks, none shows the insides of the service, and
 * what is charged is what was answered.
 */
export async function attackOperations(
	t: Test,
	isWanted: (operation: Operation) => boolean,
	models?: Models,
) {
	const clock = createSteppingClock();
	const world = await startContractWorld(t, { clock, ...(models && { models }) });
	const operations = (await readOperations(world.testApp.baseUrl)).filter(isWanted);
	t.ok(operations.length > (models ? 1 : 10));
	for (const operation of operations) {
		const { operationId } = operation;
		const told = await attack({ world, operation, step: clock.step });
		t.same(told.faults.slice(0, 5), [], `${operationId}: ${told.refused} of ${CASES} refused`);
		t.ok(told.refused > 0, `${operationId} refuses something`);
		t.equal(told.paidMicros, told.toldMicros, `${operationId}: charged is what was answered`);
		if (operation.priceUsd === 0) continue;
		const { method } = operation;
		const { headers } = await world.credentialFor(operation);
		const reply = await world.send({ method, headers, ...exampleOf(operation) });
		t.ok(reply.status < 500, `${operationId}: its example still works`);
	}
}

async function attack(attacked: {
	readonly world: ContractWorld;
	readonly operation: Operation;
	readonly step: () => void;
}) {
	const { world, operation, step } = attacked;
	const { headers, balance } = await world.credentialFor(operation);
	const before = await balance();
	const faults: string[] = [];
	let [refused, toldMicros] = [0, 0n];
	for (const request of hostileRequests(operation, CASES)) {
		step();
		const { path, query, body } = request;
		const reply = await world.send({ method: operation.method, path, query, headers, body });
		faults.push(...faultsOf(operation, request, reply));
		if (reply.status >= 400) refused += 1;
		else
			toldMicros +=
				reply.status === 202 ? await chargeOfJob(world, headers, reply) : chargeOf(reply);
	}
	const after = await balance();
	const paidMicros =
		before === undefined || after === undefined ? 0n : parseUsd(before) - parseUsd(after);
	return { faults, refused, paidMicros: operation.priceUsd > 0 ? paidMicros : 0n, toldMicros };
}

function chargeOf({ headers }: Received): bigint {
	return headers.has("x-receipt-id") ? parseUsd(headers.get("x-cost-usd") ?? "0") : 0n;
}

/** What a job was charged when it has ended. */
async function chargeOfJob(
	{ send }: ContractWorld,
	headers: Readonly<Record<string, string>>,
	reply: Received,
): Promise<bigint> {
	const { links } = (reply.body as { data: { links: { status: string; events: string } } }).data;
	await send({ method: "GET", path: links.events, headers });
	const { body } = await send({ method: "GET", path: links.status, headers });
	return parseUsd((body as { data: { cost: { amount_usd: string } } }).data.cost.amount_usd);
}

function faultsOf(operation: Operation, request: HostileRequest, reply: Received): string[] {
	const { status, mediaType, body, text } = reply;
	const complaints = isElsewhere(request, status) ? [] : operation.judge(status, mediaType, body);
	return [
		...(status >= 500 ? [`status ${status}`] : []),
		...(STACK.test(text) ? ["a stack trace"] : []),
		...complaints,
	].map((why) => `${request.what}: ${why}; ${JSON.stringify(request).slice(0, 300)}`);
}

/** A hostile name in a path may lead to no operation at all, or to another one. */
function isElsewhere({ what }: HostileRequest, status: number): boolean {
	return what.startsWith("path ") && status < 500;
}
