/** Differences of two recorded values, each with its path; arrays are compared by the names of their members where they have any. */
const IDENTITIES = ["name", "operationId", "operation", "id", "code", "uri", "path"];

/** `{path, kind, before, after}` for each: changed, removed, added, or "same members, other order". */
export function compare(before, after, path = "$") {
	if (Object.is(before, after)) return [];
	if (Array.isArray(before) && Array.isArray(after)) return compareArrays(before, after, path);
	if (!isObject(before) || !isObject(after)) return [{ path, kind: "changed", before, after }];
	const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
	return keys.flatMap((key) => compareMember(before, after, key, `${path}${step(key)}`));
}

function compareMember(before, after, key, path) {
	if (!Object.hasOwn(after, key)) return [{ path, kind: "removed", before: before[key] }];
	if (!Object.hasOwn(before, key)) return [{ path, kind: "added", after: after[key] }];
	return compare(before[key], after[key], path);
}

function compareArrays(before, after, path) {
	const identity = IDENTITIES.find((key) => identifies(key, before) && identifies(key, after));
	if (identity !== undefined) return compareNamed(before, after, { path, identity });
	const [a, b] = [before.map(canonical), after.map(canonical)];
	if (a.join() === b.join()) return [];
	if (a.toSorted().join("\n") === b.toSorted().join("\n")) return [reordered(path, before, after)];
	const head = a.findIndex((text, index) => text !== b[index]);
	const start = head === -1 ? a.length : head;
	let tail = 0;
	while (tail < Math.min(a.length, b.length) - start && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
	if (a.length === b.length) return comparePairs(before, after, { path, start, tail });
	const cut = (values) => values.slice(start, values.length - tail);
	return [
		...cut(before).map((value, at) => ({
			path: `${path}[${start + at}]`,
			kind: "removed",
			before: value,
		})),
		...cut(after).map((value, at) => ({
			path: `${path}[${start + at}]`,
			kind: "added",
			after: value,
		})),
	];
}

function comparePairs(before, after, { path, start, tail }) {
	const middle = before.slice(start, before.length - tail);
	return middle.flatMap((value, at) => compare(value, after[start + at], `${path}[${start + at}]`));
}

function compareNamed(before, after, { path, identity }) {
	const [a, b] = [before, after].map(
		(values) => new Map(values.map((value) => [value[identity], value])),
	);
	const shared = (values) => [...values.keys()].filter((name) => a.has(name) && b.has(name));
	const found = compare(Object.fromEntries(a), Object.fromEntries(b), `${path}(${identity})`);
	if (shared(a).join("\n") === shared(b).join("\n")) return found;
	return [...found, reordered(path, shared(a), shared(b))];
}

function identifies(key, values) {
	const names = values.map((value) => (isObject(value) ? value[key] : undefined));
	if (!names.every((name) => typeof name === "string")) return false;
	return names.length > 0 && new Set(names).size === names.length;
}

function reordered(path, before, after) {
	return { path, kind: "same members, other order", before, after };
}

/** Splits differences by a list of expected ones: `*` in a path pattern stands for any text. */
export function sortOut(differences, allowed) {
	const patterns = allowed.map(({ path }) => toPattern(path));
	const stale = allowed.filter((_, at) => !differences.some(({ path }) => patterns[at].test(path)));
	const unexpected = differences.filter(({ path }) => !patterns.some((known) => known.test(path)));
	return { unexpected, stale, expected: differences.length - unexpected.length };
}

function toPattern(path) {
	const literal = path.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
	return new RegExp(`^${literal.join(".*")}$`, "s");
}

/** Members in alphabetical order; the order of arrays is part of the wire and stays. */
export function canonical(value, space) {
	return JSON.stringify(
		value,
		(_key, member) => (isObject(member) ? sorted(member) : member),
		space,
	);
}

function sorted(object) {
	return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isObject(value) {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function step(key) {
	return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
