import type { Message, StreamResponse, Task } from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";
import { X402_EXTENSION_URI } from "../../agent-card/build-agent-card.js";
import type { SimChain } from "../support/sim-chain.js";
import {
	type SignOptions,
	type SimWallet,
	toV1Payload,
	toV2Payload,
} from "../support/sim-wallet.js";
import { type Binding, connect, sendParams, textMessage, type Version } from "./stock-client.js";

/** Headers that turn the extension on, as each version of the protocol names them. */
export const ACTIVATION: Readonly<Record<Version, Readonly<Record<string, string>>>> = {
	"1.0": { "A2A-Extensions": X402_EXTENSION_URI },
	"0.3": { "X-A2A-Extensions": X402_EXTENSION_URI },
};

export const EVERY_WAY: readonly { version: Version; binding: Binding }[] = [
	{ version: "1.0", binding: "JSONRPC" },
	{ version: "1.0", binding: "HTTP+JSON" },
	{ version: "0.3", binding: "JSONRPC" },
	{ version: "0.3", binding: "HTTP+JSON" },
	{ version: "1.0", binding: "GRPC" },
	{ version: "0.3", binding: "GRPC" },
];

/** Settings of gRPC on any free port. */
export const ON_LOOPBACK = { port: 0, tls: undefined, publicUrl: undefined };

export function connectPaying(
	baseUrl: string,
	{ version, binding }: (typeof EVERY_WAY)[number],
	headers: Readonly<Record<string, string>> = {},
): Promise<Client> {
	return connect({ baseUrl, version, binding, headers: { ...ACTIVATION[version], ...headers } });
}

/** What a task's status says of its payment. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it asserts on.
export function payment(status: Task["status"] | undefined): any {
	const entries = Object.entries(status?.message?.metadata ?? {});
	return Object.fromEntries(
		entries.map(([key, value]) => [key.replace("x402.payment.", ""), value]),
	);
}

/** Signs what the task demands, in the version of x402 it is demanded in. */
export function signFor(
	task: Task,
	chain: SimChain,
	wallet: SimWallet,
	changes: Partial<SignOptions> = {},
) {
	const { x402Version, accepts } = payment(task.status).required;
	const [terms] = accepts;
	const value = BigInt(x402Version === 1 ? terms.maxAmountRequired : terms.amount);
	const authorization = wallet.sign({ value, ...changes });
	return x402Version === 1
		? toV1Payload(authorization, { network: terms.network })
		: toV2Payload(chain, authorization, { accepted: terms });
}

/** The next message of a task, with its payment. */
export function paymentMessage(
	{ id: taskId, contextId }: Pick<Task, "id" | "contextId">,
	payload: unknown,
	changes: Partial<Message> = {},
): Message {
	return textMessage("Here is the payment.", {
		taskId,
		contextId,
		metadata: { "x402.payment.status": "payment-submitted", "x402.payment.payload": payload },
		...changes,
	});
}

export async function stream(client: Client, message: Message): Promise<StreamResponse[]> {
	const events: StreamResponse[] = [];
	for await (const event of client.sendMessageStream(sendParams(message))) events.push(event);
	return events;
}
