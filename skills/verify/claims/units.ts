/** What a unit measures, and how many base units it is. */
export interface Unit {
	readonly dimension: string;
	readonly factor: number;
	/** Another reading of the same name: KB as 1,024 bytes. */
	readonly otherFactor?: number;
}

/** Bits and bytes are one dimension: 96 bits are 12 bytes. */
const BITS = 8;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365.25 * DAY;

const UNITS = new Map<string, Unit>();
/** An underscore stands for a space within a name. */
const add = (names: string, unit: Unit) => {
	for (const name of names.split(" ")) UNITS.set(name.replace("_", " "), unit);
};
for (const [power, letter] of ["k", "m", "g", "t"].entries()) {
	const factor = 1000 ** (power + 1);
	const otherFactor = 1024 ** (power + 1);
	const long = ["kilo", "mega", "giga", "tera"][power] ?? "";
	const binary = ["kibi", "mebi", "gibi", "tebi"][power] ?? "";
	add(`${letter}b ${long}byte ${long}bytes`, { dimension: "bytes", factor, otherFactor });
	add(`${letter}ib ${binary}byte ${binary}bytes`, { dimension: "bytes", factor: otherFactor });
	add(`${letter}bit ${letter}bits ${long}bit ${long}bits`, {
		dimension: "bytes",
		factor: factor / BITS,
	});
}
add("byte bytes octet octets", { dimension: "bytes", factor: 1 });
add("bit bits", { dimension: "bytes", factor: 1 / BITS });
add("ns nanosecond nanoseconds", { dimension: "time", factor: 1e-9 });
add("µs μs microsecond microseconds", { dimension: "time", factor: 1e-6 });
add("ms millisecond milliseconds", { dimension: "time", factor: 1e-3 });
add("s sec secs second seconds", { dimension: "time", factor: 1 });
add("min mins minute minutes", { dimension: "time", factor: MINUTE });
add("h hr hrs hour hours", { dimension: "time", factor: HOUR });
add("day days", { dimension: "time", factor: DAY });
add("week weeks", { dimension: "time", factor: 7 * DAY });
add("month months", { dimension: "time", factor: YEAR / 12, otherFactor: 30 * DAY });
add("year years", { dimension: "time", factor: YEAR, otherFactor: 365 * DAY });
add("% percent per_cent", { dimension: "percent", factor: 1 });
add("pp percentage_point percentage_points", { dimension: "points", factor: 1 });
add("basis_point basis_points", { dimension: "points", factor: 0.01 });
add("gas", { dimension: "gas", factor: 1 });
add("kgas", { dimension: "gas", factor: 1e3 });
add("mgas", { dimension: "gas", factor: 1e6 });
add("usd dollar dollars", { dimension: "usd", factor: 1 });
add("cent cents", { dimension: "usd", factor: 0.01 });
add("eth ether", { dimension: "ether", factor: 1 });
add("gwei", { dimension: "ether", factor: 1e-9 });
add("wei", { dimension: "ether", factor: 1e-18 });
add("times fold x", { dimension: "times", factor: 1 });

/** Undefined for what is no unit. Names are compared without case; `Kb` is read as bytes. */
export function findUnit(name: string): Unit | undefined {
	return UNITS.get(name.toLowerCase());
}

const WORD = /(?<!\p{N}[\s-]?)\p{L}{4,}/gu;
const ALONE =
	/^(?:nanoseconds?|microseconds?|milliseconds?|seconds|minutes|hours|days|bytes|octets|bits|kibibytes|megabytes|percent|gwei|wei)$/i;

/** Units of a text that are named without a number ("expressed in seconds"), and whose names can be nothing else. */
export function findBareUnits(text: string) {
	return [...text.matchAll(WORD)].flatMap(([written]) => {
		const unit = ALONE.test(written) ? findUnit(written) : undefined;
		return unit ? [{ written, dimension: unit.dimension, factor: unit.factor }] : [];
	});
}
