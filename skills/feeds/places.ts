/** Countries and regions by the names and adjectives that English has for them. */
interface PlaceNames {
	/** In lower case, without accents. */
	readonly names: ReadonlyMap<string, string>;
	/** Short forms that are words of their own in lower case: "US". */
	readonly shortForms: ReadonlyMap<string, string>;
}

/** What statistics call places that locale data names otherwise. */
const OTHER_NAMES: readonly (readonly [string, string])[] = [
	["euro area", "EZ"],
	["global", "001"],
	["worldwide", "001"],
	["turkey", "TR"],
	["korea", "KR"],
];
const OTHER_SHORT: readonly (readonly [string, string])[] = [
	["USA", "US"],
	["U.S.", "US"],
	["U.K.", "GB"],
	["EU", "EU"],
];

/** Codes of locale data that stand for no place. */
const PSEUDO = ["XA", "XB", "ZZ", "UN", "QO"];
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const LETTER_PAIRS = [...LETTERS].flatMap((one) => [...LETTERS].map((other) => one + other));
const REGION_NUMBERS = ["001", "002", "009", "019", "142", "150", "419"];
/** Letters that a language and a country share whose codes are alike by chance more often than not. */
const STEM_CHARS = 3;

function readPlaceNames(): PlaceNames {
	const long = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
	const short = new Intl.DisplayNames("en", { type: "region", fallback: "none", style: "short" });
	const codes = [...LETTER_PAIRS.map((pair) => pair.toUpperCase()), ...REGION_NUMBERS];
	const regions = codes.filter(isPlace).flatMap((code) => {
		const name = long.of(code);
		return name === undefined ? [] : [{ code, name, form: short.of(code) ?? name }];
	});
	const forms = regions.filter(({ name, form }) => form !== name && form === form.toUpperCase());
	const named = regions.map(({ code, name }) => [plain(name), code] as const);
	return {
		// The first mention of a name counts least.
		names: new Map([...adjectivesOf(named), ...countryAdjectives(named), ...named, ...OTHER_NAMES]),
		shortForms: new Map([...forms.map(({ code, form }) => [form, code] as const), ...OTHER_SHORT]),
	};
}

/** A code of its own, and no place holder. */
function isPlace(code: string): boolean {
	return (
		!PSEUDO.includes(code) && (/^\d/.test(code) || new Intl.Locale(`und-${code}`).region === code)
	);
}

type NamedRegion = readonly [name: string, code: string];

/** "German" and "Greek" are languages, each of the place where it is spoken most: English is of no country, Portuguese of Portugal. */
function adjectivesOf(named: readonly NamedRegion[]): readonly NamedRegion[] {
	const languages = new Intl.DisplayNames("en", { type: "language", fallback: "none" });
	const regions = new Map(named.map(([name, code]) => [code, name]));
	return LETTER_PAIRS.flatMap((language) => {
		const adjective = plain(languages.of(language) ?? "");
		const spoken = new Intl.Locale(language).maximize().region ?? "";
		const own = [
			{ code: spoken, chars: 1 },
			{ code: language.toUpperCase(), chars: STEM_CHARS },
		].find(({ code, chars }) => {
			const words = regions.get(code)?.split(" ") ?? [];
			return adjective !== "" && words.some((word) => word.startsWith(adjective.slice(0, chars)));
		});
		return own ? [[adjective, own.code] as const] : [];
	});
}

const SPOKEN_ABROAD = ["en", "es", "pt", "de", "fr"];

/** "Brazilian Portuguese", "American English": the language of a country is named by its adjective. */
function countryAdjectives(named: readonly NamedRegion[]): readonly NamedRegion[] {
	const languages = new Intl.DisplayNames("en", { type: "language", fallback: "none" });
	const countries = named.map(([, code]) => code).filter((code) => /^[A-Z]/.test(code));
	return countries.flatMap((code) =>
		SPOKEN_ABROAD.flatMap((language) => {
			const name = languages.of(`${language}-${code}`) ?? "";
			const [adjective = "", second] = plain(name).split(" ");
			const isNamed = second !== undefined && !name.includes("(") && adjective !== "european";
			return isNamed ? [[adjective, code] as const] : [];
		}),
	);
}

function plain(text: string): string {
	return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Words that one name of a place may have. */
const NAME_WORDS = 4;
const COUNTRY_STEM_CHARS = 4;
const ENDING = /(?:an|n|ish|ese)$/;

/** A text's places, as region codes, and its other words. */
export interface ReadPlaces {
	readonly places: ReadonlySet<string>;
	readonly rest: string;
}

/** Reads which places texts name, by what the platform's locale data call them. */
export function createPlaceReader() {
	const known = readPlaceNames();
	return (text: string): ReadPlaces => {
		const words = text.match(WORDS) ?? [];
		const places = new Set<string>();
		const rest: string[] = [];
		for (let at = 0; at < words.length; ) {
			const found = placeAt(words, at, known);
			if (found) places.add(found.code);
			else rest.push(words[at] ?? "");
			at += found?.length ?? 1;
		}
		return { places, rest: rest.join(" ") };
	};
}

const WORDS = /U\.S\.|U\.K\.|[\p{L}\p{N}][\p{L}\p{N}.%/-]*/gu;

function placeAt(words: readonly string[], at: number, { names, shortForms }: PlaceNames) {
	const word = (words[at] ?? "").replace(/(?<!\.\p{L})\.$/u, "");
	const short = shortForms.get(word);
	if (short !== undefined) return { code: short, length: 1 };
	for (let length = Math.min(NAME_WORDS, words.length - at); length > 0; length--) {
		const name = plain(words.slice(at, at + length).join(" ")).replace(/\.$/, "");
		const code = names.get(name) ?? names.get(`the ${name}`) ?? adjectiveOf(name, names);
		if (code !== undefined) return { code, length };
	}
	return undefined;
}

/** "Indian", "South African": the name of a country and the ending of an adjective. */
function adjectiveOf(name: string, names: ReadonlyMap<string, string>): string | undefined {
	if (!ENDING.test(name)) return undefined;
	const stem = name.replace(ENDING, "");
	if (stem.length < COUNTRY_STEM_CHARS) return undefined;
	return names.get(stem) ?? names.get(`${stem}a`) ?? names.get(stem.replace(/i$/, ""));
}
