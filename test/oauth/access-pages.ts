import type { Browser, Visited } from "./cookie-browser.js";

/** What an owner does on the pages that ask for access: sign in, agree with a budget, or decline. */

export function csrfOf(text: string): string {
	return /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";
}

export function submitKey(browser: Browser, { url, text }: Visited, key: string): Promise<Visited> {
	return browser.post(url, { csrf: csrfOf(text), key, step: "login" });
}

export function submitBudget(
	browser: Browser,
	{ url, text }: Visited,
	budget: string,
): Promise<Visited> {
	return browser.post(url, { csrf: csrfOf(text), budget, step: "agree" });
}

export function submitDecline(browser: Browser, { url, text }: Visited): Promise<Visited> {
	return browser.post(url, { csrf: csrfOf(text), step: "decline" });
}
