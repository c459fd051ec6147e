/**
 * Words of technical English that stand for each other in most sentences, one group a line. Data, written by hand from
 * general usage; verbs in their base form, for words are compared by their stems.
 */
export const SYNONYMS = `
define specify describe standardise standardize codify determine
publish release issue appear date print
replace supersede obsolete supplant succeed substitute
limit cap bound restrict ceiling maximum most
use employ apply utilise utilize
make produce generate build yield create
show demonstrate prove reveal indicate find report
size length large big long
propose suggest proposal draft
author writer write
check verify validate test examine inspect validation verification
send transmit deliver emit submit
change modify alter amend edit update mutate
burn destroy
part component piece portion
flaw vulnerability weakness bug hole defect
cost price charge fee
sign signature signer
store save retain keep storage hold remember persist
split divide separate
merge combine join fuse unite
row entry record
dataset corpus collection
vendor company maker manufacturer supplier
introduce bring add launch debut
begin start open commence initial
end finish complete completion terminate conclude over finished
need require demand oblige obligation duty must mandate prescribe obligatory mandatory compulsory necessary
allow permit let enable authorize authorize
have contain include hold carry comprise consist
overlook miss ignore forget lose
middle halfway midway centre center between
quarrel dispute controversy argument debate conflict
role position post job office
leave remain stay
resign quit retire
person human people individual somebody single one man
fetch download retrieve load obtain get
poll query ask request
fast quick rapid speedy
slow slowness sluggish
clear delete erase remove wipe discard drop
steal theft thief stolen
spend pay payment
expire expiry expiration lapse lifetime
last duration lifetime valid endure
apart distinct separate disjoint
influence control affect
remote server
execute run execution code
attacker adversary extortionist attackers criminal
influence impact
range interval span
sequence series order
replay resend again repeat reuse
derive derivation based come originate
activate activation ship live deploy effect enter force
fork upgrade hardfork
grow growth add addition increase
share portion fraction percentage proportion
flag mark label tag known
guarantee promise assure ensure
fail failure error abort fatal break
forbid prohibit ban disallow bar prohibition
reject refuse decline deny refusal
abandon withdraw withdrawn
cease stop halt
maintain maintenance preserve
equal same identical equivalent
different differ other distinct
hash digest fingerprint checksum
encrypt encryption cipher encipher
key secret
password passphrase
token credential
client browser
node participant peer
block slot
website site page
field header parameter attribute member
message packet request
document specification standard text
method technique approach procedure way
fact information knowledge detail
prompt input context
accurate accuracy precise precision
improve improvement better enhance boost outperform exceed beat
worse worsen harm hurt degrade damage degradation
irrelevant unrelated random
recent new fresh latest
old early former previous
owner holder
recipient receiver payee audience
sender payer
issuer authority
mistake slip typo error
guess predict estimate
group team committee sig
meeting meet
vote election elect elected ballot
member seat sit
found founded establish
translate translation convert conversion
opaque
tell say state declare announce
tenth ten
compress compression compact squeeze
shrink reduce reduction
table register registry
poll interval
default unless otherwise
nothing none
prefix begin
carry transport transfer
call invoke invocation
throw raise
future promise
lazy deferred
nested inner
simultaneous concurrent parallel together
sign-up register registration
user person
finding discovery discover
source origin
address location
random arbitrary
memory ram
step stage phase
split shard
measure metric
experiment study trial
rank order sort
match correspond fit
tie bind bound attach link
`;

/** Words and their opposites, one pair of groups a line. */
export const OPPOSITES = `
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
`;
