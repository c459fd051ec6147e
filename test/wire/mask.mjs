/** Replaces what differs between two runs of the same server by its kind, and nothing else. */
const MINUTE_MS = 60_000;
const HORIZON_MS = 400 * 24 * 3_600_000;
const ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Members whose value is another at every run, whatever it looks like. */
const MASKED_KEYS = new Set([
	"access_token",
	"client_id",
	"etag",
	"jws",
	"kid",
	"nonce",
	"refresh_token",
	"signature",
	"validAfter",
	"validBefore",
	"x",
	"y",
]);
const MEASURED_KEY =
	/^(execution_time_ms|retry_after_seconds|sequence)$|(^|_)(took|elapsed|uptime)(_|$)/;

const PATTERNS = [
	[/\b(spt_test|spt_live|sk_test|sk_live|ct|adm|whsec)_[\w+/=-]{16,}/g, "<$1>"],
	[/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, "<jwt>"],
	[/(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{43}(?![\w-])/g, "<256 bits>"],
	[/\b(tollgraph_oauth)_[\w-]{43}(?==)/g, "$1_<256 bits>"],
	[/\bqte_[\w-]+\.[\w-]+/g, "<qte>"],
	[/\b(art|ctx|task)_[0-9a-f]{26}\b/g, "<$1>"],
	[/\b(sch|run|dlv|pay)_[0-9a-z]{26,}\b/g, "<$1>"],
	[/\b0x[0-9a-f]{64,}\b/gi, "<0x>"],
	[/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<uuid>"],
];
const HEADER_PATTERNS = {
	etag: [[/"[^"]*"/g, '"<etag>"']],
	ratelimit: [[/\b([rt])=\d+/g, "$1=<n>"]],
	"retry-after": [[/\d+/g, "<n>"]],
	"set-cookie": [
		[/=[^;]*/, "=<cookie>"],
		[/\bexpires=[^;]*/i, "expires=<time>"],
	],
	"www-authenticate": [[/\b(id|opaque)="[^"]*"/g, '$1="<$1>"']],
};
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/g;
/** Markdown has the underscore escaped. */
const ID = /\b([a-z]{2,5})\\?_([0-9a-hjkmnp-tv-z]{26})\b/g;
const ENCODED_JSON = /\beyJ[\w+/-]+={0,2}(?![\w.])/g;

/**
 * `startedAt` is when the server was started: times before it are content and stay. What is learned is replaced by its name wherever it
 * is read.
 */
export function createMask({ startedAt }) {
	const learned = new Map();
	const today = new Date(startedAt).toISOString().slice(0, 10);
	const isOfRun = (ms) => ms >= startedAt - MINUTE_MS && ms <= startedAt + HORIZON_MS;

	const maskText = (text) => {
		let masked = text.replace(ENCODED_JSON, (found) => decodeJson(found, maskValue) ?? found);
		for (const [value, name] of learned) masked = masked.replaceAll(value, `<${name}>`);
		for (const [pattern, name] of PATTERNS) masked = masked.replace(pattern, name);
		return masked
			.replace(ID, (id, kind, rest) => (isOfRun(timeOfId(rest)) ? `<${kind}>` : id))
			.replace(TIME, (time) => (isOfRun(Date.parse(time)) ? "<time>" : time))
			.replaceAll(today, "<today>");
	};
	/** Tools answer with JSON in a text: it is compared member by member. */
	const maskEmbedded = (text) => {
		const embedded = /^\{"/.test(text) ? parseJson(text) : undefined;
		return embedded && { "<JSON>": maskValue(embedded) };
	};
	const maskNumber = (number) => {
		if (!Number.isInteger(number)) return number;
		return isOfRun(number) || isOfRun(number * 1000) ? "<epoch>" : number;
	};
	const maskMember = (key, value) => {
		if (MASKED_KEYS.has(key) && typeof value === "string") return `<${key}>`;
		if (MEASURED_KEY.test(key) && typeof value === "number") return "<measured>";
		return maskValue(value);
	};
	function maskValue(value) {
		if (typeof value === "string") return maskEmbedded(value) ?? maskText(value);
		if (typeof value === "number") return maskNumber(value);
		if (Array.isArray(value)) return value.map(maskValue);
		if (value === null || typeof value !== "object") return value;
		const members = Object.entries(value).map(([key, member]) => [
			maskText(key),
			maskMember(key, member),
		]);
		return Object.fromEntries(members);
	}

	return {
		/** From now on this text reads `<name>`. */
		learn(name, text) {
			if (typeof text === "string" && text.length > 0) learned.set(text, name);
		},
		value: maskValue,
		header(name, value) {
			const patterns = HEADER_PATTERNS[name] ?? [];
			return maskText(patterns.reduce((text, [pattern, by]) => text.replace(pattern, by), value));
		},
	};
}

function parseJson(text) {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Identifiers begin with the millisecond they were made in; those of examples were made in none of ours. */
function timeOfId(rest) {
	return [...rest.slice(0, 10)].reduce((ms, char) => ms * 32 + ID_ALPHABET.indexOf(char), 0);
}

/** What a header holds as base64 of JSON is compared as JSON; undefined for text that only looks like it. */
function decodeJson(text, maskValue) {
	const value = parseJson(Buffer.from(text, "base64url").toString());
	return value && `<base64 ${JSON.stringify(maskValue(value))}>`;
}
