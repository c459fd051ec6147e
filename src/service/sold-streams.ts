import { hash } from "node:crypto";
import type { Payer } from "../../payments/payment-method.js";
import type { Store } from "../../store/store.js";
import { grantIdOf, isWallet, maySeeAgain } from "../core/account-access.js";
import type { ArtefactShelf } from "../core/artefacts.js";
import type { Call, Caller } from "../core/call.js";
import { type Clock, toIsoTime } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import type { Ids } from "../core/ids.js";
import { LIMITS } from "../core/limits.js";
import type { PaidOperationId } from "../core/operations.js";
import type { SkillEvent } from "../core/skill.js";
import { STREAM_LIMITS } from "../core/stream-limits.js";
import { toServiceError } from "./error-reply.js";
import { fingerprintOf } from "./idempotency.js";
import type { BegunStream, InvokeStream } from "./invoke-stream.js";
import { parseInput } from "./parse-input.js";
import type { SkillCatalog } from "./service-info.js";
import type { Settled } from "./settle-call.js";
import { createStreamRecord, type FollowedStream, type StreamRecord } from "./stream-record.js";

/** A stream that was sold, and what its caller is told of the money. */
export interface SoldStream extends Settled {
	readonly stream: FollowedStream;
}

/** Which earlier stream somebody wants to go on with: the one of an id, else their latest of this input and retry key. */
export interface ResumeRequest {
	readonly operationId: PaidOperationId;
	readonly rawInput: unknown;
	readonly idempotencyKey: string | undefined;
	readonly streamId: string | undefined;
}

/** Streams outlive their connections: paid for once, worked for to the end, read again for a while by whoever paid. */
export interface SoldStreams {
	/** Sells and begins one; a paid call that is sent again under its retry key gets the stream it began. */
	open(call: Call): Promise<SoldStream>;
	/** Charges nothing. Throws NOT_FOUND alike for what is not there, is somebody else's, or is over. */
	resume(caller: Caller, request: ResumeRequest): Promise<FollowedStream>;
	/** Ends all work with `research.cancelled`; resolves once what was given is written down. */
	stop(): Promise<void>;
}

export interface SoldStreamDeps {
	readonly invokeStream: InvokeStream;
	readonly skills: SkillCatalog;
	readonly artefacts: ArtefactShelf;
	readonly store: Pick<Store, "read" | "transaction">;
	readonly ids: Ids;
	readonly clock: Clock;
}

/** A stream whose work goes on. */
interface Running {
	readonly record: StreamRecord;
	readonly operationId: string;
	readonly payer: Payer | undefined;
}

type Owner = Pick<Payer, "owner" | "access">;
type PlainEvent = Pick<SkillEvent, "event" | "data">;

interface KeptStream {
	readonly operation_id: string;
	readonly events: readonly PlainEvent[];
}

export function createSoldStreams(deps: SoldStreamDeps): SoldStreams {
	const { invokeStream, artefacts, store, ids, clock } = deps;
	const running = new Map<string, Running>();
	const runningByName = new Map<string, string>();
	const works = new Set<AbortController>();
	const writing = new Set<Promise<void>>();

	const findStream = async (
		caller: Owner,
		{ id, operationId }: { id: string; operationId: string },
	): Promise<FollowedStream | undefined> => {
		const live = running.get(id);
		if (live)
			return live.operationId === operationId && mayFollow(caller, live) ? live.record : undefined;
		const kept = (await artefacts.find(caller, "stream", id))?.data as KeptStream | undefined;
		if (kept?.operation_id !== operationId) return undefined;
		const record = createStreamRecord(id, kept.events);
		record.end();
		return record;
	};

	const findNamed = async (caller: Owner, operationId: string, name: string) => {
		const row = await store.read((reader) => reader.get("streams", name));
		const isKept = row !== undefined && row.expiresAt > clock.now();
		const id = runningByName.get(name) ?? (isKept ? row.streamId : undefined);
		return id === undefined ? undefined : findStream(caller, { id, operationId });
	};

	/** Writes down what the work gives, whoever listens; what was paid for is kept, and only that. */
	const write = async (call: Call, begun: BegunStream, record: StreamRecord, name: string) => {
		const { payer, cost, hasEvidence } = begun;
		const last = await writeEvents(record, begun, call.requestId);
		record.add({ event: "research.usage", data: { cost } });
		record.add(last);
		record.end();
		if (!payer || !hasEvidence) return;
		const { operationId } = call;
		const data: KeptStream = { operation_id: operationId, events: record.events };
		const expiresAt = await artefacts.keep(payer, { kind: "stream", id: record.id, data });
		if (expiresAt === undefined) return;
		const { owner } = payer;
		const row = { id: name, owner, streamId: record.id, expiresAt };
		await store.transaction((tx) => tx.put("streams", row));
	};

	return {
		async open(call) {
			if (works.size >= STREAM_LIMITS.runningMax) throw tooMany();
			const work = new AbortController();
			works.add(work);
			const cancelTimer = clock.after(STREAM_LIMITS.workMs, () => work.abort(tooLong()));
			const end = () => {
				cancelTimer();
				works.delete(work);
			};
			const { operationId } = call;
			const result = await invokeStream(call, {
				signal: work.signal,
				recall: ({ payer, ...named }) => findNamed(payer, operationId, nameOf(payer, named)),
			}).catch((error: unknown) => {
				end();
				work.abort(error);
				throw error;
			});
			if (result.kind === "recalled") {
				end();
				return result;
			}
			const { payer, fingerprint } = result;
			const record = createStreamRecord(ids.next("str"));
			const { idempotencyKey } = call;
			const name = payer ? nameOf(payer, { fingerprint, idempotencyKey }) : "";
			if (result.hasEvidence) {
				running.set(record.id, { record, operationId, payer });
				if (payer) runningByName.set(name, record.id);
			}
			record.add(toCreated(record.id, call, { clock, begun: result }));
			// A stopped store keeps nothing: whoever listens has the whole stream all the same.
			const written = write(call, result, record, name)
				.catch(() => undefined)
				.finally(() => {
					end();
					running.delete(record.id);
					if (runningByName.get(name) === record.id) runningByName.delete(name);
					writing.delete(written);
				});
			writing.add(written);
			return { ...result, stream: record };
		},

		async resume(caller, { operationId, rawInput, streamId, idempotencyKey }) {
			const find = () => {
				if (streamId !== undefined) return findStream(caller, { id: streamId, operationId });
				const input = parseInput(deps.skills[operationId].input, rawInput);
				const fingerprint = fingerprintOf(operationId, input);
				return findNamed(caller, operationId, nameOf(caller, { fingerprint, idempotencyKey }));
			};
			const stream = await find();
			if (stream) return stream;
			throw new ServiceError(
				"NOT_FOUND",
				"There is no stream of yours to go on with; a wallet names it with stream_id. Without Last-Event-ID and after a new one begins, and is paid for.",
			);
		},

		async stop() {
			for (const work of works) work.abort(CANCELLED);
			await Promise.all(writing);
		},
	};
}

const CANCELLED = new Error("The service is stopping.");

/** Ends with the one event that says how the work ended. */
async function writeEvents(
	record: StreamRecord,
	{ events, hasEvidence }: BegunStream,
	requestId: string,
): Promise<PlainEvent> {
	const { id: stream_id } = record;
	try {
		for await (const { event, data } of events) {
			if (record.events.length >= STREAM_LIMITS.eventsMax) throw tooLong();
			record.add({ event, data });
		}
		const why = hasEvidence
			? {}
			: { reason: "The curated graphs hold no evidence on this; nothing was charged." };
		return { event: "research.completed", data: { stream_id, is_answered: hasEvidence, ...why } };
	} catch (error) {
		if (error === CANCELLED) return { event: "research.cancelled", data: { stream_id } };
		const { code, message, retryable } = toServiceError(error);
		const told = { code, message, retryable, request_id: requestId };
		return { event: "research.failed", data: { stream_id, error: told } };
	}
}

function toCreated(
	streamId: string,
	{ operationId, requestId }: Call,
	{ clock, begun: { payer, hasEvidence } }: { clock: Clock; begun: BegunStream },
): PlainEvent {
	const isKept = hasEvidence && payer && !payer.keepsNoText && !payer.access?.keepsNoText;
	const now = clock.now();
	return {
		event: "research.created",
		data: {
			stream_id: streamId,
			request_id: requestId,
			operation: operationId,
			created_at: toIsoTime(now),
			kept_until: isKept ? toIsoTime(now + LIMITS.artefactTtlMs) : null,
		},
	};
}

/** Streams of different callers, inputs or retry keys never meet. */
function nameOf(
	{ owner, access }: Owner,
	{
		fingerprint,
		idempotencyKey = "",
	}: { fingerprint: string; idempotencyKey?: string | undefined },
): string {
	const parts = [owner, grantIdOf(access) ?? "", fingerprint, idempotencyKey];
	return hash("sha256", JSON.stringify(parts), "base64url");
}

/** As for what is kept: a wallet has no session, so the id alone opens what it paid for. */
function mayFollow({ owner, access }: Owner, { payer }: Running): boolean {
	if (!payer) return false;
	if (isWallet(payer.owner)) return true;
	return payer.owner === owner && maySeeAgain(access, grantIdOf(payer.access));
}

function tooMany(): ServiceError {
	return new ServiceError(
		"UNAVAILABLE",
		`${STREAM_LIMITS.runningMax} streams are being written already; send the same request again in a moment. Nothing was charged.`,
		{ retryAfterSeconds: LIMITS.retryAfterSeconds },
	);
}

function tooLong(): ServiceError {
	return new ServiceError(
		"UNAVAILABLE",
		"The stream took longer, or became longer, than one may; send the same request again later.",
	);
}
