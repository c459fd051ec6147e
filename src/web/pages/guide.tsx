import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type PageHead, renderPage, type Site } from "./layout.js";
import { toSafeHtml } from "./markdown.js";

/** The documentation that lies in the repository, served by the product, so that it fits the version that runs. */

const STEPS = [
	["tour", "docs/guide/tour.md", "Five-minute tour", "Start it and be its first customer."],
	[
		"sell-a-folder",
		"docs/guide/sell-a-folder.md",
		"Sell a folder",
		"From Markdown to a graph on sale, updates and the way back.",
	],
	["price-it", "docs/guide/price-it.md", "Price it", "Prices, shares of owners, refunds."],
	[
		"get-paid-in-usdc",
		"docs/guide/get-paid-in-usdc.md",
		"Get paid in USDC",
		"Payments on a chain, on this machine and on Base.",
	],
	["rest", "docs/guide/rest.md", "Connect over REST", "With curl and from TypeScript."],
	["a2a", "docs/guide/a2a.md", "Connect over A2A", "The card, a message, a task."],
	["connect-mcp", "docs/guide/mcp.md", "Connect over MCP", "Editors, assistants and tool calls."],
	["wallets", "docs/guide/wallets.md", "Connect a wallet", "Agents that pay without an account."],
	[
		"operate",
		"docs/guide/operate.md",
		"Operate it",
		"Every morning, others who operate it, backups.",
	],
	["security", "docs/guide/security.md", "Security", "Keys, leaks, what strangers reach."],
	[
		"search-and-answers",
		"docs/guide/search-and-answers.md",
		"How search and answers work",
		"With figures, and on which questions they were measured.",
	],
] as const;

const REFERENCE = [
	[
		"agents",
		"docs/agents.md",
		"Agent builders",
		"REST, A2A and MCP, what each answer means, and how to pay.",
	],
	[
		"client",
		"client/README.md",
		"The TypeScript client",
		"Limits, budgets, streams, jobs and receipts.",
	],
	["mcp", "docs/mcp.md", "MCP", "Profiles, tools, prices, OAuth."],
	["prices", "docs/prices.md", "Price book", "Every operation with its default price."],
	[
		"operations",
		"docs/operations.md",
		"Run a server",
		"Money on a chain, backups, several processes, proxies, alarms.",
	],
	[
		"configuration",
		"docs/configuration.md",
		"Configuration",
		"Every setting with flag, variable and default.",
	],
	["commands", "docs/commands.md", "Commands", "Every command of the operator."],
	[
		"upgrading",
		"docs/upgrading.md",
		"Upgrading",
		"What a new version asks of a data folder and a database.",
	],
	[
		"scale",
		"docs/scale.md",
		"Scale",
		"What 10, 100 and 1,000 processes need, and what breaks first.",
	],
] as const;

const CHAPTERS = [...STEPS, ...REFERENCE];

const SLUG_OF = new Map<string, string>(CHAPTERS.map(([slug, file]) => [file, slug]));

/** Addresses of the guide, for the sitemap. */
export const GUIDE_PATHS: readonly string[] = [
	"/guide",
	...CHAPTERS.map(([slug]) => `/guide/${slug}`),
];

/** `/guide`: the chapters, each with a line on what it is for. */
export function renderGuide(site: Site): string {
	const head: PageHead = {
		title: "Guide: how to sell, buy and run",
		description:
			"How to sell a folder of knowledge, connect an agent, get paid and run the server.",
		path: "/guide",
		section: "Guide",
	};
	return renderPage(
		site,
		head,
		<div class="wrap wrap-read section stack-5">
			<header class="stack-2">
				<h1>Guide</h1>
				<p class="lead">It belongs to the version that runs here, {site.version}.</p>
			</header>
			<section class="stack-2">
				<h2>Step by step</h2>
				<ChapterList chapters={STEPS} />
			</section>
			<section class="stack-2">
				<h2>Reference</h2>
				<ChapterList chapters={REFERENCE} />
			</section>
		</div>,
	);
}

function ChapterList({ chapters }: { readonly chapters: readonly (typeof CHAPTERS)[number][] }) {
	return (
		<ol class="stack plain">
			{chapters.map(([slug, , title, about]) => (
				<li key={slug}>
					<h3 class="h-panel">
						<a href={`/guide/${slug}`}>{title}</a>
					</h3>
					<p class="muted">{about}</p>
				</li>
			))}
		</ol>
	);
}

interface Chapter {
	readonly slug: string;
	readonly file: string;
	readonly title: string;
	readonly about: string;
}

export function findChapter(name: string): Chapter | undefined {
	const [slug, file, title, about] = CHAPTERS.find(([known]) => known === name) ?? [];
	return slug && file && title && about ? { slug, file, title, about } : undefined;
}

/** One chapter as a page. */
export function renderChapter(
	site: Site,
	packageRoot: string,
	{ slug, file, title, about }: Chapter,
): string {
	const markdown = readFileSync(join(packageRoot, file), "utf8");
	const head: PageHead = {
		title: `${title}: tollgraph guide`,
		description: about,
		path: `/guide/${slug}`,
		section: "Guide",
	};
	return renderPage(
		site,
		head,
		<div class="wrap wrap-wide section">
			<nav class="crumbs" aria-label="Breadcrumb">
				<ol>
					<li>
						<a href="/guide">Guide</a>
					</li>
					<li aria-current="page">{title}</li>
				</ol>
			</nav>
			<div class="split section">
				<article
					class="prose"
					dangerouslySetInnerHTML={{
						__html: toSafeHtml(markdown, { addressOf: (link) => toPageAddress(link, file) }),
					}}
				/>
				<nav class="toc sticky" aria-label="Chapters">
					{CHAPTERS.map(([name, , other]) => (
						<a key={name} href={`/guide/${name}`} aria-current={name === slug ? "page" : undefined}>
							{other}
						</a>
					))}
				</nav>
			</div>
		</div>,
	);
}

/** Where a link of a chapter leads among the pages; undefined for files that are not served. */
function toPageAddress(link: string, file: string): string | undefined {
	if (/^(https?:|#)/.test(link)) return link;
	const [path = "", anchor] = link.split("#");
	const slug = SLUG_OF.get(join(dirname(file), path));
	if (slug === undefined) return undefined;
	return `/guide/${slug}${anchor === undefined ? "" : `#${anchor}`}`;
}
