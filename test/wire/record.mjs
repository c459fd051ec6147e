import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canonical } from "./compare.mjs";
import { exchange } from "./exchange.mjs";
import { createMask } from "./mask.mjs";
import { askByA2a } from "./requests/a2a.mjs";
import { readDocuments } from "./requests/documents.mjs";
import { walkJourneys } from "./requests/journeys.mjs";
import { callByMcp } from "./requests/mcp.mjs";
import { connectByOAuth } from "./requests/oauth.mjs";
import { callOperations } from "./requests/operations.mjs";
import { provokeRefusals } from "./requests/refusals.mjs";
import { payByWallet } from "./requests/wallet.mjs";
import { startServer } from "./server.mjs";

const FORMAT = 1;
/** Enough for every paid operation several times over. */
const FUNDS_USD = "5000";

/** Starts the server of a checkout on an empty data folder, sends it every request, and stops it. */
export async function record(root) {
	const data = mkdtempSync(join(tmpdir(), "tollgraph-wire-data-"));
	try {
		const mask = createMask({ startedAt: Date.now() });
		const server = await startServer(root, data);
		try {
			return { format: FORMAT, exchanges: await sendAll(server, mask) };
		} finally {
			await server.stop();
		}
	} finally {
		rmSync(data, { recursive: true, force: true });
	}
}

async function sendAll(server, mask) {
	const { ready } = server;
	mask.learn("base_url", ready.base_url);
	mask.learn("base_url", encodeURIComponent(ready.base_url));
	mask.learn("host", new URL(ready.base_url).host);
	const { exchanges, send, peek } = createRecorder(ready.base_url, mask);
	const openapi = (await exchange(ready.base_url, { path: "/openapi.json" })).body;
	const credentials = await createCredentials(server);
	const context = { send, peek, mask, openapi, ready, ...credentials };
	await learnPayee(context);
	await readDocuments(context);
	await provokeRefusals(context);
	await callOperations(context);
	await walkJourneys(context);
	await askByA2a(context);
	await callByMcp({ ...context, chatgptToken: await connectByOAuth(context) });
	await payByWallet(context);
	return exchanges;
}

/** Keeps what is sent and answered under its name; the reply comes back as it was. */
function createRecorder(baseUrl, mask) {
	const exchanges = {};
	const send = async (name, { unordered, ...request }) => {
		if (name in exchanges) throw new Error(`Two requests are called "${name}".`);
		const reply = await exchange(baseUrl, request);
		const headers = Object.entries(reply.headers).map(([key, value]) => [
			key,
			Array.isArray(value) ? value.map((one) => mask.header(key, one)) : mask.header(key, value),
		]);
		exchanges[name] = {
			request: mask.value(request),
			reply: {
				status: reply.status,
				headers: Object.fromEntries(headers),
				body: unordered ? sortItems(mask.value(reply.body)) : mask.value(reply.body),
			},
		};
		return reply;
	};
	/** Sends without keeping: for what is only waited for. */
	const peek = (request) => exchange(baseUrl, request);
	return { exchanges, send, peek };
}

/** Entries of one millisecond come in the order of their random identifiers. */
function sortItems({ data, ...others }) {
	const items = data.items.toSorted((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
	return { ...others, data: { ...data, items } };
}

async function createCredentials({ command }) {
	const token = async () => (await command("spt", "issue", "--usd", FUNDS_USD)).token;
	const account = async () => {
		const made = await command("keys", "create", "--usd", FUNDS_USD);
		return { key: made.key, accountId: made.account_id };
	};
	const ours = await account();
	const { token: connectionToken } = await command("tokens", "create", "--account", ours.accountId);
	return {
		spt: await token(),
		account: ours,
		connectionToken,
		/** For what ends or replaces a credential. */
		spare: { spt: await token(), account: await account() },
	};
}

/** The wallets of the local chain are rebuilt for every data folder. */
async function learnPayee({ mask, ready, openapi }) {
	if (!ready.demo_wallet) return;
	mask.learn("wallet", ready.demo_wallet.address);
	mask.learn("wallet", ready.demo_wallet.address.toLowerCase());
	mask.learn("rpc_url", ready.demo_wallet.rpc_url);
	const path = Object.keys(openapi.paths).find((known) => known.includes("payments/methods"));
	const { body } = await exchange(ready.base_url, { path: path ?? "/v1/payments/methods" });
	const [, payTo] = /"pay_to":"(0x[0-9a-fA-F]{40})"/.exec(JSON.stringify(body)) ?? [];
	mask.learn("pay_to", payTo);
	mask.learn("pay_to", payTo?.toLowerCase());
}
