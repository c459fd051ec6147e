export interface OutboundRequest {
	readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS";
	readonly url: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string;
	readonly timeoutMs: number;
	/** Ends it early, when its caller has left. */
	readonly signal?: AbortSignal | undefined;
}

/** The port to the network; each part of the software is given one that reaches what it needs. */
export interface Egress {
	/** The response, whatever its status. Throws UNAVAILABLE when none comes in time. */
	request(request: OutboundRequest): Promise<Response>;
}

const SECONDS = /^\d{1,10}$/;
/** The three forms of a date in HTTP; the last of them names no zone, and means the same one. RFC 9110, section 5.6.7. */
const DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w: -]{15,30}$/;
const ASKING_TO_WAIT: readonly number[] = [429, 503];

/** How long an overloaded host asks to wait, `maxMs` at most; undefined where it does not say, or not in a form of HTTP. */
export function readRetryAfterMs(
	{ status, headers }: Pick<Response, "status" | "headers">,
	{ now, maxMs }: { readonly now: number; readonly maxMs: number },
): number | undefined {
	const text = headers.get("retry-after")?.trim() ?? "";
	if (!ASKING_TO_WAIT.includes(status)) return undefined;
	const waitMs = SECONDS.test(text) ? Number(text) * 1000 : toTime(text) - now;
	return waitMs > 0 ? Math.min(waitMs, maxMs) : undefined;
}

/** NaN for what is no date. */
function toTime(text: string): number {
	if (!DATE.test(text)) return Number.NaN;
	return Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
}

export interface MailMessage {
	readonly to: string;
	/** One line. */
	readonly subject: string;
	readonly text: string;
	readonly html: string;
	/** The same for the same mail, so that one sent twice is shown once. */
	readonly messageId: string;
	/** One-click address (RFC 8058); absent for mails without a subscription. */
	readonly unsubscribeUrl?: string;
}

export interface Mailer {
	/** Resolves once the mail server has taken it. Throws UNAVAILABLE, or INVALID_ARGUMENT when the server refuses the address. */
	send(message: MailMessage): Promise<void>;
}
