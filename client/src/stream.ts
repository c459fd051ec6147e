/** A paid stream: charged once, before its first event, and gone on with by its id. */
import { type StreamOperationId, toAddress } from "./address.js";
import { ClientError, throwIfAborted } from "./errors.js";
import { follow, type ServerEvent } from "./events.js";
import { formatUsd, readUsd } from "./money.js";
import { type Bought, type CallOptions, order, type Shop } from "./order.js";
import { invalidReply, isRecord } from "./reply.js";
import { newTrace } from "./send.js";

export interface EventStream extends AsyncIterable<ServerEvent> {
	/** What was charged, in USD; undefined before the first event. */
	readonly chargedUsd: () => string | undefined;
}

/** Can be read once. */
export function openStream(
	shop: Shop,
	id: StreamOperationId,
	{ input, options, idleMs }: { input: object; options: CallOptions; idleMs: number },
): EventStream {
	let bought: Bought | undefined;
	return {
		chargedUsd: () => bought && formatUsd(bought.reservation.counted()),
		async *[Symbol.asyncIterator]() {
			throwIfAborted(options.signal);
			if (bought)
				throw new ClientError("INVALID_ARGUMENT", "A stream is read once; begin another one.");
			const address = toAddress(id, input);
			const exchange = shop.transport.open;
			const sold = await order(shop, { address, input, options, exchange });
			bought = sold;
			yield* goOn(shop, sold, { idleMs, options });
		},
	};
}

/** The events, each once; what they say of the price corrects what was counted. */
async function* goOn(
	{ transport }: Shop,
	{ answer, outgoing, reservation }: Bought,
	{ idleMs, options: { signal } }: { idleMs: number; options: CallOptions },
): AsyncGenerator<ServerEvent, void, undefined> {
	let first: Response | undefined = asStream(answer);
	let streamId: string | undefined;
	const open = async (lastId: string | undefined) => {
		if (first) {
			const response = first;
			first = undefined;
			return response;
		}
		const again = { ...outgoing, path: withStreamId(outgoing.path, streamId) };
		const headers = { ...again.headers, ...(lastId !== undefined && { "Last-Event-ID": lastId }) };
		// Without an event the call itself is sent again: its key makes it the one that was paid for.
		return asStream(await transport.open({ ...again, headers }, newTrace()));
	};
	for await (const event of follow({ open, retry: transport.retry, idleMs, signal })) {
		const { stream_id: named, cost } = event.data;
		if (event.event === "research.created" && typeof named === "string") streamId = named;
		if (event.event === "research.usage" && isRecord(cost)) {
			await reservation.count(readUsd(cost["amount_usd"]) ?? reservation.counted());
		}
		yield event;
	}
}

function withStreamId(path: string, streamId: string | undefined): string {
	if (streamId === undefined) return path;
	return `${path}${path.includes("?") ? "&" : "?"}stream_id=${encodeURIComponent(streamId)}`;
}

/** Undefined where nothing is left to read. Throws INVALID_REPLY for what is no stream. */
export function asStream(answer: Bought["answer"]): Response | undefined {
	if (answer instanceof Response) return answer;
	if (answer.status === 204) return undefined;
	throw invalidReply("The server answers a stream with something else.", { status: answer.status });
}
