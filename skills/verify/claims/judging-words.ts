/** Words by which somebody judges: no source can settle what they say. Data, from general usage. */
const ADJECTIVES = `
	needless needlessly cleaner neater neat nifty prettier pretty nicer nicest ugly uglier ugliest beautiful beautifully elegant
	elegantly inelegant awful awfully terrible terribly horrible horribly horrid amazing amazingly awesome great greatest
	wonderful wonderfully fantastic excellent brilliant brilliantly stupid silly dumb pointless overrated underrated
	underappreciated undervalued overhyped over-hyped over-engineered overengineered overcomplicated over-complicated bloated
	boring exciting annoying annoyingly fun cool pleasant unpleasant delightful clumsy sloppy lovely disappointing disappointingly
	wise wisest wisely sensible saner sanest stupidest silliest dumbest
	impressive impressively tasteful cleverest clever cleverly smartest superior inferior favorite favorite ingenious genius
	insane crazy ridiculous ridiculously absurd absurdly laughable miserable dreadful lousy mediocre disgraceful shameful
	admirable admirably outstanding superb splendid gorgeous charming hideous tedious tiresome hopeless hopelessly regrettable
	embarrassing embarrassingly underwhelming unwise foolish foolishly overkill cumbersome baffling infuriating refreshing
	refreshingly marvellous marvelous magnificent atrocious abysmal pathetic uninspired uninspiring unforgivable inexcusable
	messy woeful thoughtful misguided ill-conceived half-baked long-overdue well-designed badly-designed poorly-designed
`;
const PHRASES: readonly RegExp[] = [
	/\b(?:i|we) (?:think|believe|feel|guess|hope|suspect|prefer|like|love|hate|find|doubt)\b/i,
	/\b(?:in|to|for) (?:my|our) (?:humble )?(?:opinion|view|experience|mind|taste|money)\b/i,
	/\b(?:imho|imo|arguably|personally|frankly|honestly|sadly|unfortunately|thankfully|fortunately|obviously|clearly|admittedly)\b/i,
	/\b(?:the best(?! current practices?\b)|the worst|worst|feels?)\b/i,
	/(?<!\b(?:do|does|did|perform|performs|performed|work|works|worked|score|scores|scored|fare|fares|fared) )\b(?:better than|worse than)\b/i,
	/\b(?:(?:good|bad|great|poor|sensible|wise|right|wrong|perfect|obvious) (?:idea|choice|decision|design|call|way|thing|place|day|taste|deal))\b/i,
	/\ba(?:n)? (?:\p{L}+ )?(?:mistake|disaster|joke|mess|waste|shame|pity|pleasure|nightmare|triumph|masterpiece|nuisance|delight|blessing|curse|gem|kludge|pain|must-have|godsend|travesty|failure of \p{L}+)\b/iu,
	/\b(?:completely|utterly|totally|practically|basically|simply|just) (?:useless|broken|wrong)\b/i,
	/\b(?:far|way|much|simply|just|frankly) too \p{L}+/iu,
	/\btoo (?:complex|complicated|hard|easy|slow|verbose|strict|late|early|expensive|difficult|much|little|many|cautious|conservative|clever|ambitious|bureaucratic|lenient|lax|timid|greedy|vague)\b/i,
	/\b(?:as|more|most|less|least|very|really|quite|so|extremely|far too|rather|pretty) (?:interesting|important|beautiful|elegant|exciting|useful|annoying|confusing|intuitive|readable|enjoyable|pleasant|ugly|boring|natural|sensible|attractive|convincing|impressive|promising|trustworthy|fun|tedious|user-friendly|painful|innovative|inspiring|frustrating|underrated|overrated|sane|satisfying|appealing|mature|disappointing|clever|thoughtful)\b/i,
	/\b(?:\p{L}{3,}est|most|least) \p{L}+ (?:\p{L}+ )?(?:ever|there is|in years|of all time|imaginable|in existence)\b/iu,
	/\b(?:waste of|worth (?:it|the|every|learning|having|reading)|deserves?|ought to|easier to (?:love|like|read|learn)|makes? (?:no )?sense|silver bullet|game[- ]changer|step (?:backwards?|forwards?|in the right direction)|breath of fresh air|(?:reads|looks|sounds) (?:like|as if)|more trouble than|for no good reason|no good reason|second to none|takes? the fun|long overdue|high time)\b/i,
	/\b(?:nobody|no one) (?:likes|wants|needs|should|would|in their right mind)\b|\beveryone (?:loves|hates|should)\b/i,
];

const WORDS = new RegExp(
	`(?<![\\p{L}-])(?:${ADJECTIVES.trim().split(/\s+/).join("|")})(?![\\p{L}-])`,
	"iu",
);

/** What a specification gives rules to: "a client should" tells its rule, "browsers should" what somebody wants. */
const RULED =
	/\b(?:it|they|clients?|consumers?|sellers?|buyers?|servers?|agents?|crawlers?|senders?|receivers?|recipients?|issuers?|verifiers?|signers?|payees?|payers?|caches?|prox(?:y|ies)|gateways?|parsers?|generators?|decoders?|encoders?|nodes?|wallets?|relays?|implementations?|applications?|intermediar(?:y|ies)|names?|headers?|fields?|values?|keys?|tokens?|amounts?|identifiers?|passwords?|nonces?|requests?|responses?|messages?|codes?|timestamps?|certificates?|signatures?|challenges?|salts?|numbers?|strings?|members?|parameters?|queries|query|URIs?|URLs?)(?:\s(?:that|which|who)\s(?:\S+\s){1,4})?\s*(?:\S+\s){0,4}?should\b/i;
/** "A study of what a retriever should do" only names what the study is about. */
const SHOULD =
	/(?<!\b(?:of|on|about|into|asks|describes|defines|says|tells|explains) (?:what|how|when|which|whether)\b[^.,;]{0,60})\bshould\b/i;
/** What is wanted of rules, not what they say. */
const WANTED =
	/\bshould (?:(?:never|really|just|simply|finally|all|have|already) |be (?:ashamed|proud|abolished|banned|retired|abandoned|scrapped|mandatory by law)|stop|switch|adopt|abandon|give up|learn|embrace)/i;

/** True for a sentence that judges instead of telling. */
export function judges(text: string): boolean {
	if (WORDS.test(text) || PHRASES.some((phrase) => phrase.test(text))) return true;
	return SHOULD.test(text) && (!RULED.test(text) || WANTED.test(text));
}
