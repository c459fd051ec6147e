import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import t, { type Test } from "tap";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";
import { findChromium, openBrowser } from "../support/browser.js";
import { startApp, type TestApp } from "../support/start-app.js";
import { findOverflow, keepLook, violationsOf } from "./watched-pages.js";

/** What a stranger may put into a name: nothing of it may run, and nothing may break the layout. */
const HOSTILE = [
	"<script>window.ran = 1</script>",
	'"><img src=x onerror="window.ran=1">',
	"\u202Egnirts desrever\u202C",
	"unbreakable".repeat(18),
	"=HYPERLINK(1)",
	"</title></textarea></script><svg onload=window.ran=1>",
];

const PARTS = [
	...["overview", "earnings", "payouts", "refunds", "ledger", "graphs", "prices", "unanswered"],
	...["refusals", "accounts", "tokens", "holds", "jobs", "schedules", "feeds", "webhooks", "audit"],
];

const executablePath = findChromium();
const browser = executablePath === undefined ? undefined : await openBrowser(t, executablePath);
if (browser) {
	const shop = await openShop(t);
	testLooks(shop, browser);
	testFigures(shop, browser);
	testChanges(shop, browser);
} else {
	t.plan(0, "No Chromium in PATH that starts here; Debian's package chromium brings one.");
}

/** A server that has sold, refused and left unanswered something, with names of others that mean harm. */
async function openShop(t: Test): Promise<TestApp> {
	const shop = await startApp(t, { isServing: true, settings: { model: "none" } });
	const { operator, catalog } = shop.app;
	const [first = "", second = ""] = HOSTILE;
	catalog.put(
		makeGraph({ id: "hostile", slug: "hostile", title: first, description: second }, [
			makeConcept({ id: "hostile.c1", path: "hostile/c1.md", title: second, summary: "Stone" }),
		]),
	);
	await shop.app.ready();
	for (const label of HOSTILE) {
		await operator.issueSpt({ usd: "2", label });
		await operator.createKey({ usd: "1", label });
	}
	const { token } = await shop.issueSpt("20");
	for (let call = 0; call < 5; call++) await shop.search({ token });
	for (const query of HOSTILE) await shop.search({ token, body: { query: `zzgh ${query}` } });
	await shop.search({});
	await shop.search({ token: "spt_test_wrong" });
	return shop;
}

interface Watched {
	readonly page: Page;
	readonly complaints: string[];
}

async function openDashboard(
	t: Test,
	browser: Browser,
	{ baseUrl, app }: TestApp,
	options: { colorScheme?: "light" | "dark"; width?: number; key?: string } = {},
): Promise<Watched> {
	const { colorScheme = "light", width = 1440, key = app.adminToken } = options;
	const context = await browser.newContext({
		viewport: { width, height: 900 },
		colorScheme,
		acceptDownloads: true,
	});
	t.teardown(() => context.close());
	const page = await context.newPage();
	const complaints: string[] = [];
	page.on("console", (message) => {
		if (["error", "warning"].includes(message.type())) complaints.push(message.text());
	});
	page.on("pageerror", (error) => complaints.push(error.message));
	page.on("request", (request) => {
		const isHere = request.url().startsWith(baseUrl) || request.url().startsWith("blob:");
		if (!isHere) complaints.push(`left for ${request.url()}`);
	});
	await page.goto(`${baseUrl}/admin/ui`);
	await page.getByLabel("Operator's key").fill(key);
	await page.getByRole("button", { name: "Sign in" }).click();
	await page.locator("[data-dashboard]").waitFor();
	return { page, complaints };
}

async function show(page: Page, { baseUrl }: TestApp, part: string): Promise<void> {
	await page.goto(`${baseUrl}/admin/ui/${part}`);
	await page.locator("#part .card, #part .state").first().waitFor();
	await page.locator("#part .skeleton").waitFor({ state: "detached" });
}

function testLooks(shop: TestApp, browser: Browser): void {
	for (const colorScheme of ["light", "dark"] as const) {
		for (const width of [360, 1440]) {
			t.test(`every part is for everybody, ${colorScheme}, ${width} wide`, async (t) => {
				const { page, complaints } = await openDashboard(t, browser, shop, { colorScheme, width });
				for (const part of PARTS) {
					await show(page, shop, part);
					t.same(await violationsOf(page), [], part);
					await keepLook(page, `admin-${part}-${colorScheme}-${width}`);
					t.same(await findOverflow(page), [], `${part} is not wider than its window`);
					t.equal(await page.evaluate("window.ran"), undefined, `${part}: nothing of others runs`);
				}
				t.same(complaints, []);
			});
		}
	}

	t.test("the sign-in is for everybody, and says what is wrong", async (t) => {
		const context = await browser.newContext({ viewport: { width: 360, height: 800 } });
		t.teardown(() => context.close());
		const page = await context.newPage();
		await page.goto(`${shop.baseUrl}/admin/ui/graphs`);
		t.same(await violationsOf(page), []);
		await page.getByLabel("Operator's key").fill("opk_wrong");
		await page.getByRole("button", { name: "Sign in" }).click();
		t.match(await page.getByRole("alert").textContent(), /not known here/);
		t.same(await violationsOf(page), []);
	});

	t.test("every part is light", async (t) => {
		const { page } = await openDashboard(t, browser, shop);
		const wire = await page.context().newCDPSession(page);
		await wire.send("Network.enable");
		await wire.send("Network.setCacheDisabled", { cacheDisabled: true });
		let bytes = 0;
		wire.on("Network.loadingFinished", ({ encodedDataLength }) => {
			bytes += encodedDataLength;
		});
		for (const part of PARTS) {
			bytes = 0;
			await show(page, shop, part);
			await page.waitForLoadState("networkidle");
			t.comment(`${part}: ${bytes} bytes`);
			t.ok(bytes > 20_000 && bytes < 150_000, `${part}: ${bytes} bytes`);
		}
	});

	t.test("no page of another site shows it in a frame", async (t) => {
		const { page } = await openDashboard(t, browser, shop);
		const refused = page.waitForEvent("console", (message) =>
			/frame-ancestors|X-Frame-Options|refused/i.test(message.text()),
		);
		await page.route("**/framing", (route) =>
			route.fulfill({
				contentType: "text/html",
				body: `<iframe src="${shop.baseUrl}/admin/ui/graphs"></iframe>`,
			}),
		);
		await page.goto(`${shop.baseUrl}/framing`);
		t.ok(await refused);
	});
}

function testFigures(shop: TestApp, browser: Browser): void {
	/** What the API says, asked with the admin token. */
	const ask = async (path: string) =>
		(
			await shop.send(`/v1/admin${path}`, {
				headers: { Authorization: `Bearer ${shop.app.adminToken}` },
			})
		).body;

	t.test("what is shown is what the API says", async (t) => {
		const { page, complaints } = await openDashboard(t, browser, shop);
		await show(page, shop, "overview");
		await page.locator(".stats").waitFor();
		const [overview, byDay, byPayer, gaps, refusals] = await Promise.all(
			["/overview", "/revenue", "/revenue?by=payer", "/gaps", "/refusals"].map(ask),
		);
		const shown = Object.fromEntries(
			await page
				.locator(".stat")
				.evaluateAll((all) =>
					all.map((one) => [one.children[0]?.textContent, one.children[1]?.textContent]),
				),
		) as Record<string, string>;
		t.ok(byDay.total.calls >= 5);
		t.match(shown["Earned"], new RegExp(`^${byDay.total.net_usd} USD`));
		t.match(shown["Paid calls"], new RegExp(`^${byDay.total.calls - byDay.total.free_calls}\\b`));
		t.match(shown["Unanswered, not charged"], new RegExp(`^${gaps.questions}\\b`));
		t.match(shown["Paid in advance, not spent"], new RegExp(`^${overview.liability_usd} USD`));
		t.match(shown["Refunded"], /^0\.00 USD/);
		const tableOf = (name: string) =>
			page
				.getByRole("region", { name, exact: true })
				.first()
				.locator("tbody tr")
				.evaluateAll((rows) =>
					rows.map((row) => [...row.children].map((cell) => cell.textContent?.trim())),
				);
		t.same(
			await tableOf("By payer"),
			byPayer.rows.map((row: { key: string; calls: number; net_usd: string }) => [
				...[row.key, String(row.calls), row.net_usd],
			]),
		);
		const reasons = await tableOf("Calls without a result, by reason");
		t.same(
			reasons.map(([, code, ending, calls]) => ({ code, calls: Number(calls), ending })),
			refusals.items,
		);
		t.match(
			refusals.items,
			[{ code: "PAYMENT_REQUIRED" }, { code: "UNAUTHENTICATED" }].sort(() => 0),
		);
		const questions = await tableOf("Asked, not answered");
		t.equal(questions.length, gaps.items.length);
		t.same(complaints, []);
	});

	t.test("tables sort, filter and are exported, and no cell is a formula", async (t) => {
		const { page, complaints } = await openDashboard(t, browser, shop);
		await show(page, shop, "tokens");
		const rows = page.locator("tbody tr");
		t.equal(await rows.count(), (await ask("/spts")).items.length);
		await page.getByRole("button", { name: "Balance, USD" }).click();
		const head = page.locator('th[aria-sort="descending"]');
		t.match(await head.textContent(), /Balance/);
		const balances = async () =>
			(await page.locator("tbody tr td:nth-child(4)").allTextContents()).map(Number);
		const falling = await balances();
		t.same(
			falling,
			[...falling].sort((one, other) => other - one),
		);
		await page.getByRole("button", { name: "Balance, USD" }).click();
		t.same(await balances(), [...falling].reverse());
		await page.getByRole("searchbox", { name: /Filter/ }).fill("hyperlink");
		t.equal(await rows.count(), 1);
		const fileOf = async (name: RegExp) => {
			const [download] = await Promise.all([
				page.waitForEvent("download"),
				page.getByRole("button", { name }).click(),
			]);
			return readFileSync((await download.path()) ?? "", "utf8");
		};
		const csv = (await fileOf(/^CSV/)).split("\r\n");
		t.equal(csv.length, 3, "head, the row that is left, and the end");
		t.match(csv[1], /,'=HYPERLINK\(1\),/);
		t.match(JSON.parse(await fileOf(/^JSON/)), [{ Label: "=HYPERLINK(1)", State: "active" }]);
		t.same(complaints, []);
	});
}

function testChanges(shop: TestApp, browser: Browser): void {
	const { operator } = shop.app;

	/** Tab as often as it takes, as somebody without a mouse does. */
	const tabTo = async (page: Page, selector: string) => {
		for (let steps = 0; steps < 120; steps++) {
			if (await page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)})`))
				return;
			await page.keyboard.press("Tab");
		}
		throw new Error(`Tab does not lead to ${selector}.`);
	};

	t.test("by keyboard alone a folder is imported, its report first, and rolled back", async (t) => {
		const folder = join(t.testdir({}), "My notes");
		const write = (path: string, text: string) => {
			mkdirSync(dirname(join(folder, path)), { recursive: true });
			writeFileSync(join(folder, path), text);
		};
		write("bridges.md", "# Bridges\n\nA bridge spans a river. [Tolls](tolls.md) pay for it.\n");
		write("tolls.md", "# Tolls\n\nA toll is paid at the gate.\n");
		write("deep/hostile.md", `# ${HOSTILE[1]}\n\nIts name means harm.\n`);
		const { page, complaints } = await openDashboard(t, browser, shop);
		await show(page, shop, "graphs");
		const importIt = async (report: RegExp) => {
			await tabTo(page, "[data-import]");
			await page.keyboard.press("Enter");
			// Asked for before the way there: a chooser that opens before the browser knows of it is lost.
			const opened = page.waitForEvent("filechooser");
			await tabTo(page, "#imp-folder");
			await page.keyboard.press("Enter");
			await (await opened).setFiles(folder);
			await page.locator(".drop strong", { hasText: "packed" }).waitFor();
			t.equal(await page.locator("#imp-id").inputValue(), "my-notes");
			if (report.source.includes("Changed")) {
				await tabTo(page, "dialog input[type=checkbox]");
				await page.keyboard.press("Space");
			}
			await tabTo(page, "dialog button[type=submit]");
			await page.keyboard.press("Enter");
			await page.locator("#report-t").waitFor();
			t.match(await page.locator(".import-report").textContent(), report);
			t.same(await violationsOf(page), []);
		};
		const nodesOf = async () =>
			(await operator.listGraphs()).items.find(({ id }) => id === "my-notes")?.nodes;
		await importIt(/Concepts3/);
		t.equal(await nodesOf(), undefined, "the report puts nothing on sale");
		await tabTo(page, "dialog button[type=submit]");
		await page.keyboard.press("Enter");
		await page.getByText("my-notes is on sale with 3 concepts.").waitFor();
		t.equal(await nodesOf(), 3);

		write("tolls.md", "# Tolls\n\nA toll is paid at the gate, by day and night.\n");
		write("ferries.md", "# Ferries\n\nA ferry crosses where no bridge is.\n");
		await importIt(/Added1.*Changed1.*Removed0/);
		await tabTo(page, "dialog button[type=submit]");
		await page.keyboard.press("Enter");
		await page.getByText("my-notes is on sale with 4 concepts.").waitFor();

		await tabTo(page, '[aria-label="Versions: my-notes"]');
		await page.keyboard.press("Enter");
		await tabTo(page, '[aria-label="Roll back: version 1"]');
		await page.keyboard.press("Enter");
		await tabTo(page, "[data-carry-out]");
		await page.keyboard.press("Enter");
		await page.getByText(/^Done: Roll my-notes back/).waitFor();
		t.equal(await nodesOf(), 3);
		t.equal(await page.evaluate("window.ran"), undefined);
		t.same(complaints, []);
		const { items } = await operator.listAudit({ target: "graph/my-notes" });
		t.match(items, [
			{ command: "rollBack", via: "dashboard", actor: "admin token", outcome: "done" },
			{ command: "importGraph", via: "dashboard", outcome: "done" },
			{ command: "importGraph", via: "dashboard", outcome: "done" },
		]);
		t.equal(items.length, 3, "what was only looked at is no change");
	});

	t.test("by keyboard alone a price is changed, after what would change was shown", async (t) => {
		const { page, complaints } = await openDashboard(t, browser, shop);
		await show(page, shop, "prices");
		const priceNow = async () => (await operator.getPrices()).prices["graphs.search"]?.price_usd;
		t.equal(await priceNow(), "0.50");
		await tabTo(page, '[aria-label="Change: graphs.search"]');
		await page.keyboard.press("Enter");
		await tabTo(page, "#change-usd");
		await page.keyboard.press("Control+A");
		await page.keyboard.type("0.75");
		await page.keyboard.press("Enter");
		await page.getByRole("region", { name: "What would change" }).waitFor();
		t.match(
			await page.getByRole("region", { name: "What would change" }).textContent(),
			/prices graphs\.search price_usd0\.500\.75/,
		);
		t.same(await violationsOf(page), []);
		t.equal(await priceNow(), "0.50", "nothing has changed yet");
		await tabTo(page, "[data-carry-out]");
		await page.keyboard.press("Enter");
		await page.getByText(/^Done: Price of graphs\.search/).waitFor();
		t.equal(await priceNow(), "0.75");
		await page.locator("tr", { hasText: "graphs.search" }).getByText("0.75").first().waitFor();
		t.ok(
			await page.evaluate(
				`document.activeElement?.matches('[aria-label="Change: graphs.search"]')`,
			),
			"the focus is where it was",
		);
		await tabTo(page, '[aria-label="Change: search.all"]');
		await page.keyboard.press("Enter");
		await page.locator("dialog #change-usd").waitFor();
		await page.keyboard.press("Escape");
		await page.locator("dialog").waitFor({ state: "detached" });
		await page.getByRole("button", { name: "Change: answer.create" }).click();
		await page.locator("#change-usd").fill("0.60");
		await page.getByRole("button", { name: "See what would change" }).click();
		await page.locator("[data-carry-out]").click();
		await page.getByText(/^Done: Price of answer\.create/).waitFor();
		const { prices } = await operator.getPrices();
		t.same(
			Object.keys(prices)
				.filter((id) => prices[id]?.is_set)
				.sort(),
			["graphs.search", "answer.create"].sort(),
			"what follows another price goes on following it",
		);
		t.same(complaints, []);
	});

	t.test("a token is issued, its secret shown once, then frozen and ended", async (t) => {
		const { page, complaints } = await openDashboard(t, browser, shop);
		await show(page, shop, "tokens");
		await page.getByRole("button", { name: "Issue a token" }).click();
		await page.locator("#change-usd").fill("3.25");
		await page.locator("#change-label").fill("by hand");
		await page.getByRole("button", { name: "See what would change" }).click();
		await page.getByRole("button", { name: "Issue it" }).click();
		const secret = (await page.locator("dialog pre").textContent()) ?? "";
		t.match(secret, /^spt_test_/);
		await page.getByRole("button", { name: "Close" }).click();
		t.equal((await shop.search({ token: secret })).status, 200);
		const stateOf = async () =>
			(await operator.listSpts()).items.find(({ label }) => label === "by hand")?.status;
		const row = page.locator("tr", { hasText: "by hand" });
		for (const [button, verb, state] of [
			["Freeze", "Freeze it", "frozen"],
			["Unfreeze", "Let it pay", "active"],
			["End", "End it for good", "revoked"],
		] as const) {
			await row.getByRole("button", { name: new RegExp(`^${button}:`) }).click();
			await page.getByRole("region", { name: "What would change" }).waitFor();
			await page.getByRole("button", { name: verb }).click();
			await page.locator("dialog").waitFor({ state: "detached" });
			t.equal(await stateOf(), state);
			await row.getByText(state).waitFor();
		}
		t.same(complaints, []);
	});

	t.test("a reader sees all and can change nothing", async (t) => {
		const { key } = await operator.addOperator({ name: "Rita", role: "reader" });
		const { page, complaints } = await openDashboard(t, browser, shop, { key });
		for (const part of ["graphs", "prices", "tokens", "accounts", "feeds", "refunds"]) {
			await show(page, shop, part);
			const buttons = await page.locator("#part button:not(.sort, .chip)").allTextContents();
			t.same(
				buttons.filter((text) => !["CSV", "JSON", "Versions"].includes(text)),
				[],
				part,
			);
		}
		t.same(complaints, []);
		await page.getByRole("button", { name: "Sign out" }).click();
		await page.getByLabel("Operator's key").waitFor();
		await page.goto(`${shop.baseUrl}/admin/ui/audit`);
		t.equal(await page.getByLabel("Operator's key").count(), 1);
	});

	t.test("a session that ended meanwhile is said, and leads to the sign-in", async (t) => {
		const { key, id } = await operator.addOperator({ name: "Eve", role: "owner" });
		const { page } = await openDashboard(t, browser, shop, { key });
		await show(page, shop, "prices");
		await page.getByRole("button", { name: "Change: search.all" }).click();
		await page.locator("#change-usd").fill("9");
		await operator.revokeOperator({ id });
		await page.getByRole("button", { name: "See what would change" }).click();
		t.match(await page.getByRole("alert").textContent(), /has ended; sign in again/);
		t.not((await operator.getPrices()).prices["search.all"]?.price_usd, "9.00");
	});
}
