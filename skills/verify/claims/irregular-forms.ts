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
