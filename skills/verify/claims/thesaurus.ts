import { isStopWord, stemWord } from "../../../src/search/search.js";

/** The vocabulary of the comparison. Data, written by hand from general usage; words are compared by their stems. */

/** Words that stand for each other in most technical sentences; groups are separated by bars and line ends. */
const SYNONYMS = `
define specify describe standardise standardize codify determine | publish release issue appear date print
replace supersede obsolete supplant succeed substitute | limit cap bound restrict ceiling maximum most
use employ apply utilise utilize | make produce generate build yield create
show demonstrate prove reveal indicate find report | size length large big long | propose suggest proposal draft
author writer write | check verify validate test examine inspect validation verification
send transmit deliver emit submit | change modify alter amend edit update mutate | burn destroy
part component piece portion | flaw vulnerability weakness bug hole defect | cost price charge fee
sign signature signer | store save retain keep storage hold remember persist | split divide separate
merge combine join fuse unite | row entry record | dataset corpus collection
vendor company maker manufacturer supplier | introduce bring add launch debut | begin start open commence initial
end finish complete completion terminate conclude over finished
need require demand oblige obligation duty must mandate prescribe obligatory mandatory compulsory necessary
allow permit let enable authorize authorize | have contain include hold carry comprise consist
overlook miss ignore forget lose | middle halfway midway centre center between
quarrel dispute controversy argument debate conflict | role position post job office | leave remain stay
resign quit retire | person human people individual somebody single one man | fetch download retrieve load obtain get
poll query ask request | fast quick rapid speedy | slow slowness sluggish
clear delete erase remove wipe discard drop | steal theft thief stolen | spend pay payment
expire expiry expiration lapse lifetime | last duration lifetime valid endure | apart distinct separate disjoint
influence control affect | remote server | execute run execution code
attacker adversary extortionist attackers criminal | influence impact | range interval span | sequence series order
replay resend again repeat reuse | derive derivation based come originate
activate activation ship live deploy effect enter force | fork upgrade hardfork | grow growth add addition increase
share portion fraction percentage proportion | flag mark label tag known | guarantee promise assure ensure
fail failure error abort fatal break | forbid prohibit ban disallow bar prohibition
reject refuse decline deny refusal | abandon withdraw withdrawn | cease stop halt | maintain maintenance preserve
equal same identical equivalent | different differ other distinct | hash digest fingerprint checksum
encrypt encryption cipher encipher | key secret | password passphrase | token credential | client browser
node participant peer | block slot | website site page | field header parameter attribute member
message packet request | document specification standard text | method technique approach procedure way
fact information knowledge detail | prompt input context | accurate accuracy precise precision
improve improvement better enhance boost outperform exceed beat | worse worsen harm hurt degrade damage degradation
irrelevant unrelated random | recent new fresh latest | old early former previous | owner holder
recipient receiver payee audience | sender payer | issuer authority | mistake slip typo error | guess predict estimate
group team committee sig | meeting meet | vote election elect elected ballot | member seat sit
found founded establish | translate translation convert conversion | opaque | tell say state declare announce
tenth ten | compress compression compact squeeze | shrink reduce reduction | table register registry | poll interval
default unless otherwise | nothing none | prefix begin | carry transport transfer | call invoke invocation
throw raise | future promise | lazy deferred | nested inner | simultaneous concurrent parallel together
sign-up register registration | user person | finding discovery discover | source origin | address location
random arbitrary | memory ram | step stage phase | split shard | measure metric | experiment study trial
rank order sort | match correspond fit | tie bind bound attach link
enough suffice sufficient adequate suffices | steal intercept eavesdrop hijack capture | redeem exchange trade swap
forge fake counterfeit spoof impersonate invent fabricate | tamper alter manipulate corrupt modify
trust rely believe confidence | evidence proof prove testimony | identity who | parse interpret decode analyze analyze read
opaque meaningless | accelerate speed hasten quicken | delay latency lag wait | waste squander | conclude infer deduce derive
obtain acquire receive get gain fetch | supply provide furnish offer give deliver | assign allocate allot grant
own belong possess | gather collect accumulate harvest | assemble compose construct
spread distribute disperse propagate broadcast gossip | mirror copy duplicate clone replicate
backup restore recover recovery | revert undo rollback reverse roll | repair fix mend patch remedy correct cure
crash abort fail panic | hazard risk danger threat peril endanger jeopardise jeopardize unsafe | harm damage hurt injure
attack exploit abuse misuse compromise breach | malicious hostile rogue evil adversarial | victim target
leak expose disclose disclosure reveal divulge exposure betray | hide conceal mask obscure obfuscate
monitor watch observe track | notice detect spot recognize recognize discover perceive | warn alert caution
notify inform tell signal announce advertise | advise recommend suggest urge encourage recommendation advice counsel
discourage dissuade | intend aim purpose goal intent | plan schedule scheduled | choose pick select opt choice
prefer favor favor preference | compare contrast comparison | measure assess evaluate gauge evaluation benchmark
test trial try experiment | score grade rate rating | count number tally total | sum add aggregate | average mean
roughly about approximately around nearly almost circa | exactly precisely exact precise
separately individually independently apart separate | jointly together combine collectively combined
simultaneously concurrently parallel | sequentially successively consecutively | repeatedly often frequently
immediately instantly straightaway promptly | gradually slowly stepwise | finally eventually ultimately last
previously formerly earlier before once | afterwards later subsequently then after | currently now presently today
beforehand advance prior | whole entire complete full | fragment chunk piece excerpt span | segment section portion
single sole one lone individual | multiple several many various numerous | pair couple two both | dozen twelve
additional extra further another | remaining rest leftover left unused | unused spare idle | surplus excess
shortage scarcity lack | simple easy straightforward | complex complicated intricate | difficult hard tough | expensive costly
cheap inexpensive | big large huge great | tiny small little | wide broad | brief short | lengthy long
old aged ancient legacy | young new | rich wealthy | empty blank void vacant | accurate correct right true
wrong incorrect false erroneous mistaken | odd strange unusual | normal ordinary usual regular typical
special particular specific | main primary chief principal major | minor secondary
important significant crucial essential vital key | necessary needed required mandatory | useless worthless pointless
harmless benign safe | visible apparent | automatic automated automatically | manual hand | random arbitrary
fixed constant static immutable | flexible adaptable | local nearby | remote distant | foreign alien external
native built-in builtin inherent | abroad elsewhere | inventor creator author originator father
developer programmer engineer coder | operator administrator admin maintainer | customer consumer client buyer purchaser
seller merchant vendor shop store retailer | payee merchant seller recipient | payer buyer customer
money fund funds cash payment | price cost fee charge toll | refund reimburse repay return | reserve hold earmark set-aside
deduct subtract debit | credit top-up deposit | salary wage pay | firm company business corporation enterprise
agency authority bureau office | government state administration | law statute act legislation | rule regulation policy
contract agreement | permission consent approval authorization authorization permit | licence license | lawsuit suit case
police enforcement | teach train instruct educate | learn study | pupil student learner | scholar researcher scientist
essay article paper | book volume | chapter section | page sheet | picture image photo photograph | film movie video
sound audio | speech talk voice | word term | phrase expression | meaning sense semantics | name title label call
rename relabel | letter character | digit numeral figure | uppercase capital | space whitespace blank
comment remark note annotation | string text | array list | dictionary map mapping table | set collection group
graph network | tree hierarchy | branch fork | root top base | leaf end | parent ancestor | child descendant
loop cycle iterate iteration | function method routine procedure | argument parameter | variable binding | constant literal
type class kind category | instance object example | interface api | module package library | crate package library
program application app software | script program | compiler translator | interpreter runtime | bug defect fault flaw error
exception error failure | thread task | lock mutex | queue line | stack pile | cache buffer | disk drive storage
file document | folder directory | path route | link reference hyperlink url uri | host machine server
computer machine device | phone mobile smartphone | keyboard input | screen display monitor | printer print | cable wire
router gateway | proxy intermediary intermediate | firewall appliance | tunnel vpn | port socket | session connection
handshake negotiation negotiate | protocol standard | message note mail | email mail | request ask query
reply answer respond response | body payload content | header headline | payload content data
encode represent encoding express | decode parse | sign signature | verify check validate confirm verification
confirm acknowledge acknowledgement | identify identification recognize | authenticate authentication login
authorize authorization permit | login signin sign-in logon log-in | password passphrase secret | certificate credential
expire lapse end run-out | renew extend refresh renewal prolong | revoke cancel withdraw invalidate revocation | cancel abort
postpone defer delay deferred | resume continue proceed | pause suspend halt | launch start release | shutdown stop
install deploy setup deployment installation | upgrade update | downgrade rollback | migrate move transfer shift
convert turn transform | insert put add place inject embed | extract pull take draw
replace substitute exchange supplant swap | override overrule | overwrite clobber replace | prepend prefix | append attach
truncate cut shorten crop | trim shorten prune | pad fill | round approximate | sort order arrange rank | filter screen sift
search look find lookup seek | match fit correspond | guess estimate predict | calculate compute reckon determine
multiply times | halve half | twice double | equal same identical match | differ vary differs | similar alike resemble
unlike different | related connected associated | depend rely hinge build rest | independent unrelated separate
cause lead trigger provoke induce bring | result outcome consequence effect | reason cause why | because since
allow permit enable let | prevent stop hinder block | protect guard shield defend secure | enforce compel force impose
obey comply follow honor honor respect | ignore disregard | violate breach break | punish penalise penalize penalty slash
reward pay | promise pledge | attempt try | succeed manage | reach attain achieve hit | exceed surpass top beat
lead head top | follow succeed | begin originate start | last persist endure survive | survive outlive | vanish disappear
appear emerge arise | exist be | happen occur arise | involve include concern | consist comprise | cover span
affect influence impact concern | address tackle deal treat handle | mention cite name list | cite quote reference
describe depict document explain | define specify | propose suggest | discuss debate | argue contend
claim assert state maintain | deny dispute | admit concede accept | agree concur consent
disagree conflict differ dispute contradict | vote ballot | elect choose | appoint nominate | chair head lead | join enter
leave quit exit depart | arrive come | visit call | meet gather | work operate function run | employ hire | rest pause
sleep idle | wake activate | grow rise increase | shrink fall decline | improve better enhance | worsen degrade
help assist aid support | hurt impair | need require | want wish desire | like enjoy | keep retain hold | lose forfeit
save preserve | spend consume use | consume eat burn use | produce make yield | earn gain | share split
divide partition split shard | merge unify | mix blend | isolate separate | attach fasten tie | detach remove | open unlock
close shut | enter join | exit leave | raise lift throw | lower reduce | push place | pull fetch | carry bear transport hold
bring take | throw raise | catch handle | drop discard | pick choose | spoil ruin | clean tidy purge | wipe erase
write author | read consume | speak say | listen hear | see view | look resemble appear | show display present
point indicate refer | mark flag tag | label name | draft proposal | final finished | stable mature
experimental provisional trial | deprecated obsolete outdated superseded retired | withdrawn abandoned cancelled dropped
rejected declined refused denied | accepted approved adopted | pending open undecided | future later | ago before
year annual yearly | month monthly | week weekly | day daily | hour hourly | quarter three-month | decade ten-year | century
spring april | autumn fall | beginning start early | end late close
`;

/** Words and their opposites, one pair of groups a line. */
const OPPOSITES = `
mandatory obligatory compulsory required require must obliged oblige need duty | optional voluntary discretionary
allow permit accept tolerate authorize authorize let | forbid prohibit ban disallow reject refuse deny prevent prohibition exclude
increase raise rise grow expand enlarge lift climb double growth more higher larger greater bigger longer lengthen prolong | decrease lower reduce drop fall shrink decline cut halve lessen diminish reduction less fewer smaller shorter shorten
fast quick rapid faster quicker sooner | slow slower later
maximum highest largest longest biggest | minimum lowest smallest shortest
add introduce append insert gain | remove delete drop discard eliminate abolish
begin start | stop end finish
enable enabled activate activated | disable disabled deactivate deactivated
succeed success successful | fail failure failed
secure safe protected | insecure unsafe vulnerable unprotected
public | private secret confidential
symmetric | asymmetric
synchronous | asynchronous
internal inside inner | external outside outer
first earliest oldest initial | last latest newest final
stateful | stateless
forward | backward
same identical equal | different distinct
cheap cheaper cheapest | expensive costly dearer costlier
common frequent often | rare uncommon seldom
ordered sorted | unordered
strong | weak
better improve improvement beat outperform gain best win | worse harm hurt degrade worsen lose underperform
always | never
accepted adopted approved agreed | rejected declined refused
stable final | draft experimental
mutable | immutable
before earlier precede preceded prior | after later follow followed
narrow narrower | wide wider broad
short-lived | long-lived
encrypted | plaintext cleartext
reversible | irreversible
complete completely full fully entire | partial partly incomplete
majority | minority
deterministic | random probabilistic randomised randomized
trusted | untrusted
centralised centralized | decentralised decentralized
even | odd
keep retain preserve | discard delete drop erase
outdated stale old | fresh
static | dynamic
endanger threaten harm harmful | protect benefit harmless
differ different unequal | identical same match equal
append suffix | prepend prefix
above over exceed exceeding twice double triple threefold | below under
grow grew larger bigger heavier | shrink smaller lighter
rare seldom infrequent | common frequent often usual
appear arrive | vanish disappear
lock | unlock
open | close closed
enter join | leave exit
import | export
upload push | download pull
encode | decode
sign | strip
attach bind | detach unbind
online | offline
on-chain | off-chain
visible shown | invisible hidden
known | unknown
possible able can | impossible unable cannot
useful usable valid | useless unusable invalid void worthless moot
legal lawful permitted | illegal unlawful forbidden
present exist contain | absent missing lack
necessary needed | unnecessary needless superfluous dispensable
trust trusted believe | distrust mistrust doubt suspect
remember keep retain | forget lose
guarantee assure | deny
win | lose
support back endorse favor | oppose object
agree concur | disagree dissent
true correct right accurate | false wrong incorrect inaccurate mistaken
single sole one alone | several many multiple numerous various dozens hundreds
constant fixed unchanged same | variable changing changed varying
simple easy | complex complicated difficult hard
manual | automatic automated
local | remote global
precede before | succeed follow after
initial opening first | final closing last
ancestor parent | descendant child
sender payer buyer | recipient payee seller
creditor | debtor
plaintext readable clear | ciphertext unreadable
heavy | light
deep | shallow
dense | sparse
rich | poor
new fresh young recent | old stale aged ancient
direct immediate | indirect
explicit | implicit
exclusive sole | shared
active enabled running on | inactive idle disabled stopped off
continue proceed carry pursue pursued ongoing | cease stop halt abandon abandoned withdrawn stagnant
mandatory compulsory | recommended advised
stable released general | alpha beta experimental
approve confirm | veto reject
`;

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
