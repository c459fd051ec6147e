import { fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { Metadata, type ServerInterceptingCallInterface } from "@grpc/grpc-js";
import type { Refusal } from "./exchange.js";

/** How refusals are written over gRPC: a status, and what HTTP callers read in the body in its details. */

export type CallStatus = Parameters<ServerInterceptingCallInterface["sendStatus"]>[0];

/** Who defines the reasons; those of the protocol itself have its own domain. */
const ERROR_DOMAIN = "tollgraph";
const ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo";
const STRUCT = "type.googleapis.com/google.protobuf.Struct";
const STATUS_DETAILS = "grpc-status-details-bin";

/**
 * The status of a refused call. Its details are a google.rpc.Status with an ErrorInfo, whose reason is the error's code, and
 * with the contract's envelope as a google.protobuf.Struct: the error, and for a refusal for money every way to pay.
 */
export function toRefusalStatus(
	{ grpcStatus, code, message, headers, body }: Refusal,
	sent: ReadonlyMap<string, string>,
): CallStatus {
	const metadata = new Metadata();
	for (const [name, value] of sent) setText(metadata, name, value);
	for (const [name, value] of Object.entries(headers)) setText(metadata, name, value);
	metadata.set(STATUS_DETAILS, encodeStatus({ grpcStatus, code, message, body }));
	return { code: grpcStatus, details: message, metadata };
}

/** Means nothing over gRPC. */
const HTTP_ONLY: ReadonlySet<string> = new Set(["cache-control"]);
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** Adds a header as metadata; what metadata cannot carry is left out. */
export function setText(metadata: Metadata, name: string, value: string): void {
	const key = name.toLowerCase();
	if (!HTTP_ONLY.has(key) && PRINTABLE_ASCII.test(value)) metadata.set(key, value);
}

/** google.rpc.Status, by the numbers of its fields: no package that is needed anyway has its schema. */
function encodeStatus({
	grpcStatus,
	code,
	message,
	body,
}: Pick<Refusal, "grpcStatus" | "code" | "message" | "body">): Buffer {
	const envelope = fromJson(StructSchema, JSON.parse(JSON.stringify(body)) as JsonObject);
	const info = new BinaryWriter()
		.uint32(field(1))
		.string(code)
		.uint32(field(2))
		.string(ERROR_DOMAIN);
	const status = new BinaryWriter()
		.uint32(8)
		.int32(grpcStatus)
		.uint32(field(2))
		.string(message)
		.uint32(field(3))
		.bytes(encodeAny(ERROR_INFO, info.finish()))
		.uint32(field(3))
		.bytes(encodeAny(STRUCT, toBinary(StructSchema, envelope)));
	return Buffer.from(status.finish());
}

function encodeAny(typeUrl: string, value: Uint8Array): Uint8Array {
	return new BinaryWriter().uint32(field(1)).string(typeUrl).uint32(field(2)).bytes(value).finish();
}

/** The tag of a field whose length is written before it. */
const field = (number: number) => (number << 3) | 2;
