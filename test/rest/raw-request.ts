import { type IncomingHttpHeaders, request } from "node:http";

export interface RawReply {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	readonly text: string;
}

export interface RawRequestOptions {
	readonly method?: string;
	/** Sent byte by byte as it stands: fetch would tidy the path. */
	readonly path: string;
	/** Name, value, name, value: repeated names are sent repeatedly. */
	readonly headers?: readonly string[];
	readonly body?: string;
}

/** One request exactly as written. */
export function rawRequest(baseUrl: string, options: RawRequestOptions): Promise<RawReply> {
	const { hostname, port } = new URL(baseUrl);
	const { method = "GET", path, headers = [], body } = options;
	const length = body === undefined ? [] : ["Content-Length", String(Buffer.byteLength(body))];
	return new Promise((resolve, reject) => {
		const sent = request(
			{ hostname, port, method, path, headers: ["Host", hostname, ...headers, ...length] },
			(res) => {
				const chunks: Buffer[] = [];
				res.on("data", (chunk: Buffer) => chunks.push(chunk));
				res.on("end", () =>
					resolve({
						status: res.statusCode ?? 0,
						headers: res.headers,
						text: Buffer.concat(chunks).toString(),
					}),
				);
				res.on("error", reject);
			},
		);
		sent.on("error", reject);
		sent.end(body);
	});
}

export interface PostOptions {
	readonly headers?: Readonly<Record<string, string>>;
	/** Overrides the token every post is paid with; null sends none. */
	readonly token?: string | null;
}

/** A JSON post, paid with a token unless stated otherwise. */
export function post(url: string, body: unknown, options: PostOptions = {}): Promise<Response> {
	const token = options.token === undefined ? "spt_good" : options.token;
	return fetch(url, {
		method: "POST",
		headers: {
			"Content-Type": "application/json",
			...(token && { Authorization: `Bearer ${token}` }),
			...options.headers,
		},
		body: typeof body === "string" ? body : JSON.stringify(body),
	});
}

export interface ErrorBody {
	readonly error: {
		readonly code: string;
		readonly message: string;
		readonly request_id: string;
		readonly retryable: boolean;
		readonly details?: readonly { readonly path: string; readonly message: string }[];
	};
}

export async function errorOf(reply: Response): Promise<ErrorBody["error"]> {
	return ((await reply.json()) as ErrorBody).error;
}
