import type { Request, RequestHandler, Response } from "express";
import type { PaidOperation } from "../contract/contract.js";
import { ANONYMOUS, parseInput, readLastEventId, STREAM_LIMITS } from "../contract/contract.js";
import {
	costHeaders,
	readCredential,
	readHeaders,
	requestIdOf,
	whileCallerWaits,
} from "../http/http.js";
import type { Clock } from "../kernel/kernel.js";
import type { FollowedStream, SoldStream } from "../sales/sales.js";
import type { Service } from "../service/service.js";
import { demandOfBare } from "./handlers.js";
import { sendEventStream } from "./plain-replies.js";
import { type PaymentLimit, readCallHeaders, readIdempotencyKey, readQuery } from "./request.js";

export interface StreamHandlerDeps {
	readonly service: Pick<Service, "streams" | "identify" | "demand"> & {
		readonly info: Pick<Service["info"], "baseUrl">;
	};
	readonly clock: Clock;
	readonly limitPayments: PaymentLimit;
}

/**
 * Sells one skill as Server-Sent Events, and goes on with what was sold. A refusal still has its HTTP status: nothing is
 * written before the capture.
 */
export function createStreamHandler(
	deps: StreamHandlerDeps,
	route: Pick<PaidOperation, "id" | "params" | "query" | "body">,
): RequestHandler {
	const { service, limitPayments } = deps;
	return async (req, res) => {
		await demandOfBare(deps, route, req, res);
		const { input, resumed } = readInput(route, req);
		const operationId = route.id;
		if (resumed) {
			const idempotencyKey = readIdempotencyKey(readHeaders(req));
			const credential = readCredential(req);
			const caller = credential ? await service.identify(credential) : ANONYMOUS;
			const { streamId } = resumed;
			const requestId = requestIdOf(res);
			const request = { operationId, rawInput: input, idempotencyKey, streamId, requestId };
			const stream = await service.streams.resume(caller, request);
			return goOn(deps, res, { stream, after: resumed.after });
		}
		const call = {
			operationId,
			rawInput: input,
			...readCallHeaders(req, limitPayments),
			transport: "rest",
			resourceUrl: `${service.info.baseUrl()}${req.path}`,
			requestId: requestIdOf(res),
		} as const;
		await whileCallerWaits(res, toWait(deps), async (signal) => {
			const sold = await service.streams.open({ ...call, signal });
			await sendSold(res, sold, { clock: deps.clock, signal });
		});
	};
}

function readInput(route: Pick<PaidOperation, "params" | "query" | "body">, req: Request) {
	const { after, stream_id, ...query } = parseInput(route.query, readQuery(req)) as {
		readonly after?: string;
		readonly stream_id?: string;
	};
	const body = route.body ? parseInput(route.body, req.body) : {};
	const place = readLastEventId(readHeaders(req)) ?? after;
	const isResumed = place !== undefined || stream_id !== undefined;
	return {
		input: { ...parseInput(route.params, req.params), ...query, ...body },
		resumed: isResumed ? { after: Number(place ?? 0), streamId: stream_id } : undefined,
	};
}

/** The rest of a stream; 204 when it has ended and there is none, which instructs a browser not to come back. */
async function goOn(
	{ clock }: StreamHandlerDeps,
	res: Response,
	{ stream, after }: { stream: FollowedStream; after: number },
): Promise<void> {
	if (stream.endsAt(after)) {
		res.setHeader("Cache-Control", "private, no-store");
		res.status(204).end();
		return;
	}
	await whileCallerWaits(res, toWait({ clock }), (signal) =>
		sendEventStream(res, stream.follow(after, signal), { clock }),
	);
}

/** A payment buys the work, and that has begun to leave with the first event: no copy of it starts the work again. */
async function sendSold(
	res: Response,
	{ cost, paymentHeaders, stream, onDelivered, onAbandoned }: SoldStream,
	{ clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
	const headers = { ...costHeaders(cost), ...paymentHeaders };
	for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
	let tell = onAbandoned;
	const onBegun = () => {
		tell = undefined;
		onDelivered?.();
	};
	try {
		await sendEventStream(res, stream.follow(0, signal), { clock, onBegun });
	} finally {
		tell?.({ isLost: false });
	}
}

function toWait({ clock }: Pick<StreamHandlerDeps, "clock">) {
	return { clock, timeoutMs: STREAM_LIMITS.connectionMs };
}
