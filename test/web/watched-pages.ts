import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Test } from "tap";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";
import { startApp, type TestApp } from "../support/start-app.js";

/** Pages in a real browser that notes what leaves the machine, and a shop that sells what a stranger wrote. */

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What a stranger may put into a concept: nothing of it may run, and nothing may break the layout. */
export const HOSTILE = [
	"<script>window.ran = 1</script>",
	'"><img src=x onerror="window.ran=1">',
	"<style>*{display:none}</style>",
	"<svg onload=window.ran=1>",
	"[click](javascript:window.ran=1)",
	"&lt;b&gt; &#x3c;i&#x3e; &amp;",
	"\u202Egnirts desrever\u202C",
	"</title></textarea></script><script>window.ran=1</script>",
	"<iframe src='https://example.org/'></iframe>",
	`${"unbreakable".repeat(60)}`,
	"{{constructor.constructor('window.ran=1')()}}",
	"<!-- --!><math><mtext></form><form><mglyph><style></math><img src onerror=window.ran=1>",
];

/** A shop over the sample catalog and a graph of hostile concepts that answers for "stone". */
export async function openHostileShop(
	t: Test,
	options: Parameters<typeof startApp>[1],
): Promise<TestApp> {
	const shop = await startApp(t, options);
	const [first = ""] = HOSTILE;
	shop.app.catalog.put(
		makeGraph(
			{
				id: "hostile",
				slug: "hostile",
				title: first,
				description: HOSTILE.join(" "),
				about: HOSTILE.join("\n\n"),
				topics: HOSTILE,
				exampleQueries: HOSTILE.slice(0, 3),
				license: "javascript:window.ran=1",
			},
			HOSTILE.map((text, at) =>
				makeConcept({
					id: `hostile.c${at}`,
					path: `hostile/c${at}.md`,
					type: text.slice(0, 60),
					title: `${text} ${at}`,
					summary: `Stone ${text}`,
					evidence: [
						{
							articleId: `a${at}`,
							title: text,
							sourceUrl: at % 2 === 0 ? "javascript:window.ran=1" : "https://example.org/a",
							publishedAt: "2024-01-01",
							datePrecision: "day",
						},
					],
				}),
			),
		),
	);
	await shop.app.ready();
	return shop;
}

export interface Watched {
	readonly page: Page;
	readonly complaints: string[];
	readonly context: BrowserContext;
}

/** A window that notes what leaves the machine and what the console complains of. */
export async function watch(
	t: Test,
	browser: Browser,
	baseUrl: string,
	options: { colorScheme?: "light" | "dark"; width?: number; hasScripts?: boolean } = {},
): Promise<Watched> {
	const { colorScheme = "light", width = 1440, hasScripts = true } = options;
	const context = await browser.newContext({
		viewport: { width, height: 900 },
		colorScheme,
		javaScriptEnabled: hasScripts,
	});
	const page = await context.newPage();
	const complaints: string[] = [];
	page.on("console", (message) => {
		if (["error", "warning"].includes(message.type())) complaints.push(message.text());
	});
	page.on("pageerror", (error) => complaints.push(error.message));
	page.on("request", (request) => {
		if (!request.url().startsWith(baseUrl)) complaints.push(`left for ${request.url()}`);
	});
	t.teardown(() => context.close());
	return { page, complaints, context };
}

/** Content Security Policy forbids added scripts, so axe comes through the browser's own door. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
	await page.evaluate(readFileSync(AXE, "utf8"));
	return page.evaluate<string[]>(
		`axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 160)).join(" | ")))`,
	);
}

/** The elements that make a page wider than its window, outside of what scrolls by itself; none where it is not wider. */
export function findOverflow(page: Page): Promise<readonly string[]> {
	return page.evaluate<string[]>(`(() => {
		const { clientWidth, scrollWidth } = document.documentElement;
		if (scrollWidth <= clientWidth) return [];
		return [...document.querySelectorAll("main *, header *, footer *")]
			.filter((one) => one.getBoundingClientRect().right > clientWidth + 1)
			.slice(0, 4).map((one) => one.outerHTML.slice(0, 120));
	})()`);
}

/** Pictures of what was looked at, for who wants to see it: ignored by git, and made only where a folder is named. */
export async function keepLook(page: Page, name: string): Promise<void> {
	const { path } = whereKept(`${name.replace(/[^\w-]+/g, "-")}.png`);
	if (path !== undefined) await page.screenshot({ path, fullPage: true });
}

export function whereKept(name: string): { readonly path?: string } {
	const folder = process.env["PAGE_LOOKS"];
	return folder === undefined ? {} : { path: `${folder}/${name}` };
}
