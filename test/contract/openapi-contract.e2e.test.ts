import t, { type Test } from "tap";
import { type ContractWorld, MODELS, sellsModels, startContractWorld } from "./contract-world.js";
import { exampleOf, type Operation, readOperations } from "./described-operations.js";

/** What an example cannot bring about here, and why. */
const NOT_MET: Readonly<Record<string, readonly number[]>> = {
	// They are paid on a chain, and none is configured here.
	spt_purchase: [402],
	spt_top_up: [402],
	spt_refund: [402, 403, 404],
	payments_get: [404],
	// Their links are mailed, and no mail server is configured here.
	research_schedules_confirm: [404],
	research_schedules_unsubscribe: [404],
	// No month is over here.
	account_invoices_get: [404],
	account_invoices_export: [404],
	// There is no embedding model here.
	embeddings_create: [503],
};

/** Examples that ask for more than one of what the listed price is for. */
const UNITS_OF_EXAMPLE: Readonly<Record<string, number>> = {
	human_agents_panel: 2,
	// One text, which counts as the least that is charged.
	embeddings_create: 10,
	rerank_create: 2,
	// The example's graph has 52 concepts, and each 50 that are begun count.
	graphs_export: 2,
};

t.test("every operation answers its own example as it describes", async (t) => {
	const world = await startContractWorld(t);
	const operations = await readOperations(world.testApp.baseUrl);
	t.ok(operations.length > 40);
	await assertAnswered(t, world, operations);
});

t.test("and those that sell what a model says, where there is one", async (t) => {
	const world = await startContractWorld(t, { models: MODELS });
	const operations = await readOperations(world.testApp.baseUrl);
	const selling = operations.filter(sellsModels);
	t.equal(selling.length, 2);
	await assertAnswered(t, world, selling, {});
});

async function assertAnswered(
	t: Test,
	world: ContractWorld,
	operations: readonly Operation[],
	notMet = NOT_MET,
) {
	for (const operation of operations) {
		const { operationId, method } = operation;
		const held = await world.credentialFor(operation);
		const example = exampleOf(operation, await world.namesFor(operation, held));
		const reply = await world.send({ method, headers: held.headers, ...example });
		const expected = notMet[operationId] ?? [200, 201, 202];
		const said = reply.status >= 400 ? reply.text.slice(0, 300) : "";
		t.ok(expected.includes(reply.status), `${operationId}: ${reply.status} ${said}`);
		t.same(operation.judge(reply.status, reply.mediaType, reply.body), [], operationId);
	}
}

t.test("every paid operation asks for its price where nothing pays, as it describes", async (t) => {
	const world = await startContractWorld(t);
	for (const operation of await readOperations(world.testApp.baseUrl)) {
		const { security, operationId, method, priceUsd } = operation;
		if (security.length === 0 || priceUsd === 0) continue;
		// The price of a job is stated with its status, which asks for nothing.
		if (operationId === "research_deep_dive_status") continue;
		const reply = await world.send({ method, headers: {}, ...exampleOf(operation) });
		// A top-up names the token it is for.
		if (operationId === "spt_top_up") continue;
		t.equal(reply.status, 402, operationId);
		t.same(operation.judge(402, reply.mediaType, reply.body), [], operationId);
		const { price } = reply.body as { price: { amount_usd: string } };
		const asked = UNITS_OF_EXAMPLE[operationId] ?? 1;
		t.equal(Number(price.amount_usd).toFixed(6), (asked * priceUsd).toFixed(6), operationId);
	}
});
