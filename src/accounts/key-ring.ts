import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

/** Key files that are rotated: a line for each key, the newest first. */
export const RING_NAMES = [
	"pepper",
	"card-signing.jwk.json",
	"receipt-signing.jwk.json",
	"oauth-signing.jwk.json",
	"text-key",
] as const;
export type RingName = (typeof RING_NAMES)[number];

/** Newest first. */
export type Keys<Key> = readonly [Key, ...Key[]];

/** The keys of one file while the folder is open. */
export interface KeyRing<Key> {
	readonly path: string;
	/** Printed by a command of the operator, who rotates them. */
	readonly isGiven: boolean;
	/** The first makes what is new. All that are there, until `use` says otherwise. */
	readonly inForce: () => Keys<Key>;
	readonly retired: () => readonly Key[];
	/** Of every key that is there, a value that only the same key gives; newest first. */
	checks(): readonly string[];
	/** Puts a new key before the others, on the disk once it returns; not in use before `use`. */
	add(): void;
	/** Knows afterwards what another process put into the file. */
	reload(): void;
	/** Takes keys out of the file. */
	remove(checks: readonly string[]): void;
	/** Which keys count from now on, by their values. */
	use(state: { readonly inForce: readonly string[]; readonly retired: readonly string[] }): void;
}

export interface KeyRingParts<Key> {
	readonly path: string;
	readonly make: () => string;
	/** Throws UNAVAILABLE for a key that is none. */
	readonly parse: (path: string, text: string) => Key;
	/** Durable once it returns. */
	readonly write: (lines: readonly string[]) => void;
	/** Keys that no file of ours holds, before those that one holds. */
	readonly given: readonly string[] | undefined;
}

export function createKeyRing<Key>(parts: KeyRingParts<Key>): KeyRing<Key> {
	const { path, make, parse, write, given } = parts;
	const name = basename(path);
	const isGiven = given !== undefined;
	const read = () =>
		[...(given ?? []), ...readLines(path, isGiven)].map((line) => ({
			check: checkOf(name, line),
			key: parse(path, line),
		}));
	let entries = read();
	let retired: readonly string[] = [];
	let inForce = entries.map(({ key }) => key);
	return {
		path,
		isGiven,
		inForce: () => inForce as unknown as Keys<Key>,
		retired: () => entries.flatMap(({ check, key }) => (retired.includes(check) ? key : [])),
		checks: () => entries.map(({ check }) => check),
		add() {
			write([make(), ...readLines(path, true)]);
			entries = read();
		},
		reload() {
			entries = read();
		},
		remove(checks) {
			const lines = readLines(path, true);
			const left = lines.filter((line) => !checks.includes(checkOf(name, line)));
			if (left.length < lines.length) write(left);
		},
		use(state) {
			retired = state.retired;
			inForce = entries.flatMap(({ check, key }) => (state.inForce.includes(check) ? key : []));
		},
	};
}

function readLines(path: string, mayLack: boolean): readonly string[] {
	try {
		return linesOf(readFileSync(path, "utf8"));
	} catch (error) {
		if (mayLack && (error as NodeJS.ErrnoException).code === "ENOENT") return [];
		throw error;
	}
}

/** An empty file is one empty line; a JSON object may stand over several, and begins one of its own. */
export function linesOf(text: string): readonly string[] {
	const trimmed = text.trim();
	const ends = trimmed.startsWith("{") ? /\n(?=\{)/ : "\n";
	return trimmed.split(ends).map((line) => line.trim());
}

/** HMAC-SHA-256 under the key's own text, so that it tells nothing of the key. */
function checkOf(name: string, text: string): string {
	return createHmac("sha256", text).update(`tollgraph key check ${name}`).digest("base64url");
}
