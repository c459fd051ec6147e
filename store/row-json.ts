/** Rows and postings as JSON: money (`…Micros`) is a decimal string there and bigint in memory. */

const MONEY = "Micros";

/** As JSON.stringify, and bigint members as decimal strings; a replacer would cost three times as much. */
export function encodeObject(value: object): string {
	return JSON.stringify(withoutBigints(value));
}

/** A copy whose bigint members are decimal strings. Throws TypeError for a bigint under another name. */
export function withoutBigints(value: object): object {
	if (Array.isArray(value)) {
		return value.map((item) => (isObject(item) ? withoutBigints(item) : item));
	}
	const members = value as Readonly<Record<string, unknown>>;
	const copy: Record<string, unknown> = {};
	for (const name in members) {
		const member = members[name];
		if (typeof member === "bigint") copy[name] = encodeMoney(name, member);
		else copy[name] = isObject(member) ? withoutBigints(member) : member;
	}
	return copy;
}

function encodeMoney(name: string, amount: bigint): string {
	if (name.endsWith(MONEY)) return amount.toString();
	throw new TypeError(`The field "${name}" holds a bigint, so its name must end in "${MONEY}".`);
}

function isObject(value: unknown): value is object {
	return typeof value === "object" && value !== null;
}

/** Turns decimal strings under names ending in `Micros` into bigint again, in place. */
export function reviveMoney<T>(value: T): T {
	if (typeof value !== "object" || value === null) return value;
	const members = value as Record<string, unknown>;
	for (const name in members) {
		const member = members[name];
		if (typeof member === "string") {
			if (name.endsWith(MONEY)) members[name] = BigInt(member);
		} else reviveMoney(member);
	}
	return value;
}
