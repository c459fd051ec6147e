import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Test } from "tap";
import type { Facilitator, Hex, SettlementTerms } from "../../payments/onchain/facilitator.js";

interface SentPayment {
	readonly paymentPayload: {
		readonly payload: {
			readonly signature: Hex;
			readonly authorization: Record<"value" | "validAfter" | "validBefore", string> &
				Record<"from" | "to" | "nonce", Hex>;
		};
	};
}

const NOTHING = { onBroadcast: async () => undefined };

/** The facilitator over HTTP, for servers that are processes of their own; its address. Closed when the test ends. */
export async function startHttpFacilitator(
	t: Test,
	{ facilitator, terms }: { facilitator: Facilitator; terms: SettlementTerms },
): Promise<string> {
	const answer = async (path: string | undefined, body: string): Promise<object> => {
		const { signature, authorization } = (JSON.parse(body) as SentPayment).paymentPayload.payload;
		const { value, validAfter, validBefore, ...named } = authorization;
		const times = { validAfter: Number(validAfter), validBefore: Number(validBefore) };
		const signed = { ...named, signature, value: BigInt(value), ...times };
		const payer = authorization.from;
		if (path === "/verify") {
			const verdict = await facilitator.verify(terms, signed);
			const invalidReason = "reason" in verdict ? verdict.reason : undefined;
			return { isValid: verdict.kind === "valid", payer, invalidReason };
		}
		const outcome = await facilitator.settle(terms, signed, NOTHING);
		if (outcome.kind === "settled") {
			const { transactionHash: transaction, network } = outcome;
			return { success: true, payer, transaction, network, amount: value };
		}
		const errorReason = "reason" in outcome ? outcome.reason : outcome.kind;
		return { success: false, payer, transaction: "", errorReason };
	};
	const server = createServer(async (request, response) => {
		const body = await answer(request.url, await text(request)).catch(() => undefined);
		response.writeHead(body ? 200 : 500, { "Content-Type": "application/json" });
		response.end(JSON.stringify(body ?? {}));
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	t.teardown(() => {
		server.closeAllConnections();
		server.close();
	});
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
