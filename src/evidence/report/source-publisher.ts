/** Building blocks of reports: findings, contradictions, timelines, sources and how they are written down. */
import { toArticleAddress } from "../article-address.js";

/** Second-level names under which countries register: `example.co.uk`. */
const SHARED_SECOND = /^(?:ac|co|com|edu|gob|gouv|gov|ne|net|or|org)$/;
/** Hosts where everybody publishes under their own name: who is behind a page is told by the path or the first label. */
const HOSTS_OF_MANY: ReadonlySet<string> = new Set(["github.com", "gitlab.com", "medium.com"]);
const DOMAINS_OF_MANY: ReadonlySet<string> = new Set(["github.io", "gitlab.io", "substack.com"]);

/**
 * Who publishes a page, as far as its address tells: the registrable domain (two labels, three below `co.uk` and its like),
 * and the account on hosts where many publish. Pages of one publisher count as one independent source.
 */
export function publisherOf(sourceUrl: string): string {
	const address = toArticleAddress(sourceUrl);
	if (!address) return sourceUrl;
	const host = address.host.replace(/:\d+$/, "");
	const labels = host.split(".");
	const depth =
		SHARED_SECOND.test(labels.at(-2) ?? "") && (labels.at(-1)?.length ?? 0) === 2 ? 3 : 2;
	const domain = /^[\d.]+$|\[/.test(host) ? host : labels.slice(-depth).join(".");
	if (DOMAINS_OF_MANY.has(domain)) return labels.slice(-3).join(".");
	if (!HOSTS_OF_MANY.has(domain)) return domain;
	const [, account = ""] = address.text.split("/");
	return `${domain}/${account.toLowerCase()}`;
}
