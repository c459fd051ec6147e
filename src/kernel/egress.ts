/** The port to the outside: whoever needs the network is given one of these. */

export interface OutboundRequest {
	readonly method: "GET" | "POST" | "PUT" | "DELETE" | "HEAD" | "OPTIONS";
	readonly url: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string;
	readonly timeoutMs: number;
	/** Ends it early: whoever wants the answer has left. */
	readonly signal?: AbortSignal | undefined;
}

export interface Egress {
	/** The response, whatever its status. Throws UNAVAILABLE when nobody answers in time. */
	request(request: OutboundRequest): Promise<Response>;
}
