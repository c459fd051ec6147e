import { listOperations, toRequest } from "./examples.mjs";

/** These change what later calls of the same owner are answered. */
const LAST = new Set([
	"account_budget",
	"account_erase",
	"spt_refund",
	"spt_revoke",
	"spt_rotate",
	"webhooks_create",
]);

/** Every operation by its own example: by token, by account and without either. */
export async function callOperations({ send, peek, openapi, spt, account, spare }) {
	// In one order whatever the document's: balances depend on what was paid before.
	const operations = listOperations(openapi).sort((a, b) => a.id.localeCompare(b.id));
	const isLast = ({ id }) => LAST.has(id);
	const call = async (name, request) => {
		const { status, body } = await send(name, request);
		if (status === 202) await waitForJob(peek, body, request);
	};
	const byToken = { "X-Pay-SPT": spt };
	const byAccount = { "X-API-Key": account.key };
	for (const operation of operations.filter((known) => !isLast(known))) {
		const { id } = operation;
		await send(`operation ${id} without credential`, toRequest(operation));
		if (takes(operation, "paymentSPT"))
			await call(`operation ${id} by token`, toRequest(operation, { headers: byToken }));
		if (takes(operation, "apiKey"))
			await call(`operation ${id} by account`, toRequest(operation, { headers: byAccount }));
	}
	for (const operation of operations.filter(isLast)) {
		const headers = takes(operation, "apiKey")
			? { "X-API-Key": spare.account.key }
			: { "X-Pay-SPT": spare.spt };
		await send(`operation ${operation.id} without credential`, toRequest(operation));
		await send(`operation ${operation.id}`, toRequest(operation, { headers }));
	}
}

/** Its events end with it; until then its price is held, and balances would depend on the moment. */
export async function waitForJob(peek, { data }, { headers }) {
	await peek({ path: `/v1/research/deep-dive/${data.job_id}/events`, headers });
}

/** Schedules name no security in the document and still belong to anyone who paid. */
function takes({ wants, path }, scheme) {
	return (
		wants.includes(scheme) || (wants.length === 0 && path.startsWith("/v1/research/schedules"))
	);
}
