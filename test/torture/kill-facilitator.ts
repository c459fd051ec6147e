import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Hex, TransferAuthorization } from "../../payments/onchain/facilitator.js";
import type { OpenedOnchain } from "../../src/app/onchain.js";
import type { Dice } from "./dice.js";

/** What a server says of a request that it does not take, or does not want to have taken. */
const REFUSALS = [400, 401, 403, 404, 409, 413, 422, 429];
const LATEST_MS = 5_000;
const NOTHING = { onBroadcast: async () => undefined };

/** When a transfer was on the chain, in epoch milliseconds, by the nonce of its authorization. */
export type Transfers = ReadonlyMap<Hex, number>;

export interface TurningAway {
	readonly url: string;
	readonly transfers: Transfers;
	/** How often each status was the answer to `/settle`. */
	readonly refusals: ReadonlyMap<number, number>;
	/** Resolves when nothing is on its way to the chain any more. */
	settled(): Promise<void>;
	close(): Promise<void>;
}

/** A facilitator over HTTP that answers every `/settle` with a 4xx, and settles up to five seconds later all the same. */
export async function startTurningAway(
	{ terms, facilitator }: Pick<OpenedOnchain, "terms" | "facilitator">,
	dice: Dice,
): Promise<TurningAway> {
	const transfers = new Map<Hex, number>();
	const refusals = new Map<number, number>();
	const underWay = new Set<Promise<void>>();
	const sendLater = async (authorization: TransferAuthorization, delayMs: number) => {
		await new Promise((resolve) => setTimeout(resolve, delayMs));
		if (transfers.has(authorization.nonce)) return;
		const outcome = await facilitator.settle(terms, authorization, NOTHING);
		if (outcome.kind === "settled" && !transfers.has(authorization.nonce)) {
			transfers.set(authorization.nonce, Date.now());
		}
	};
	const answer = async (request: IncomingMessage, response: ServerResponse) => {
		const authorization = toAuthorization(JSON.parse(await text(request)) as SentPayment);
		if (request.url === "/verify") {
			const { kind, ...rest } = await facilitator.verify(terms, authorization);
			const invalidReason = "reason" in rest ? rest.reason : undefined;
			reply(response, 200, { isValid: kind === "valid", payer: authorization.from, invalidReason });
			return;
		}
		const status = dice.pick(REFUSALS);
		refusals.set(status, (refusals.get(status) ?? 0) + 1);
		// Some are on the chain before the refusal is read.
		const sending = sendLater(authorization, dice.chance(0.2) ? 0 : dice.between(0, LATEST_MS));
		const noted = sending.catch(() => undefined).finally(() => underWay.delete(noted));
		underWay.add(noted);
		reply(response, status, { error: "This request was not taken." });
	};
	const server = createServer((request, response) => {
		answer(request, response).catch(() => reply(response, 500, {}));
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		transfers,
		refusals,
		async settled() {
			while (underWay.size > 0) await Promise.all(underWay);
		},
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, "close");
		},
	};
}

interface SentPayment {
	readonly paymentPayload: {
		readonly payload: {
			readonly signature: Hex;
			readonly authorization: Record<"value" | "validAfter" | "validBefore", string> &
				Record<"from" | "to" | "nonce", Hex>;
		};
	};
}

function toAuthorization({ paymentPayload }: SentPayment): TransferAuthorization {
	const { signature, authorization } = paymentPayload.payload;
	const { from, to, nonce, value, validAfter, validBefore } = authorization;
	return {
		...{ from, to, nonce, signature },
		value: BigInt(value),
		validAfter: Number(validAfter),
		validBefore: Number(validBefore),
	};
}

function reply(response: ServerResponse, status: number, body: object): void {
	response.writeHead(status, { "Content-Type": "application/json" });
	response.end(JSON.stringify(body));
}
