import { type Message, Role, type Task } from "@a2a-js/sdk";
import {
	type Client,
	ClientFactory,
	DefaultAgentCardResolver,
	JsonRpcTransportFactory,
	RestTransportFactory,
} from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";
import { InterceptingCall, type Interceptor } from "@grpc/grpc-js";

export type Binding = "JSONRPC" | "HTTP+JSON" | "GRPC";
export type Version = "1.0" | "0.3";

export interface ClientOptions {
	readonly baseUrl: string;
	readonly binding: Binding;
	readonly version: Version;
	/** Sent with every call but the card. */
	readonly headers?: Readonly<Record<string, string>>;
	/** Collects what goes over the wire: path, and the JSON-RPC method if there is one. */
	readonly wire?: string[];
	/** Sends every call but those for the card. */
	readonly fetch?: typeof fetch;
}

/** The SDK's own client, which finds the card by itself and speaks what the card offers. */
export function connect({
	baseUrl,
	binding,
	version,
	headers,
	wire,
	fetch: sendCall = fetch,
}: ClientOptions): Promise<Client> {
	const legacyCompat = { enabled: version === "0.3" };
	const fetchImpl: typeof fetch = (url, init) => {
		const { method } = JSON.parse(String(init?.body ?? "{}"));
		wire?.push(`${new URL(String(url)).pathname}${method ? ` ${method}` : ""}`);
		return sendCall(url, { ...init, headers: { ...headersOf(init), ...headers } });
	};
	const grpcCallOptions = { interceptors: [sendMetadata(headers, wire)] };
	const transports = [
		new GrpcTransportFactory({ grpcCallOptions, legacyCompat }),
		new JsonRpcTransportFactory({ fetchImpl, legacyCompat }),
		new RestTransportFactory({ fetchImpl, legacyCompat }),
	];
	const cardResolver = new DefaultAgentCardResolver(
		version === "0.3" ? { fetchImpl: fetchAs03, legacyCompat } : {},
	);
	const factory = new ClientFactory({ transports, cardResolver, preferredTransports: [binding] });
	return factory.createFromUrl(baseUrl);
}

/** Headers as metadata, and the path of each call. */
function sendMetadata(
	headers: Readonly<Record<string, string>> = {},
	wire: string[] = [],
): Interceptor {
	return (options, nextCall) => {
		wire.push(options.method_definition.path);
		return new InterceptingCall(nextCall(options), {
			start(metadata, listener, next) {
				for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
				next(metadata, listener);
			},
		});
	};
}

/** A 0.3 client knows no version header and none of the fields of 1.0; the address it was given names the version. */
const fetchAs03: typeof fetch = async (url) => {
	const card = (await (await fetch(`${url}?A2A-Version=0.3`)).json()) as Record<string, unknown>;
	const { supportedInterfaces: _, ...known } = card;
	return Response.json(known);
};

function headersOf(init: RequestInit | undefined): Record<string, string> {
	return Object.fromEntries(new Headers(init?.headers));
}

let count = 0;

export function dataMessage(data: unknown, changes: Partial<Message> = {}): Message {
	return message([part({ $case: "data", value: data })], changes);
}

export function textMessage(text: string, changes: Partial<Message> = {}): Message {
	return message([part({ $case: "text", value: text })], changes);
}

export function searchMessage(query: string, changes: Partial<Message> = {}): Message {
	return dataMessage(
		{ skill: "graph_search", input: { graph_id: "web-payments", query } },
		changes,
	);
}

function message(parts: Message["parts"], changes: Partial<Message>): Message {
	count += 1;
	return {
		messageId: `message-${count}`,
		contextId: "",
		taskId: "",
		role: Role.ROLE_USER,
		parts,
		metadata: undefined,
		extensions: [],
		referenceTaskIds: [],
		...changes,
	};
}

function part(content: NonNullable<Message["parts"][number]["content"]>) {
	return { content, metadata: undefined, filename: "", mediaType: "" };
}

export function sendParams(sent: Message) {
	return { tenant: "", message: sent, configuration: undefined, metadata: undefined };
}

export async function send(client: Client, sent: Message): Promise<Task> {
	const result = await client.sendMessage(sendParams(sent));
	if (!("status" in result)) throw new Error("The answer is a message, not a task.");
	return result;
}

/** The value of the data part of a task's only artifact. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it asserts on.
export function bodyOf(task: Pick<Task, "artifacts">): any {
	return task.artifacts[0]?.parts.find(({ content }) => content?.$case === "data")?.content?.value;
}
