import type { SendMessageRequest, Task } from "@a2a-js/sdk";
import { decodeErrorInfo, decodeStatus } from "@a2a-js/sdk/errors/grpc";
import { A2AService } from "@a2a-js/sdk/server/grpc";
import { fromBinary, toJson } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import {
	type ChannelCredentials,
	Client,
	type ClientReadableStream,
	type ClientUnaryCall,
	credentials,
	Metadata,
	type StatusObject,
} from "@grpc/grpc-js";
import type { Test } from "tap";

/** What came of one call, as any client of gRPC sees it. */
export interface Told {
	/** 0 where all is well. */
	readonly code: number;
	readonly message: string;
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it asserts on.
	readonly values: readonly any[];
	readonly header: Readonly<Record<string, unknown>>;
	readonly trailer: Readonly<Record<string, unknown>>;
	readonly reason: string | undefined;
	/** The contract's envelope, from the details. */
	// biome-ignore lint/suspicious/noExplicitAny: as above.
	readonly envelope: any;
	/** Of all metadata after the answer. */
	readonly trailerBytes: number;
}

export interface Sent {
	readonly headers?: Readonly<Record<string, string>>;
	readonly timeoutMs?: number;
	/** Sent in place of the request. */
	readonly bytes?: Buffer;
	readonly onCall?: (call: ClientUnaryCall | ClientReadableStream<unknown>) => void;
}

type Method = keyof typeof A2AService;

/** A bare client of the service, which shows all that comes back. */
export function dial(
	t: Test,
	target: string,
	channel: ChannelCredentials = credentials.createInsecure(),
) {
	const client = new Client(target, channel);
	t.teardown(() => client.close());
	return (name: Method, request: object, sent: Sent = {}): Promise<Told> => {
		const { path, requestSerialize, responseDeserialize, responseStream } = A2AService[name];
		const metadata = new Metadata();
		metadata.set("a2a-version", "1.0");
		for (const [key, value] of Object.entries(sent.headers ?? {})) metadata.set(key, value);
		const serialize = (value: object) =>
			sent.bytes ?? (requestSerialize as (value: object) => Buffer)(value);
		const options = sent.timeoutMs ? { deadline: Date.now() + sent.timeoutMs } : {};
		const values: unknown[] = [];
		const add = (value: unknown) => void values.push(value);
		const call = responseStream
			? client
					.makeServerStreamRequest(path, serialize, responseDeserialize, request, metadata, options)
					.on("data", add)
					.on("error", () => undefined)
			: client.makeUnaryRequest(
					...([path, serialize, responseDeserialize, request, metadata, options] as const),
					(_error, value) => value !== undefined && add(value),
				);
		sent.onCall?.(call);
		return new Promise((resolve) => {
			let header: Metadata | undefined;
			call.on("metadata", (received: Metadata) => {
				header = received;
			});
			// The value of an answer comes with its status.
			call.on("status", (status: StatusObject) =>
				setImmediate(() => resolve(toTold(status, header, values))),
			);
		});
	};
}

function toTold(
	{ code, details, metadata }: StatusObject,
	header: Metadata | undefined,
	values: readonly unknown[],
): Told {
	const [status] = metadata.get("grpc-status-details-bin");
	const parts = Buffer.isBuffer(status) ? decodeStatus(status).details : [];
	const find = (type: string) => parts.find(({ typeUrl }) => typeUrl.endsWith(type))?.value;
	const [info, struct] = [find("google.rpc.ErrorInfo"), find("google.protobuf.Struct")];
	return {
		code,
		message: details,
		values,
		header: header?.getMap() ?? {},
		trailer: metadata.getMap(),
		reason: info && decodeErrorInfo(info).reason,
		envelope: struct && toJson(StructSchema, fromBinary(StructSchema, struct)),
		trailerBytes: Object.entries(metadata.toHttp2Headers()).reduce(
			(sum, [name, value]) => sum + name.length + String(value).length,
			0,
		),
	};
}

/** The task that a message was answered with. */
export function taskOf({ values }: Told): Task {
	const { payload } = values[0] ?? {};
	if (payload?.$case !== "task") throw new Error("The answer is no task.");
	return payload.value;
}

export const messageOf = (message: SendMessageRequest["message"]) => ({
	tenant: "",
	message,
	configuration: undefined,
	metadata: undefined,
});
