/** Where the house speaks of itself: never a secret, never result text. */
export interface Logger {
	info(message: string, fields?: Readonly<Record<string, unknown>>): void;
	error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** No letter before it, unless that is the end of an escape of JSON or of an address. */
const START = "(?:(?<![a-z])|(?<=\\\\[bfnrt])|(?<=%[0-9A-Fa-f]{2}))";
const SECRET = new RegExp(
	`(sk_(?:live|test)_|spt_(?:live|test)_|spt_(?=[A-Za-z0-9.-]{20})|${START}(?:ct_|adm_|eyJ))[A-Za-z0-9_.-]{8,}`,
	"g",
);
const WEBHOOK_SECRET = /whsec_[A-Za-z0-9+/=]{8,}/g;
const HOOK = /(hooks\.slack\.com(?:\/|%2f)services(?:\/|%2f))[^\s"'<>\\]+/gi;

/** The last net under every log line and error: what looks like a secret keeps its kind only. */
export function scrubSecrets(text: string): string {
	return text.replace(SECRET, "$1…").replace(HOOK, "$1…").replace(WEBHOOK_SECRET, "whsec_…");
}

/** What the log says of an exception nobody meant to throw; callers never see it. */
export function stackOf(error: unknown): string {
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
