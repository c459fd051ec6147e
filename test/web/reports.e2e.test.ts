import type { Browser, Page } from "playwright-core";
import t, { type Test } from "tap";
import { extractText, getDocumentProxy } from "unpdf";
import { toBriefingMail, toConfirmationMail } from "../../skills/briefings/briefing-mails.js";
import type { BriefingWire } from "../../skills/briefings/schedule-wire.js";
import { startMailServer } from "../jobs/mail-server.js";
import { findChromium, openBrowser } from "../support/browser.js";
import { manualClock } from "../support/manual-clock.js";
import type { TestApp } from "../support/start-app.js";
import {
	findOverflow,
	HOSTILE,
	keepLook,
	openHostileShop,
	violationsOf,
	watch,
	whereKept,
} from "./watched-pages.js";

const SELLER = {
	name: HOSTILE[0] ?? "",
	address: "1 Example Street, Berlin",
	country: "DE",
	vatId: "DE123456789",
	vatBasisPoints: 1_900,
};

const SEARCH = "/v1/graphs/agent-payments/search";
const TOPIC = "Gasless transfers with signed authorizations";
const QUERY = "How do agents pay for what they call?";
const LOOKS = (["light", "dark"] as const).flatMap((colorScheme) =>
	[360, 1440].map((width) => ({ colorScheme, width })),
);

const SENT_WITH_401 = /status of 401/;

const TERMS = {
	service: "tollgraph at shop.example",
	when: "Mondays, 08:00 UTC",
	weekUsd: "10.00",
	unsubscribeUrl: "https://shop.example/stop",
};

const executablePath = findChromium();
const browser = executablePath === undefined ? undefined : await openBrowser(t, executablePath);
if (browser) {
	const shop = await openShop(t);
	testReports(shop, browser);
	testGate(shop, browser);
	testConsent(shop, browser);
	testMails(browser);
	testRefusals(shop, browser);
} else {
	t.plan(0, "No Chromium in PATH that starts here; Debian's package chromium brings one.");
}

interface Shop extends TestApp {
	readonly clock: ReturnType<typeof manualClock>;
	readonly mails: Awaited<ReturnType<typeof startMailServer>>["mails"];
	/** Secret that paid for everything, and manages its account. */
	readonly key: string;
	/** Paths of pages of everything that was paid for. */
	readonly reports: Readonly<Record<"dossier" | "hostile" | "dive" | "brand" | "invoice", string>>;
	ask(method: string, path: string, body?: object): ReturnType<TestApp["send"]>;
}

/** One of each report, paid for by one account, and the same asked of hostile concepts. */
async function openShop(t: Test): Promise<Shop> {
	const clock = manualClock("2026-04-01T06:00:00Z");
	const mail = await startMailServer(t);
	const app = await openHostileShop(t, {
		clock,
		settings: {
			model: "none",
			seller: SELLER,
			mail: { url: mail.url, from: "Briefings <briefings@shop.example>" },
		},
	});
	const { key, account_id: account } = await app.app.operator.createKey({ usd: "900.00" });
	const ask: Shop["ask"] = (method, path, body) =>
		app.send(path, {
			method,
			headers: { "X-API-Key": key, "Content-Type": "application/json" },
			...(body && { body: JSON.stringify(body) }),
		});
	const paid = async (path: string, body: object) => {
		const reply = await ask("POST", path, body);
		// An assertion here would end the file before its tests begin.
		if (reply.status >= 300) throw new Error(JSON.stringify(reply.body).slice(0, 300));
		return reply.body.data;
	};
	// A month with charges that is over, and so has an invoice.
	await app.app.store.transaction((tx) =>
		tx.put("quotas", { id: `${account}|2026-04`, used: 100, expiresAt: 4e12 }),
	);
	for (const query of ["payment", "402"]) await ask("POST", SEARCH, { query, limit: 1 });
	clock.set("2026-05-02T12:00:00Z");
	const [invoice] = (await ask("GET", "/v1/account/invoices")).body.data.items;
	const dossier = await paid("/v1/intelligence/dossier", { topic: TOPIC });
	const hostile = await paid("/v1/intelligence/dossier", { topic: "stone", graphs: ["hostile"] });
	const brand = await paid("/v1/brand-intelligence/Apple", {});
	const dive = await paid("/v1/research/deep-dive", { query: QUERY });
	for (let tries = 0; tries < 600; tries++) {
		const { status } = (await ask("GET", dive.links.status)).body.data;
		if (status === "completed") break;
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
	return {
		...app,
		...{ clock, key, ask, mails: mail.mails },
		reports: {
			dossier: `/reports/${dossier.dossier_id}`,
			hostile: `/reports/${hostile.dossier_id}`,
			dive: `/reports/${dive.job_id}`,
			brand: `/reports/${brand.report_id}`,
			invoice: `/reports/${invoice.invoice_id}`,
		},
	};
}

/** Opens a report as a person does, who has a key and no program. */
async function open(page: Page, { baseUrl, key }: Shop, path: string): Promise<void> {
	await page.goto(`${baseUrl}${path}`);
	await page.getByLabel("Token or API key").fill(key);
	await page.getByRole("button", { name: "Open, free" }).click();
	await page.locator("article h1").waitFor();
}

function testReports(shop: Shop, browser: Browser): void {
	for (const look of LOOKS) {
		t.test(`reports are for everybody, ${look.colorScheme}, ${look.width} wide`, async (t) => {
			const { page, complaints } = await watch(t, browser, shop.baseUrl, look);
			for (const [name, path] of Object.entries(shop.reports)) {
				await open(page, shop, path);
				t.same(await violationsOf(page), [], name);
				t.same(await findOverflow(page), [], `${name} is not wider than its window`);
				t.equal(await page.evaluate("window.ran"), undefined, `${name}: nothing of others runs`);
				t.equal(await page.locator("article [href^='javascript']").count(), 0, name);
				await keepLook(page, `${name}-${look.colorScheme}-${look.width}`);
			}
			t.same(
				complaints.filter((text) => !SENT_WITH_401.test(text)),
				[],
			);
		});
	}

	t.test("reports read without a script", async (t) => {
		const { page, complaints } = await watch(t, browser, shop.baseUrl, { hasScripts: false });
		for (const [name, path] of Object.entries(shop.reports)) {
			await open(page, shop, path);
			t.equal(await page.locator("h1:visible").count(), 1, name);
			t.equal(await page.locator(".needs-js:visible").count(), 0, `${name}: nothing dead is shown`);
		}
		t.same(
			complaints.filter((text) => !SENT_WITH_401.test(text)),
			[],
		);
	});

	t.test(
		"printed, a report has its title, its pages counted and the address of each source",
		async (t) => {
			const { page } = await watch(t, browser, shop.baseUrl, { colorScheme: "dark" });
			for (const name of ["dossier", "dive", "brand", "hostile"] as const) {
				await open(page, shop, shop.reports[name]);
				const [title = ""] = await page.locator("h1").allTextContents();
				const addresses = await page
					.locator(".refs a")
					.evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
				const pages = await print(page, name);
				t.ok(pages.length > 1, `${name}: ${pages.length} pages`);
				const bare = pages.map((text) => text.replace(/\s+/g, ""));
				for (const [at, text] of bare.entries()) {
					t.match(text, `Page${at + 1}of${pages.length}`);
					t.ok(text.includes(title.slice(0, 20).replace(/\s+/g, "")), "its title is on every page");
				}
				const all = bare.join("").replace(/tollgraphPage\d+of\d+/g, "");
				for (const address of addresses) t.ok(all.includes(`<${address}>`), address);
				t.notMatch(
					all,
					/PrintorsaveasPDF|Playground|Foragents/,
					"what is no part of it stays away",
				);
			}
			await open(page, shop, shop.reports.invoice);
			const [invoice = "", ...more] = await print(page, "invoice");
			t.same(more, [], "an invoice is one page");
			for (const part of [
				/INV-000001/,
				/graphs\.search/,
				/VAT number DE123456789/,
				/Total 0\.50/,
				/VAT 19 %/,
			])
				t.match(invoice, part);
		},
	);

	t.test("a report as a file is the same page, and needs nothing else", async (t) => {
		const { page, complaints } = await watch(t, browser, "about:", { width: 360 });
		for (const path of [
			`/v1/intelligence/dossiers/${idOf(shop.reports.hostile)}/export?format=html`,
			`/v1/research/deep-dive/${idOf(shop.reports.dive)}/export?format=html`,
		]) {
			const { body } = await shop.ask("GET", path);
			await page.setContent(String(body));
			t.same(await violationsOf(page), []);
			t.same(await findOverflow(page), []);
			t.equal(await page.evaluate("window.ran"), undefined);
		}
		t.same(complaints, []);
	});
}

const idOf = (path: string): string => path.slice("/reports/".length);

/** Its pages as text. */
async function print(page: Page, name: string): Promise<readonly string[]> {
	const bytes = await page.pdf({
		format: "A4",
		preferCSSPageSize: true,
		...whereKept(`${name}.pdf`),
	});
	const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)));
	return text;
}

function testGate(shop: Shop, browser: Browser): void {
	t.test("a report is opened by what paid for it, and by nothing else", async (t) => {
		const { page } = await watch(t, browser, shop.baseUrl, { hasScripts: false });
		const { token } = await shop.issueSpt("5");
		await page.goto(`${shop.baseUrl}${shop.reports.dossier}`);
		for (const [wrong, says] of [
			[token, /No dossier of yours/],
			["sk_live_thisKeyIsNobodysThisKeyIsNobodysThisKeyIsN", /not known here/],
			["rubbish", /neither an API key/],
		] as const) {
			await page.getByLabel("Token or API key").fill(wrong);
			await page.getByRole("button", { name: "Open, free" }).click();
			t.match(await page.getByRole("alert").textContent(), says);
			t.notMatch(await page.content(), wrong, "what was typed does not come back");
			t.equal(await page.locator("article").count(), 0);
		}
	});

	t.test("the playground leads from a reply to its page", async (t) => {
		const { page } = await watch(t, browser, shop.baseUrl);
		await page.goto(`${shop.baseUrl}/docs/intelligence.dossier`);
		await page.locator("#f-body-topic").fill(TOPIC);
		await page.locator("#ask-token").fill(shop.key);
		await page.getByRole("button", { name: "Pay and send" }).click();
		const opened = page.waitForEvent("popup");
		await page.getByRole("button", { name: "Open as a page, to print or save" }).click();
		const report = await opened;
		await report.getByRole("heading", { level: 1, name: TOPIC }).waitFor();
		t.notMatch(report.url(), shop.key, "no address holds the key");
	});

	t.test("what asks for the credential is for everybody", async (t) => {
		for (const look of LOOKS) {
			const { page } = await watch(t, browser, shop.baseUrl, look);
			await page.goto(`${shop.baseUrl}${shop.reports.brand}`);
			t.same(await violationsOf(page), []);
			t.same(await findOverflow(page), []);
			await keepLook(page, `gate-${look.colorScheme}-${look.width}`);
		}
	});

	t.test("without a credential nothing says whether there is such a report", async (t) => {
		const known = await shop.send(shop.reports.dossier);
		const unknown = await shop.send("/reports/dos_01kg9yz3v0f6x2m8q4t7w1ab2c");
		t.equal(known.status, 401);
		t.equal(unknown.status, 401);
		const strip = (text: string) => text.replace(/dos_\w+/g, "");
		t.equal(strip(known.body), strip(unknown.body));
		t.match(known.headers.get("cache-control"), /no-store/);
		t.equal((await shop.send("/reports/xyz_1")).status, 404);
	});

	t.test("keys that are guessed on the form are counted as those in headers", async (t) => {
		const guess = (at: number) =>
			shop.send(shop.reports.dossier, {
				method: "POST",
				body: new URLSearchParams({ token: `sk_live_guess${at}` }),
			});
		const statuses = new Set<number>();
		for (let at = 0; at < 80 && !statuses.has(429); at++) statuses.add((await guess(at)).status);
		t.ok(statuses.has(401) && statuses.has(429), [...statuses].join(" "));
	});
}

function testConsent(shop: Shop, browser: Browser): void {
	const order = async (email: string, topic: string) => {
		const body = { topic, frequency: "weekly", email, timezone: "Europe/Berlin", hour: 7 };
		const { body: made } = await shop.ask("POST", "/v1/research/schedules", body);
		await shop.app.schedules.worker.tick();
		const mail = shop.mails.at(-1);
		const text = mail?.parts.get("text/plain") ?? "";
		const link = /https?:\S+confirm\?token=[\w-]+/.exec(text)?.[0] ?? "";
		const stateOf = async () =>
			(await shop.ask("GET", `/v1/research/schedules/${made.data.schedule_id}`)).body.data
				.channels[0].status;
		return { link, mail, stateOf };
	};

	t.test("a reader says yes on a page without a script, twice if it must be", async (t) => {
		const { page, complaints } = await watch(t, browser, shop.baseUrl, {
			hasScripts: false,
			width: 360,
		});
		const { link, stateOf } = await order("reader@example.org", "gasless transfers");
		await page.goto(link);
		t.equal(await stateOf(), "unconfirmed", "opening it changes nothing");
		const said = await page.locator("main").textContent();
		for (const part of [
			/every Monday\?/,
			/gasless transfers/,
			/07:00 Europe\/Berlin/,
			/r…@e…/,
			/10\.00 USD/,
			/tollgraph at /,
		])
			t.match(said, part);
		const [yes, no] = await Promise.all(
			["Yes, send it", "No, never ask again"].map((name) =>
				page.getByRole("button", { name }).boundingBox(),
			),
		);
		t.equal(yes?.width, no?.width);
		t.equal(yes?.height, no?.height, "yes and no are of one size");
		await page.getByRole("button", { name: "Yes, send it" }).click();
		await page.getByRole("heading", { name: "You get this briefing" }).waitFor();
		t.equal(await stateOf(), "ready");
		await page.goto(link);
		await page.getByRole("heading", { name: "You get this briefing" }).waitFor();
		const again = await shop.send(new URL(link).pathname + new URL(link).search, {
			method: "POST",
			headers: { Accept: "text/html" },
		});
		t.match(again, { status: 200, body: /You get this briefing/ }, "sent twice it does no harm");
		t.same(complaints, []);
	});

	t.test("a reader says no, and cannot be asked again", async (t) => {
		const { page } = await watch(t, browser, shop.baseUrl);
		const { link, mail, stateOf } = await order("other@example.org", HOSTILE[0] ?? "");
		t.match(mail?.headers.get("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
		for (const look of LOOKS) {
			const { page: seen, complaints } = await watch(t, browser, shop.baseUrl, look);
			await seen.goto(link);
			t.same(await violationsOf(seen), []);
			t.same(await findOverflow(seen), []);
			t.same(complaints, [], "nothing runs and nothing leaves");
			await keepLook(seen, `confirm-${look.colorScheme}-${look.width}`);
		}
		await page.goto(link);
		await page.getByRole("button", { name: "No, never ask again" }).click();
		await page.getByRole("heading", { name: "You get none of these briefings" }).waitFor();
		t.equal(await stateOf(), "unsubscribed");
		const body = { topic: "x", frequency: "daily", email: "other@example.org" };
		t.equal((await shop.ask("POST", "/v1/research/schedules", body)).status, 400);
		await page.goto(`${shop.baseUrl}/v1/research/schedules/confirm?token=AAAA`);
		t.match(
			await page.locator("main").textContent(),
			/This link has ended[\s\S]*Nothing has changed/,
		);
	});
}

/** A briefing that says nothing but what a stranger wrote. */
function hostileBriefing(): BriefingWire {
	const [topic = ""] = HOSTILE;
	const subjectOf = (title: string) => ({ trend_id: title, graph_id: "g", title });
	return {
		...{ topic, frequency: "weekly", as_of: "2026-05-04T08:00:00.000Z", since: null },
		...{ is_first: true, is_nothing_new: false, writer: "extractive", warnings: [] },
		changes: [],
		top: HOSTILE.map((text, at) => ({
			...subjectOf(text),
			what: { text, citation_ids: [at + 1] },
			why_it_matters: { text, citation_ids: [at + 1] },
		})),
		movers: HOSTILE.map((text) => ({ ...subjectOf(text), momentum: 1, recent: 2, before: 1 })),
		numbers: HOSTILE.map((text, at) => ({ text, citation_ids: [at + 1] })),
		watch_list: HOSTILE.map((text) => ({ ...subjectOf(text), reason: "draft", date: text })),
		citations: HOSTILE.map((text, at) => ({
			...{ n: at + 1, evidence_id: text, trend_id: text, article_id: text, title: text },
			source_url: at % 2 === 0 ? "javascript:window.ran=1" : `https://example.org/?${text}`,
			...{
				published_at: null,
				publisher: text,
				source_kind: null,
				excerpt: text,
				trust_tier: "unverified" as const,
				graph_id: "g",
			},
		})),
	} as BriefingWire;
}

function testMails(browser: Browser): void {
	const briefing = hostileBriefing();
	const terms = { ...TERMS, topic: briefing.topic };
	const mails = {
		briefing: toBriefingMail(briefing, terms),
		confirmation: toConfirmationMail(terms, "https://shop.example/confirm"),
	};
	for (const look of LOOKS) {
		t.test(
			`mails are text of others and nothing else, ${look.colorScheme}, ${look.width} wide`,
			async (t) => {
				const { page, complaints } = await watch(t, browser, "about:", look);
				for (const [name, { html = "", subject }] of Object.entries(mails)) {
					await page.setContent(html);
					t.same(await violationsOf(page), [], name);
					t.same(await findOverflow(page), [], name);
					t.equal(await page.evaluate("window.ran"), undefined, `${name}: nothing of others runs`);
					t.equal(await page.locator("img, svg, iframe, script, [href^='javascript']").count(), 0);
					t.notMatch(subject, /[\r\n\u202e]/);
					await keepLook(page, `mail-${name}-${look.colorScheme}-${look.width}`);
				}
				t.same(complaints, [], "and nothing is fetched");
			},
		);
	}
}

function testRefusals(shop: Shop, browser: Browser): void {
	for (const look of LOOKS) {
		t.test(`refusals are pages for people, ${look.colorScheme}, ${look.width} wide`, async (t) => {
			const { page, complaints } = await watch(t, browser, shop.baseUrl, look);
			for (const [path, status] of [
				["/v1/graphs/agent-payments/nodes?limit=5", 402],
				["/v1/graphs/no-such-graph/nodes", 404],
				["/no/such/page", 404],
				["/v1/account", 401],
			] as const) {
				const reply = await page.goto(`${shop.baseUrl}${path}`);
				t.equal(reply?.status(), status, path);
				t.match(await page.locator("main").textContent(), /Nothing was charged/, path);
				t.same(await violationsOf(page), [], path);
				t.same(await findOverflow(page), [], path);
				await keepLook(page, `refused-${status}-${look.colorScheme}-${look.width}`);
			}
			t.same(
				complaints.filter((text) => !/status of 40[124]/.test(text)),
				[],
			);
		});
	}
}
