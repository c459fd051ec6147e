import { stemWord } from "../../search/stem.js";

/** Words that say one thing, or its opposite: an axis, and which end of it. */
export interface AxisPlace {
	readonly axis: string;
	readonly sign: 1 | -1;
}

/** `one end | the other end`; words of one end stand for each other. Data, extended freely. */
const AXES: Readonly<Record<string, string>> = {
	need: "require requires required mandatory must necessary compulsory obligatory obliged needs demand prescribe mandate insist | optional voluntary discretionary unnecessary",
	allow:
		"allow permit enable let lets accept tolerate authorise authorize legal may | forbid prohibit ban disallow reject refuse deny bar block prevent disable prohibition forbidden illegal rule-out",
	have: "support offer provide include contain carry feature comprise hold ship supply | lack omit exclude miss missing absent",
	grow: "increase raise grow rise gain climb expand enlarge lift double up | decrease lower reduce drop fall shrink decline cut halve lessen diminish down",
	more: "more higher larger greater bigger longer | less fewer smaller shorter",
	fast: "fast quick rapid faster quicker speed | slow slower",
	max: "maximum max most upper ceiling cap highest largest longest biggest | minimum min least lower-bound floor lowest smallest shortest",
	earlier: "before precede earlier prior ahead older predate | after follow later subsequent newer",
	valid:
		"current active stable living valid live supported ongoing | deprecated obsolete withdrawn abandoned stagnant retired expired historic discontinued dead invalid superseded",
	accepted:
		"accepted adopted approved agreed final standardised standardized ratified | rejected declined refused turned-down withdrawn",
	add: "add introduce append insert create new bring | remove delete drop strip discard eliminate withdraw",
	start: "start begin launch open commence | stop end finish close terminate cease",
	enabled: "enabled on activated | disabled off deactivated",
	success: "succeed success successful pass | fail failure failed",
	safe: "secure safe protected | insecure unsafe vulnerable unprotected",
	public: "public open | private secret confidential",
	symmetric: "symmetric | asymmetric",
	sync: "synchronous sync blocking | asynchronous async nonblocking",
	inside: "internal inside inner within | external outside outer",
	first: "first earliest oldest initial | last latest newest final",
	client: "client caller browser user-agent requester | server origin",
	request: "request | response reply answer",
	single: "single one sole | multiple several many",
	full: "full complete whole entire | partial incomplete",
	strong: "strong | weak",
	stateful: "stateful | stateless",
	forward: "forward | backward",
	human: "human manual | automatic automated machine",
	same: "same identical equal | different distinct other",
	always: "always | never rarely seldom",
	read: "read | write",
	sender: "sender payer issuer | recipient receiver payee verifier",
	encrypt: "encrypt encrypted encryption cipher | plaintext unencrypted cleartext decrypt",
	cheap: "cheap cheaper inexpensive | expensive dear costly dearer",
	common: "common frequent often usual | rare uncommon seldom",
	known: "known | unknown",
	common2: "majority | minority",
	big: "big-endian | little-endian",
	ordered: "ordered sorted | unordered random",
	free: "free gratis | paid charged",
	left: "left | right",
	even: "even | odd",
	compile: "compile-time static | run-time runtime dynamic",
	// What follows has no other end: words that stand for each other.
	define: "define specify describe standardise standardize set-out lay-down codify",
	publish: "publish release issue appear published dated",
	replace: "replace supersede obsolete supplant succeed",
	limit: "limit cap bound restrict ceiling",
	use: "use employ rely apply utilise utilize adopt",
	make: "make produce generate build yield",
	show: "show demonstrate find report prove reveal",
	size: "size length big long",
	propose: "propose suggest proposal draft",
	author: "author write written author",
	check: "check verify validate test examine",
	send: "send transmit deliver emit",
	change: "change modify alter amend edit",
	burn: "burn destroy",
	part: "part component piece",
	flaw: "flaw vulnerability weakness bug hole",
	cost: "cost price charge fee",
	signature: "signature sign signed",
	begin: "origin beginning",
	store: "store keep save retain hold",
	split: "split divide separate",
	merge: "merge combine join fuse",
	improve: "improve better enhance boost outperform exceed beat",
	row: "row entry entries record",
	dataset: "dataset corpus",
	company: "vendor company maker manufacturer",
};

const PLACES = new Map<string, AxisPlace>();
for (const [axis, words] of Object.entries(AXES)) {
	for (const [end, list] of words.split("|").entries()) {
		const sign = end === 0 ? 1 : -1;
		for (const word of list.trim().split(/\s+/)) {
			const stem = stemWord(word);
			if (stem !== "" && !PLACES.has(stem)) PLACES.set(stem, { axis, sign });
		}
	}
}

/** Undefined for words on no axis. */
export function findAxisPlace(stem: string): AxisPlace | undefined {
	return PLACES.get(stem);
}

const OPPOSITE_PREFIX = /^(?:un|in|im|ir|il|non|dis|de|a)(?=\p{L}{4})/u;

/** True for a word and itself with a denying prefix: signed and unsigned. */
export function isDeniedForm(a: string, b: string): boolean {
	const [long, short] = a.length > b.length ? [a, b] : [b, a];
	return long !== short && long.replace(OPPOSITE_PREFIX, "") === short;
}
