import { createHash } from "node:crypto";

/** What tells readers apart, never pages. */
const TRACKING = /^(?:utm_\w+|fbclid|gclid|dclid|msclkid|mc_cid|mc_eid|igshid)$/i;
const REF_DIGITS = 20;

/** An address as articles are told apart by it. */
export interface ArticleAddress {
	/** Lower case, without `www.`; with a port that is not the scheme's own. */
	readonly host: string;
	/** Host, path and query: without scheme, fragment, closing slash and what only counts visitors. */
	readonly text: string;
}

/** Undefined for a text that is no http(s) address. */
export function toArticleAddress(sourceUrl: string): ArticleAddress | undefined {
	const url = URL.canParse(sourceUrl) ? new URL(sourceUrl) : undefined;
	if (!url || !/^https?:$/.test(url.protocol) || url.host === "") return undefined;
	const host = url.host.replace(/^www\./, "");
	const kept = [...url.searchParams].filter(([name]) => !TRACKING.test(name));
	const query = kept.length > 0 ? `?${new URLSearchParams(kept)}` : "";
	return { host, text: `${host}${url.pathname.replace(/\/+$/, "")}${query}` };
}

/** `art_` and the beginning of the address's sha256; undefined for a text that is no http(s) address. */
export function toArticleRef(sourceUrl: string): string | undefined {
	const address = toArticleAddress(sourceUrl);
	return address && refOf(address);
}

export function refOf({ text }: ArticleAddress): string {
	return `art_${createHash("sha256").update(text).digest("hex").slice(0, REF_DIGITS)}`;
}
