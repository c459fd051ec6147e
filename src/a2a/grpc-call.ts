import {
	type Metadata,
	ServerInterceptingCall,
	type ServerInterceptingCallInterface,
	type ServerInterceptor,
} from "@grpc/grpc-js";
import {
	type CallResult,
	LIMITS,
	parseCredential,
	type SentHeaders,
} from "../contract/contract.js";
import {
	assertNotForwarded,
	type CallRates,
	type CountedRequest,
	rateHeaders,
	toCallerAddress,
	toCounted,
	toRateRefusal,
	toRequestId,
} from "../http/http.js";
import { type Clock, invalidArgument } from "../kernel/kernel.js";
import {
	type A2aServices,
	type Carrier,
	createExchange,
	type Exchange,
	GRPC_STATUS,
} from "./exchange.js";
import { type CallStatus, setText, toRefusalStatus } from "./grpc-status.js";
import { assertShallow, ENVELOPE_LEVELS } from "./message-envelope.js";

/** What the calls of one gRPC server run on. */
export interface GrpcCallDeps
	extends Pick<A2aServices, "service" | "ids" | "acceptsX402" | "logger"> {
	readonly rates: CallRates;
	readonly clock: Clock;
	/** True for a proxy that is trusted to say who calls. */
	readonly isProxy: (address: string) => boolean;
	/** What the paths of calls are below. */
	readonly baseUrl: () => string;
}

/** The exchange of each call, by the metadata that the SDK has of it. */
export type Exchanges = WeakMap<Metadata, Exchange>;

/** Stands for a request that is no message of its method. */
export const UNREADABLE = Symbol("unreadable");

/**
 * Stands around every call: counts it, takes its metadata for what headers are over HTTP, and puts our refusals in place of
 * the SDK's errors. The metadata of an answer waits for its first message: costs are not known before.
 */
export function createCallInterceptor(deps: GrpcCallDeps, exchanges: Exchanges): ServerInterceptor {
	return ({ path }, call) => {
		const answer = createAnswer();
		let exchange: Exchange | undefined;
		let sendMetadata: (() => void) | undefined;
		const open = (metadata: Metadata): Exchange => {
			exchange = createExchange(deps, toCarrier(deps, { call, path, metadata, answer }));
			exchanges.set(metadata, exchange);
			return exchange;
		};
		const end = (status: CallStatus): CallStatus => {
			const sent = exchange ? toSentStatus(status, exchange, answer) : status;
			answer.end(sent.code === GRPC_STATUS.ok);
			// The library percent-encodes the text, which throws on half of a character: a text may have been cut there.
			return { ...sent, details: toWellFormed(sent.details) };
		};
		const refuse = (error: unknown): void => {
			exchange?.refuse(error);
			call.sendStatus(end({ code: GRPC_STATUS.unknown, details: "" }));
		};
		let isWhole = false;
		const late = () => {
			if (!isWhole) refuse(invalidArgument(LATE));
		};
		return new ServerInterceptingCall(call, {
			start: (next) =>
				next({
					onReceiveMetadata: (metadata, proceed) => {
						answer.onEnd(deps.clock.after(LIMITS.requestTimeoutMs, late));
						countCall(deps, open(metadata), answer).then(() => proceed(metadata), refuse);
					},
					onReceiveHalfClose: (proceed) => {
						isWhole = true;
						proceed();
					},
					onReceiveMessage: (message, proceed) => {
						try {
							assertReadable(message);
						} catch (error) {
							return refuse(error);
						}
						proceed(message);
					},
					onCancel: answer.leave,
				}),
			sendMetadata: (metadata, next) => {
				sendMetadata = () => {
					sendMetadata = undefined;
					for (const [name, value] of answer.headers) setText(metadata, name, value);
					next(metadata);
				};
			},
			sendMessage: (message, next) => {
				sendMetadata?.();
				answer.write();
				next(message);
			},
			sendStatus: (status, next) => {
				const sent = end(status);
				sendMetadata?.();
				next(sent);
			},
		});
	};
}

const LATE = `The request did not arrive within ${LIMITS.requestTimeoutMs / 1000} seconds.`;

const HALF_CHARACTER = /\p{Surrogate}/gu;

const toWellFormed = (text: string): string => text.replace(HALF_CHARACTER, "\ufffd");

/** As HTTP requests are counted. Throws RATE_LIMITED, and INVALID_ARGUMENT where the demo profile would be reached from afar. */
async function countCall(
	{ rates, service }: GrpcCallDeps,
	{ carrier, refusal }: Exchange,
	answer: Answer,
): Promise<void> {
	const { headers, address, credential } = carrier;
	const counted = toCounted(address, credential, headers.get("authorization")?.[0]);
	const caller: CountedRequest = { ...counted, isPolling: false };
	if (caller.credentialKey !== undefined) {
		answer.onEnd(({ hasLeft }) =>
			rates.end(caller, { isRefused: refusal()?.status === 401, hasLeft }),
		);
	}
	const levels = await rates.take(caller, async () => {
		const shown = credential();
		if (shown) await service.identify(shown);
	});
	for (const [name, value] of Object.entries(rateHeaders(levels))) carrier.setHeader(name, value);
	const full = levels.find((level) => !level.isLetIn);
	if (full) throw toRateRefusal(full);
	if (service.info.profile === "demo") assertNotForwarded(headers.keys());
}

function assertReadable(message: unknown): void {
	if (message === UNREADABLE) {
		throw invalidArgument("The request is no message that this method reads.");
	}
	assertShallow(message, LIMITS.bodyDepth + ENVELOPE_LEVELS);
}

/** What the caller reads: refusals as we word them, errors of the protocol as the SDK does. */
function toSentStatus(status: CallStatus, exchange: Exchange, { headers }: Answer): CallStatus {
	if (status.code === GRPC_STATUS.ok) return status;
	// What the SDK could not classify is an exception, and its text is not for callers.
	const isUnknown = status.code === GRPC_STATUS.unknown || status.code === GRPC_STATUS.internal;
	const refusal =
		exchange.refusal() ?? (isUnknown ? exchange.refuse(new Error(status.details)) : undefined);
	if (refusal) return toRefusalStatus(refusal, headers);
	for (const [name, value] of headers) if (status.metadata) setText(status.metadata, name, value);
	return status;
}

/** An answer on its way to a caller who may leave. */
type Answer = ReturnType<typeof createAnswer>;

function createAnswer() {
	const headers = new Map<string, string>();
	const leaving = new Set<() => void>();
	const ending = new Set<(how: { readonly isSent: boolean; readonly hasLeft: boolean }) => void>();
	let state: "open" | "ended" | "left" = "open";
	let isWritten = false;
	const close = (how: "ended" | "left", isSent: boolean) => {
		if (state !== "open") return;
		state = how;
		if (how === "left") for (const leave of leaving) leave();
		for (const tell of ending) tell({ isSent, hasLeft: how === "left" });
		leaving.clear();
		ending.clear();
	};
	return {
		headers,
		setHeader: (name: string, value: string) => void headers.set(name, value),
		hasLeft: () => state === "left",
		onLeave(listener: () => void) {
			leaving.add(listener);
			return () => void leaving.delete(listener);
		},
		onEnd: (listener: (how: { readonly isSent: boolean; readonly hasLeft: boolean }) => void) =>
			void ending.add(listener),
		reportDelivery({ onDelivered, onAbandoned }: Pick<CallResult, "onDelivered" | "onAbandoned">) {
			if (state === "left") onAbandoned?.({ isLost: !isWritten });
			else
				ending.add(({ isSent }) =>
					isSent ? onDelivered?.() : onAbandoned?.({ isLost: !isWritten }),
				);
		},
		write() {
			if (state === "open") isWritten = true;
		},
		/** The status follows the last message, once that was taken by the connection. */
		end: (isSent: boolean) => close("ended", isSent),
		/** Called for each call that is over, and changes nothing of one that has ended. */
		leave: () => close("left", false),
	};
}

/** The call and its answer as what carries an exchange. */
function toCarrier(
	{ ids, baseUrl, isProxy }: GrpcCallDeps,
	{
		call,
		path,
		metadata,
		answer,
	}: {
		readonly call: ServerInterceptingCallInterface;
		readonly path: string;
		readonly metadata: Metadata;
		readonly answer: Answer;
	},
): Carrier {
	const headers = readMetadata(metadata);
	const requestId = toRequestId(headers, ids);
	answer.setHeader("X-Request-Id", requestId);
	const { remoteAddress = "" } = call.getConnectionInfo();
	const forwarded = headers.get("x-forwarded-for") ?? [];
	return {
		...answer,
		headers,
		requestId,
		address: toCallerAddress(toCallerBehind(remoteAddress, forwarded, isProxy)),
		resourceUrl: `${baseUrl()}${path}`,
		credential: () => parseCredential(headers),
	};
}

/** Every value of each text entry, by lower-case name. */
function readMetadata(metadata: Metadata): SentHeaders {
	const names = Object.keys(metadata.getMap());
	return new Map(names.map((name) => [name, metadata.get(name).map(String)]));
}

/** The nearest address that is no trusted proxy's, as Express reads `X-Forwarded-For`. */
function toCallerBehind(
	peer: string,
	forwarded: readonly string[],
	isProxy: (address: string) => boolean,
): string {
	const named = forwarded.flatMap((value) => value.split(",")).map((part) => part.trim());
	const way = [peer, ...named.filter((part) => part !== "").reverse()];
	return way.find((address) => !isProxy(address)) ?? way.at(-1) ?? peer;
}
