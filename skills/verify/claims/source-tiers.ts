import {
	type CitedSentence,
	contentTerms,
	jaccard,
	toArticleAddress,
} from "../../../src/evidence/evidence.js";
import type { Evidence } from "../../../src/knowledge/knowledge.js";
import type { SourceTier } from "./verification.js";

/** A publisher, and the group its hosts belong to. */
type Publisher = { readonly owner: string; readonly tier: SourceTier };

/**
 * Hosts whose kind is known: `owner tier host[/first path segment] …`. 1 is the origin of what it publishes (standards
 * bodies, registries, projects on their own proposals), 2 peer-reviewed or reference works, 3 press, 4 companies that sell
 * what they write about. Whatever is not listed is 3: neither the origin nor known to have an interest.
 */
const TABLE = `
ietf 1 rfc-editor.org ietf.org datatracker.ietf.org iana.org iesg.org irtf.org
w3c 1 w3.org w3c.github.io w3c-ccg.github.io
whatwg 1 whatwg.org
nist 1 nist.gov csrc.nist.gov
nvd 2 nvd.nist.gov
cisa 1 cisa.gov
mitre 1 cve.org cve.mitre.org cwe.mitre.org attack.mitre.org
ecma 1 ecma-international.org tc39.es tc39.github.io github.com/tc39
iso 1 iso.org iec.ch
itu 1 itu.int
etsi 1 etsi.org 3gpp.org
ieee 1 standards.ieee.org
oasis 1 oasis-open.org docs.oasis-open.org
unicode 1 unicode.org
ethereum 1 eips.ethereum.org ercs.ethereum.org ethereum.org github.com/ethereum
bitcoin 1 bips.dev github.com/bitcoin
python 1 peps.python.org python.org docs.python.org github.com/python
rust 1 rust-lang.github.io rust-lang.org doc.rust-lang.org github.com/rust-lang
kubernetes 1 kubernetes.io github.com/kubernetes
openapi 1 spec.openapis.org openapis.org github.com/OAI
jsonrpc 1 jsonrpc.org
json-schema 1 json-schema.org
mcp 1 modelcontextprotocol.io github.com/modelcontextprotocol
a2a 1 a2a-protocol.org github.com/a2aproject
openid 1 openid.net
fido 1 fidoalliance.org
cabforum 1 cabforum.org
mlcommons 1 mlcommons.org docs.mlcommons.org
schema-org 1 schema.org
semver 1 semver.org
spdx 1 spdx.org spdx.dev
owasp 2 owasp.org
eu 1 europa.eu eur-lex.europa.eu
us-government 1 sec.gov federalregister.gov congress.gov govinfo.gov bls.gov census.gov treasury.gov
statistics 1 worldbank.org imf.org oecd.org un.org who.int bis.org ecb.europa.eu federalreserve.gov
arxiv 2 arxiv.org
acm 2 acm.org dl.acm.org
ieee-papers 2 ieeexplore.ieee.org
usenix 2 usenix.org
springer 2 springer.com link.springer.com nature.com
elsevier 2 sciencedirect.com
aclweb 2 aclanthology.org
pmlr 2 proceedings.mlr.press jmlr.org
neurips 2 neurips.cc papers.nips.cc openreview.net
iacr 2 eprint.iacr.org iacr.org
plos 2 plos.org journals.plos.org
pubmed 2 pubmed.ncbi.nlm.nih.gov ncbi.nlm.nih.gov
science 2 science.org pnas.org
doi 2 doi.org
wikimedia 2 wikipedia.org en.wikipedia.org wikidata.org
britannica 2 britannica.com
mdn 2 developer.mozilla.org
reuters 3 reuters.com
ap 3 apnews.com
bbc 3 bbc.com bbc.co.uk
nyt 3 nytimes.com
guardian 3 theguardian.com
ft 3 ft.com
wsj 3 wsj.com
bloomberg 3 bloomberg.com
conde-nast 3 arstechnica.com wired.com
theregister 3 theregister.com
lwn 3 lwn.net
techcrunch 3 techcrunch.com
microsoft 4 microsoft.com learn.microsoft.com msrc.microsoft.com azure.microsoft.com
google 4 google.com cloud.google.com blog.google developers.google.com security.googleblog.com
amazon 4 aws.amazon.com amazon.com docs.aws.amazon.com
apple 4 apple.com developer.apple.com
meta 4 meta.com ai.meta.com facebook.com engineering.fb.com
openai 4 openai.com
anthropic 4 anthropic.com
cloudflare 4 cloudflare.com blog.cloudflare.com
coinbase 4 coinbase.com docs.cdp.coinbase.com x402.org github.com/coinbase
circle 4 circle.com
stripe 4 stripe.com docs.stripe.com
fortinet 4 fortinet.com fortiguard.com
cisco 4 cisco.com
paloalto 4 paloaltonetworks.com unit42.paloaltonetworks.com
ivanti 4 ivanti.com
vmware 4 vmware.com broadcom.com
oracle 4 oracle.com
ibm 4 ibm.com
elastic 4 elastic.co
pinecone 4 pinecone.io
`;

const PUBLISHERS = new Map<string, Publisher>();
for (const line of TABLE.trim().split("\n")) {
	const [owner = "", tier = "3", ...hosts] = line.split(" ");
	for (const host of hosts) PUBLISHERS.set(host, { owner, tier: Number(tier) as SourceTier });
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
	if (filer !== undefined) return { owner: `sec.gov/${filer}`, tier: 1 };
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

/** The best tier among sources; 3 where there are none. */
export function bestTier(sources: readonly Evidence[]): SourceTier {
	const tiers = sources.map((source) => findPublisher(source).tier);
	return tiers.length === 0 ? 3 : (Math.min(...tiers) as SourceTier);
}

/** Share of words in common from which two sentences count as one. */
const SAME_TEXT = 0.8;

/**
 * Groups sentences whose evidence is not independent: one cited document, one owner of the sources, or nearly the same
 * words. Answers a group's number, from 1, for each; sentences of one group count once.
 */
export function groupByOrigin(sentences: readonly CitedSentence[]): readonly number[] {
	const parents = sentences.map((_, index) => index);
	const find = (index: number): number => {
		let root = index;
		while (parents[root] !== root) root = parents[root] ?? root;
		return root;
	};
	const firstWith = new Map<string, number>();
	const terms: ReadonlySet<string>[] = [];
	for (const [index, sentence] of sentences.entries()) {
		for (const origin of originsOf(sentence)) {
			const first = firstWith.get(origin);
			if (first === undefined) firstWith.set(origin, index);
			else parents[find(index)] = find(first);
		}
		const own = contentTerms(sentence.text);
		for (const [other, known] of terms.entries()) {
			if (jaccard(own, known) >= SAME_TEXT) parents[find(index)] = find(other);
		}
		terms.push(own);
	}
	const roots = sentences.map((_, index) => find(index));
	const inOrder = [...new Set(roots)];
	return roots.map((root) => inOrder.indexOf(root) + 1);
}

/** A sentence with several owners behind it joins none of their groups but those of its documents. */
function originsOf({ sources }: CitedSentence): readonly string[] {
	const documents = sources.flatMap(({ sourceUrl }) => toArticleAddress(sourceUrl)?.text ?? []);
	const owners = new Set(sources.map((source) => findPublisher(source).owner));
	const [only, ...more] = owners;
	return more.length === 0 && only !== undefined ? [...documents, `owner ${only}`] : documents;
}
