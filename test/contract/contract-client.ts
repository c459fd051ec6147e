export interface Sent {
	readonly method: string;
	readonly path: string;
	readonly query?: Readonly<Record<string, string>>;
	readonly headers: Readonly<Record<string, string>>;
	readonly body?: string | undefined;
}

export interface Received {
	readonly status: number;
	readonly mediaType: string;
	readonly text: string;
	readonly body: unknown;
	readonly headers: Headers;
}

export type Send = (request: Sent) => Promise<Received>;

/** Sends to a server whatever it is given, and reads the reply whole. */
export function createSend(baseUrl: string): Send {
	return async ({ method, path, query = {}, headers, body }) => {
		const search = new URLSearchParams(query);
		const url = `${baseUrl}${path}${search.size > 0 ? `?${search}` : ""}`;
		const json = body === undefined ? {} : { "Content-Type": "application/json" };
		const reply = await fetch(url, {
			method,
			headers: { ...json, ...headers },
			...(body !== undefined && { body }),
		});
		const text = await reply.text();
		const mediaType = reply.headers.get("content-type") ?? "";
		const parsed = mediaType.includes("json") ? JSON.parse(text) : text;
		return { status: reply.status, mediaType, text, body: parsed, headers: reply.headers };
	};
}
