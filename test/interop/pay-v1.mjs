// One payment by x402-fetch (version 1), run in the folder it is installed in; the order comes on standard input.
import { text } from "node:stream/consumers";
import { privateKeyToAccount } from "viem/accounts";
import { decodeXPaymentResponse, wrapFetchWithPayment } from "x402-fetch";

const { url, body, privateKey, maxUnits } = JSON.parse(await text(process.stdin));
const account = privateKeyToAccount(privateKey);
// Its own cap is 0.10 USDC.
const pay = wrapFetchWithPayment(fetch, account, BigInt(maxUnits));
const response = await pay(url, {
	method: "POST",
	headers: { "Content-Type": "application/json" },
	body: JSON.stringify(body),
});
const answer = await response.json();
const header = response.headers.get("X-PAYMENT-RESPONSE");
process.stdout.write(
	JSON.stringify({
		status: response.status,
		rows: answer.rows?.length ?? 0,
		receipt: header ? decodeXPaymentResponse(header) : {},
	}),
);
