import type { SourceKind } from "../contract/contract.js";
import type { Evidence } from "../knowledge/knowledge.js";
import { toArticleAddress } from "./sources.js";

/** How near a source is to the origin of what it says: 1 the origin, 2 reviewed or reference works, 3 press and all others, 4 somebody with an interest. */
export type SourceTier = 1 | 2 | 3 | 4;

/** Who stands behind a source: the group its hosts belong to; the kind is unknown of hosts that no rule names. */
export interface Publisher {
	readonly owner: string;
	readonly tier: SourceTier;
	readonly kind?: SourceKind;
}

/**
 * Hosts that are known: `owner kind tier host[/first path segment] …`. 1 is the origin of what it publishes (standards
 * bodies, registries, projects on their own proposals), 2 peer-reviewed or reference works, 3 press, 4 companies that sell
 * what they write about. Whatever is not listed is 3: neither the origin nor known to have an interest.
 */
const TABLE = `
ietf standard 1 rfc-editor.org ietf.org datatracker.ietf.org iana.org iesg.org irtf.org
w3c standard 1 w3.org w3c.github.io w3c-ccg.github.io
whatwg standard 1 whatwg.org
nist standard 1 csrc.nist.gov nvlpubs.nist.gov
nist regulator 1 nist.gov
nvd regulator 2 nvd.nist.gov
cisa regulator 1 cisa.gov
mitre regulator 1 cve.org cve.mitre.org cwe.mitre.org attack.mitre.org
ecma standard 1 ecma-international.org tc39.es tc39.github.io github.com/tc39
iso standard 1 iso.org iec.ch
itu standard 1 itu.int
etsi standard 1 etsi.org 3gpp.org
ieee standard 1 standards.ieee.org
oasis standard 1 oasis-open.org docs.oasis-open.org
unicode standard 1 unicode.org
ethereum standard 1 eips.ethereum.org ercs.ethereum.org ethereum.org github.com/ethereum
bitcoin standard 1 bips.dev github.com/bitcoin
python standard 1 peps.python.org python.org docs.python.org github.com/python
rust standard 1 rust-lang.github.io rust-lang.org doc.rust-lang.org github.com/rust-lang
kubernetes standard 1 kubernetes.io github.com/kubernetes
openapi standard 1 spec.openapis.org openapis.org github.com/OAI
jsonrpc standard 1 jsonrpc.org
json-schema standard 1 json-schema.org
mcp standard 1 modelcontextprotocol.io github.com/modelcontextprotocol
a2a standard 1 a2a-protocol.org github.com/a2aproject
openid standard 1 openid.net
fido standard 1 fidoalliance.org
cabforum standard 1 cabforum.org
mlcommons standard 1 mlcommons.org docs.mlcommons.org
schema-org standard 1 schema.org
semver standard 1 semver.org
spdx standard 1 spdx.org spdx.dev
owasp reference 2 owasp.org
eu-law law 1 eur-lex.europa.eu
eu regulator 1 europa.eu
us-law law 1 congress.gov govinfo.gov ecfr.gov uscode.house.gov supremecourt.gov
us-government regulator 1 sec.gov federalregister.gov bls.gov bea.gov census.gov treasury.gov eia.gov epa.gov ftc.gov hhs.gov ada.gov section508.gov access-board.gov commerce.gov noaa.gov fred.stlouisfed.org frbservices.org
statistics regulator 1 worldbank.org imf.org oecd.org un.org who.int bis.org ecb.europa.eu federalreserve.gov
ipcc reference 2 ipcc.ch
unfccc law 1 unfccc.int
iea regulator 2 iea.org
ilo regulator 1 ilo.org
arxiv reference 2 arxiv.org
acm peer-reviewed 2 acm.org dl.acm.org
ieee-papers peer-reviewed 2 ieeexplore.ieee.org
usenix peer-reviewed 2 usenix.org
springer peer-reviewed 2 springer.com link.springer.com nature.com
elsevier peer-reviewed 2 sciencedirect.com
aclweb peer-reviewed 2 aclanthology.org
pmlr peer-reviewed 2 proceedings.mlr.press jmlr.org
neurips peer-reviewed 2 neurips.cc papers.nips.cc openreview.net
iacr peer-reviewed 2 eprint.iacr.org iacr.org
plos peer-reviewed 2 plos.org journals.plos.org
pubmed peer-reviewed 2 pubmed.ncbi.nlm.nih.gov ncbi.nlm.nih.gov
science peer-reviewed 2 science.org pnas.org
doi peer-reviewed 2 doi.org
wikimedia reference 2 wikipedia.org en.wikipedia.org wikidata.org
britannica reference 2 britannica.com
mdn reference 2 developer.mozilla.org
reuters press 3 reuters.com
ap press 3 apnews.com
bbc press 3 bbc.com bbc.co.uk
nyt press 3 nytimes.com
guardian press 3 theguardian.com
ft press 3 ft.com
wsj press 3 wsj.com
bloomberg press 3 bloomberg.com
conde-nast press 3 arstechnica.com wired.com
theregister press 3 theregister.com
lwn press 3 lwn.net
techcrunch press 3 techcrunch.com
microsoft vendor 4 microsoft.com learn.microsoft.com msrc.microsoft.com azure.microsoft.com
google vendor 4 google.com cloud.google.com blog.google developers.google.com security.googleblog.com
amazon vendor 4 aws.amazon.com amazon.com docs.aws.amazon.com
apple vendor 4 apple.com developer.apple.com
meta vendor 4 meta.com ai.meta.com facebook.com engineering.fb.com
openai vendor 4 openai.com
anthropic vendor 4 anthropic.com
cloudflare vendor 4 cloudflare.com blog.cloudflare.com
coinbase vendor 4 coinbase.com docs.cdp.coinbase.com x402.org github.com/coinbase
circle vendor 4 circle.com
stripe vendor 4 stripe.com docs.stripe.com
fortinet vendor 4 fortinet.com fortiguard.com
cisco vendor 4 cisco.com
paloalto vendor 4 paloaltonetworks.com unit42.paloaltonetworks.com
ivanti vendor 4 ivanti.com
vmware vendor 4 vmware.com broadcom.com
oracle vendor 4 oracle.com
ibm vendor 4 ibm.com
elastic vendor 4 elastic.co
pinecone vendor 4 pinecone.io
`;

const PUBLISHERS = new Map<string, Publisher>();
for (const line of TABLE.trim().split("\n")) {
	const [owner = "", kind = "reference", tier = "3", ...hosts] = line.split(" ");
	const publisher = { owner, kind: kind as SourceKind, tier: Number(tier) as SourceTier };
	for (const host of hosts) PUBLISHERS.set(host, publisher);
}

/** Second-level names under which others register: `bbc.co.uk` is one owner, `co.uk` is none. */
const SHARED_SUFFIX = /^(?:co|com|org|net|gov|ac|edu|ne|or|go)\.[a-z]{2}$/;
/** Hosts whose paths or names belong to many owners. */
const HOSTING =
	/^(?:github\.com|gitlab\.com|codeberg\.org|bitbucket\.org|medium\.com|substack\.com)$/;

/** Filings at the SEC are the filer's: the commission keeps them, and each company answers for its own. */
const FILING = /^https?:\/\/(?:www\.)?sec\.gov\/Archives\/edgar\/data\/0*(\d+)(?:\/|$)/i;

/** Who stands behind a source, and how near it is to the origin. */
export function findPublisher({ sourceUrl }: Pick<Evidence, "sourceUrl">): Publisher {
	const filer = FILING.exec(sourceUrl)?.[1];
	if (filer !== undefined) return { owner: `sec.gov/${filer}`, kind: "vendor", tier: 1 };
	const host = toArticleAddress(sourceUrl)?.host.replace(/:\d+$/, "") ?? "";
	const first = URL.canParse(sourceUrl) ? (new URL(sourceUrl).pathname.split("/")[1] ?? "") : "";
	const known = PUBLISHERS.get(`${host}/${first}`) ?? knownHost(host);
	if (known) return known;
	const domain = registrableDomain(host);
	return { owner: HOSTING.test(host) ? `${host}/${first.toLowerCase()}` : domain, tier: 3 };
}

function knownHost(host: string): Publisher | undefined {
	const labels = host.split(".");
	for (let from = 0; from < labels.length - 1; from++) {
		const publisher = PUBLISHERS.get(labels.slice(from).join("."));
		if (publisher) return publisher;
	}
	return undefined;
}

/** The part of a host that was registered: without a list of public suffixes, two labels or three. */
function registrableDomain(host: string): string {
	const labels = host.split(".");
	const last = labels.slice(-2).join(".");
	return SHARED_SUFFIX.test(last) || last.endsWith(".github.io") || /^github\.io$/.test(last)
		? labels.slice(-3).join(".")
		: last;
}

/** Kinds that one public body publishes side by side: which of them a document is, its graph says. */
const OFFICIAL: ReadonlySet<SourceKind | undefined> = new Set(["standard", "law", "regulator"]);

/**
 * What kind of thing a source is: as its host is known, else as the owner of the graph declares it, so that no page
 * becomes a standard where its host says otherwise. Undefined where neither says.
 */
export function sourceKindOf(source: Pick<Evidence, "sourceUrl" | "kind">): SourceKind | undefined {
	const { kind } = findPublisher(source);
	return OFFICIAL.has(kind) && OFFICIAL.has(source.kind) ? source.kind : (kind ?? source.kind);
}
