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
for (const [letter, long, factor] of [
	...[["", "", 1] as const, ["k", "kilo", 1e3] as const],
	...[["c", "centi", 1e-2] as const, ["m", "milli", 1e-3] as const],
]) {
	const metric = (name: string) => `${long}${name} ${long}${name}s`;
	add(`${letter}m ${metric("meter")} ${metric("metre")}`, { dimension: "length", factor });
	add(`${letter}g ${metric("gram")}`, { dimension: "mass", factor });
	add(`${letter}l ${metric("liter")} ${metric("litre")}`, { dimension: "volume", factor });
}
add("mile miles", { dimension: "length", factor: 1_609.344 });
for (const [at, prefix] of ["", "k", "m", "g"].entries()) {
	const long = ["", "kilo", "mega", "giga"][at];
	add(`${prefix}hz ${long}hertz`, { dimension: "frequency", factor: 1000 ** at });
}
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
const NAMED = /[%µμ]|\p{L}+/gu;
/** Words of every day that are units only beside another one. */
const EVERYDAY = /^(?:seconds|minutes|hours|days)$/i;
const ALONE =
	/^(?:nanoseconds?|microseconds?|milliseconds?|seconds|minutes|hours|days|bytes|octets|bits|kibibytes|megabytes|percent|gwei|wei|milli(?:meters|metres)|centi(?:meters|metres)|meters|metres|kilo(?:meters|metres|grams)|miles|(?:milli)?grams|tonnes|lit(?:er|re)s|(?:kilo|mega|giga)?hertz)$/i;

/** Units of a text that are named without a number ("expressed in seconds"), and whose names can be nothing else. */
export function findBareUnits(text: string): readonly string[] {
	return (text.match(WORD) ?? []).filter((word) => ALONE.test(word));
}

/** Whether a text names a unit, by whatever name, with a number or without. */
export function namesUnit(text: string, name: string): boolean {
	const unit = findUnit(name);
	const there = (text.match(NAMED) ?? []).flatMap((word) => findUnit(word) ?? []);
	const alike = there.filter(({ dimension }) => dimension === unit?.dimension);
	if (alike.length === 0) return EVERYDAY.test(name);
	return alike.some(({ factor }) => factor === unit?.factor);
}
