import t, { type Test } from "tap";
import { type AccountShop, openAccount, useFreeCalls } from "../auth/open-account.js";

export const CHAT = "/v1/research/chat";
export const SESSIONS = `${CHAT}/sessions`;

let shared: Promise<AccountShop> | undefined;

/** One shop, and for each test an account of its own; `alone` for tests that look into the folder. */
export async function openChat(alone?: Test) {
	shared ??= openAccount(t);
	const shop = alone ? await openAccount(alone) : await shared;
	const { key, account_id: accountId } = await shop.app.operator.createKey({ usd: "99.00" });
	await useFreeCalls({ ...shop, accountId });
	const say = (message: string, sessionId = "s1", headers: Record<string, string> = {}) =>
		shop.send(CHAT, {
			method: "POST",
			headers: { "X-API-Key": key, "Content-Type": "application/json", ...headers },
			body: JSON.stringify({ sessionId, message }),
		});
	/** The same turn, reported step by step. */
	const stream = async (
		message: string,
		sessionId = "s1",
		headers: Record<string, string> = {},
	) => {
		const reply = await fetch(`${shop.baseUrl}${CHAT}/stream`, {
			method: "POST",
			headers: { "X-API-Key": key, "Content-Type": "application/json", ...headers },
			body: JSON.stringify({ sessionId, message }),
		});
		return { status: reply.status, text: await reply.text() };
	};
	const ask: AccountShop["ask"] = (method, path, body, secret = key) =>
		shop.ask(method, path, body, secret);
	const money = () => shop.app.store.read((reader) => reader.balance(`cust:${accountId}`));
	return { ...shop, key, accountId, ask, say, stream, money };
}
