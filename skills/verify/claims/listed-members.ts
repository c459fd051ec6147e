/** A number in a list that shares the name of its series with the first: the 1.1 of "TLS 1.0 and 1.1". */
export interface ListedMember {
	readonly series: string;
	readonly number: string;
	readonly start: number;
	readonly end: number;
}

const NUMBER = "\\d+(?:\\.\\d+)*";
const JOINED = "(?:,\\s(?:and\\s|or\\s)?|\\s(?:and|or|to)\\s)";
const LIST = new RegExp(
	`(?<![\\p{L}\\p{N}])(?<series>\\p{Lu}[\\p{L}+#]{1,14}(?:/\\p{L}{1,8})?)[-\\s](?<first>${NUMBER})(?<rest>(?:${JOINED}${NUMBER})+)(?![\\p{L}\\p{N}]|\\.\\d)`,
	"gu",
);
/** What stands behind a number that counts something. */
const COUNTED =
	/^[-\s](?!(?:and|or|are|is|was|were|be|been|have|has|had|can|may|must|in|on|at|to|for|from|by|with|as|which|that|both|all|together|too|not|only|need|then|than)\b)\p{Ll}/u;
const LEAST_DIGITS = 3;

/** Members of such lists but the first. Numbers must look alike, as those of one series do. */
export function findListedMembers(text: string): readonly ListedMember[] {
	return [...text.matchAll(LIST)].flatMap(({ index, 0: whole, groups }) => {
		const { series = "", first = "", rest = "" } = groups ?? {};
		const from = index + whole.length - rest.length;
		return [...rest.matchAll(new RegExp(NUMBER, "g"))].flatMap(({ index: at, 0: number }) => {
			const start = from + at;
			const end = start + number.length;
			const isCounted = COUNTED.test(text.slice(end, end + 20));
			return !isCounted && isOfOneShape(first, number) ? [{ series, number, start, end }] : [];
		});
	});
}

function isOfOneShape(first: string, number: string): boolean {
	const dots = (text: string) => text.split(".").length;
	if (dots(first) !== dots(number)) return false;
	return dots(first) > 1 || (first.length === number.length && first.length >= LEAST_DIGITS);
}
