import { isStopWord, stemWord } from "../../../src/search/search.js";
import { OPPOSITES, SYNONYMS } from "./thesaurus.js";

/** Words that say one thing, or its opposite: an axis, and which end of it. */
export interface AxisPlace {
	readonly axis: string;
	readonly sign: 1 | -1;
	/** True where the axis has two ends: then what a text says depends on which. */
	readonly isDirected: boolean;
}

const PLACES = new Map<string, AxisPlace[]>();
const put = (word: string, place: AxisPlace) => {
	const stem = stemWord(word);
	const known = PLACES.get(stem) ?? [];
	if (stem !== "" && !known.some(({ axis }) => axis === place.axis))
		PLACES.set(stem, [...known, place]);
};
for (const [at, line] of OPPOSITES.trim().split("\n").entries()) {
	const [one = "", other = ""] = line.split("|");
	const axis = `± ${at}`;
	for (const word of one.trim().split(" ")) put(word, { axis, sign: 1, isDirected: true });
	for (const word of other.trim().split(" ")) put(word, { axis, sign: -1, isDirected: true });
}
for (const [at, group] of SYNONYMS.trim().split(/[\n|]/).entries()) {
	const axis = `= ${at}`;
	for (const word of group.trim().split(" ")) put(word, { axis, sign: 1, isDirected: false });
}

const NONE: readonly AxisPlace[] = [];

/** Every axis a word lies on; none for most words. */
export function findAxisPlaces(stem: string): readonly AxisPlace[] {
	return PLACES.get(stem) ?? NONE;
}

const OPPOSITE_PREFIX = /^(?:un|in|im|ir|il|dis)(?=\p{L}{4})/u;

/** True for a word and itself with a denying prefix: signed and unsigned. */
export function isDeniedForm(a: string, b: string): boolean {
	const [long, short] = a.length > b.length ? [a, b] : [b, a];
	return long !== short && (long.replace(OPPOSITE_PREFIX, "") === short || long === `${short}less`);
}

/** Words that fit nearly any sentence of a technical text: their absence says little. */
const LIGHT: ReadonlySet<string> = new Set(
	`standard specification specify document define description describe number value data system thing way kind form
	name list item part case example present current call provide include contain hold take come go mean set put place make
	result time date year day month long short large small new old good first second third last certain such general common
	actual real simple main basic different own whole full one two person people anyone somebody everybody author paper
	people method approach technique process purpose reason fact effect affect own belong implement change amount size length level type sort state
	work run do have get allow support follow begin start end become remain stay keep let help turn show say tell speak state
	introduce create publish appear release issue ship add produce generate bring write read accord account relate concern
	today now currently already still even just only also again already otherwise instead rather quite mostly usually typically
	single proper particular respective specific several various multiple total entire version revision feature today
	serve consist express expressed call called known`
		.split(/\s+/)
		.map(stemWord),
);
const LIGHT_WEIGHT = 0.45;

/** How much of what a claim says a word carries. */
export function weightOfWord(stem: string, written: string): number {
	if (isStopWord(written.toLowerCase())) return 0;
	return LIGHT.has(stem) ? LIGHT_WEIGHT : 1;
}

/** Irregular verb forms and plurals by their base form. */
const FORMS = `
send sent|keep kept|give gave given|take took taken|write wrote written|build built|hold held|pay paid|grow grew grown
rise rose risen|fall fell fallen|choose chose chosen|begin began begun|break broke broken|make made|meet met|lose lost
leave left|run ran|stand stood|tell told|find found|bring brought|buy bought|sell sold|teach taught|think thought
speak spoke spoken|drive drove driven|draw drew drawn|see saw seen|go went gone|come came|become became|get got gotten
win won|spend spent|steal stole stolen|shrink shrank shrunk|beat beaten|hide hid hidden|forget forgot forgotten
forbid forbade forbidden|withdraw withdrew withdrawn|throw threw thrown|know knew known|show shown|read read|lead led
feed fed|bind bound|wind wound|catch caught|seek sought|lay laid|lie lay lain|sit sat|set set|split split|put put
person people|child children|index indices indexes|vertex vertices|matrix matrices|criterion criteria|datum data
arise arose arisen|strike struck|swap swapped|understand understood|overcome overcame|bear bore borne|sleep slept|mean meant
`;

const BASES = new Map<string, string>();
for (const entry of FORMS.trim().split(/[|\n]/)) {
	const [base = "", ...forms] = entry.trim().split(" ");
	for (const form of forms) BASES.set(form, base);
}

/** The base of an irregular form, or the word as it is. */
export function toBaseForm(word: string): string {
	return BASES.get(word) ?? word;
}
