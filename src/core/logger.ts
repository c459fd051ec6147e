/** Where the house speaks of itself: never a secret, never result text. */
export interface Logger {
	info(message: string, fields?: Readonly<Record<string, unknown>>): void;
	error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

const SECRET = /\b(sk_live_|spt_(?:live|test)_|ct_|adm_|eyJ)[A-Za-z0-9_.-]+/g;

/** The last net under every log line: what looks like a secret keeps its kind only. */
export function scrubSecrets(text: string): string {
	return text.replace(SECRET, "$1…");
}

/** What the log says of an exception nobody meant to throw; callers never see it. */
export function stackOf(error: unknown): string {
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
