import { round, wilsonInterval } from "./brand-figures.js";
import { wordsIn } from "./brand-names.js";

export type Tone = "positive" | "neutral" | "negative";

/** Tone of some sentences, in numbers. */
export interface ToneCount {
	/** (positive − negative) / n, -1..1, four decimals; 0 where nothing was counted. */
	readonly net: number;
	readonly positive: number;
	readonly neutral: number;
	readonly negative: number;
	readonly n: number;
	/** Wilson 95 % of the positive share among the sentences with a tone. */
	readonly positive_interval: { readonly low: number; readonly high: number };
}

/** How the tone is told, for readers. */
export const TONE_METHOD =
	"rules: words of a fixed list make a sentence positive or negative; a negation up to three words before turns a word around; the greater count decides, equal counts are neutral";

/** A trailing * stands for any ending. */
const POSITIVE = toList(
	`accept* accura* achiev* adopt* advance* advantag* approv* award* benefi* best* clarif* compatib* efficien* enabl*
	endors* faster fastest fix* fixed gain* graduat* growth harden* healthy improv* innovat* interoperab* lead* mitigat*
	outperform* patched popular praise* profit* progress* promis* protect* recommend* record reliab* resilien* robust
	safe safer safety* secure* simplif* smooth* stable stabilit* strong* success* superior support* trust* upgrad* win wins won`,
);
const NEGATIVE = toList(
	`abandon* abus* attack* ban banned breach* break* broke* bug bugs complain* compromis* confus* corrupt* crash* crisis
	critical* danger* decline* defect* delay* deprecat* deni* difficult* disput* drawback* drop* error* escalat* expos*
	exploit* fail* fake fault* fine* flaw* fraud* hack* harm* illegal* inadequa* incident* inconsisten* insecure insufficien*
	lack* lawsuit* leak* loss* lost malicious* malware missing obsolet* outage* overflow* penalt* phish* poor* problem*
	ransom* recall* reject* remov* risk* shortag* slow* spoof* suffer* threat* unsafe unstable unsupported violat* vulnerab*
	warn* weak* withdraw* withdrew worm* worse worst wrong*`,
);
const NEGATIONS: ReadonlySet<string> = new Set(
	"not no never none nor neither without cannot hardly isn doesn don didn wasn aren won".split(" "),
);
const REACH_WORDS = 3;

/** Looks at words alone: whatever a sentence demands, it is counted. */
export function toneOf(text: string): Tone {
	const words = wordsIn(text).map((word) => word.toLowerCase());
	let sum = 0;
	for (const [at, word] of words.entries()) {
		const weight = Number(POSITIVE(word)) - Number(NEGATIVE(word));
		if (weight === 0) continue;
		const before = words.slice(Math.max(0, at - REACH_WORDS), at);
		sum += before.some((other) => NEGATIONS.has(other)) ? -weight : weight;
	}
	return sum > 0 ? "positive" : sum < 0 ? "negative" : "neutral";
}

export function countTones(texts: readonly string[]): ToneCount {
	const count = { positive: 0, neutral: 0, negative: 0 };
	for (const text of texts) count[toneOf(text)] += 1;
	const { positive, negative } = count;
	const n = texts.length;
	const net = n === 0 ? 0 : round((positive - negative) / n);
	return { net, ...count, n, positive_interval: wilsonInterval(positive, positive + negative) };
}

/** Whether a word is on a list. */
function toList(text: string): (word: string) => boolean {
	const entries = text.split(/\s+/);
	const whole = new Set(entries.filter((entry) => !entry.endsWith("*")));
	const stems = new Set(
		entries.flatMap((entry) => (entry.endsWith("*") ? [entry.slice(0, -1)] : [])),
	);
	return (word) => {
		if (whole.has(word)) return true;
		for (let end = 3; end <= word.length; end++) if (stems.has(word.slice(0, end))) return true;
		return false;
	};
}
