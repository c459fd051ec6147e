import type { Browser, Page } from "playwright-core";
import t from "tap";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";
import { findChromium, openBrowser } from "../support/browser.js";
import type { TestApp } from "../support/start-app.js";
import { findOverflow, keepLook, openHostileShop, violationsOf, watch } from "./watched-pages.js";

const SAMPLE = "/graphs/agent-payments-and-settlement/explore";
const HOSTILE = "/graphs/hostile/explore";
/** Of a page with all that it loads. */
const WEIGHT_MAX = 300_000;
const DRAWN_MAX = 2_000;

const executablePath = findChromium();
const browser = executablePath === undefined ? undefined : await openBrowser(t, executablePath);
if (browser) {
	const shop = await openHostileShop(t, { isServing: true });
	testLooks(shop, browser);
	testReading(shop, browser);
	testBuying(shop, browser);
} else t.comment("No Chromium in PATH that starts here: the page itself was not looked at.");

async function open(page: Page, address: string): Promise<void> {
	await page.goto(address);
	await settled(page);
}

const settled = (page: Page) => page.locator("#scene[data-state=settled]").waitFor();
const rowsOf = (page: Page) => page.locator("#explorer-list tbody tr");
const countOf = async (page: Page, mark: string) =>
	Number((await page.locator(`[data-count-of=${mark}]`).textContent())?.replaceAll(",", ""));

function testLooks({ baseUrl }: TestApp, browser: Browser): void {
	for (const colorScheme of ["light", "dark"] as const) {
		for (const width of [360, 1440]) {
			t.test(`the explorer is for everybody, ${colorScheme}, ${width} wide`, async (t) => {
				const { page, complaints } = await watch(t, browser, baseUrl, { colorScheme, width });
				for (const path of [SAMPLE, HOSTILE]) {
					await open(page, baseUrl + path);
					t.same(await violationsOf(page), [], path);
					await keepLook(page, `page${path}-${colorScheme}-${width}`);
					// What was bought is text of strangers, too, and there is all of it.
					await page.getByRole("button", { name: /^Pay/ }).nth(1).click();
					await page.getByText("Signature verified").waitFor();
					await settled(page);
					await page.locator("#drawer .near button").last().click();
					t.same(await violationsOf(page), [], `${path}, bought`);
					t.same(await findOverflow(page), [], `${path} is not wider than its window`);
					t.equal(await page.evaluate("window.ran"), undefined, `${path}: nothing of others runs`);
					t.equal(await page.locator("a[href^='javascript']").count(), 0);
				}
				t.same(complaints, []);
			});
		}
	}

	t.test("it weighs little, with all that it loads", async (t) => {
		const { page } = await watch(t, browser, baseUrl);
		const sizes: Promise<number>[] = [];
		page.on("response", (response) =>
			sizes.push(
				response
					.request()
					.sizes()
					.then(({ responseBodySize: size }) => size),
			),
		);
		await open(page, baseUrl + SAMPLE);
		const all = await Promise.all(sizes);
		const bytes = all.reduce((sum, size) => sum + size, 0);
		t.ok(all.length >= 7, "page, style, scripts, thread of the layout, data");
		t.ok(bytes > 20_000 && bytes < WEIGHT_MAX, `${bytes} bytes`);
	});

	for (const colorScheme of ["light", "dark"] as const) {
		for (const width of [360, 1440]) {
			t.test(`without a script it lists and filters, ${colorScheme}, ${width} wide`, async (t) => {
				const options = { hasScripts: false, colorScheme, width };
				const { page, complaints } = await watch(t, browser, baseUrl, options);
				await page.goto(baseUrl + SAMPLE);
				t.equal(await page.locator(".needs-js:visible").count(), 0, "nothing dead is shown");
				t.equal(await page.locator("h1:visible").count(), 1);
				const all = await rowsOf(page).count();
				t.ok(all > 50, `${all} rows`);
				await page.getByLabel("Kind of concept").selectOption("Entity");
				await page.getByRole("button", { name: "Filter" }).click();
				t.match(page.url(), /kind=Entity/);
				const fewer = await rowsOf(page).count();
				t.ok(fewer > 1 && fewer < all, `${fewer} of ${all} rows`);
				t.equal(await page.getByLabel("Kind of concept").inputValue(), "Entity");
				await page.getByLabel("Find in what is free").fill("no such name");
				await page.getByRole("button", { name: "Filter" }).click();
				t.equal(await rowsOf(page).count(), 1, "the graph itself");
				await page.goto(baseUrl + HOSTILE);
				t.same(await findOverflow(page), []);
				t.same(complaints, []);
			});
		}
	}
}

function testReading({ baseUrl }: TestApp, browser: Browser): void {
	t.test("by keyboard alone one walks, opens and zooms", async (t) => {
		const { page, complaints } = await watch(t, browser, baseUrl);
		await open(page, baseUrl + SAMPLE);
		const said = () => page.locator("#scene-say").textContent();
		const { keyboard } = page;
		await page.locator("#ask-token").focus();
		await keyboard.press("Tab");
		await keyboard.press("Tab");
		t.ok(await page.evaluate("document.activeElement.id === 'scene'"));
		await keyboard.press("ArrowRight");
		t.equal(await said(), "Agent payments", "it begins at the graph");
		await keyboard.press("ArrowRight");
		const first = (await said()) ?? "";
		t.not(first, "Agent payments");
		t.equal(await page.locator("#drawer h2").first().textContent(), first);
		const near = await page.locator("#drawer .near").textContent();
		t.match(near, "Agent payments", "it walked to a neighbor");
		const before = await page.locator("#scene").screenshot();
		await keyboard.press("+");
		await page.evaluate(NEXT_FRAME);
		t.notOk(before.equals(await page.locator("#scene").screenshot()), "nearer");
		await keyboard.press("Enter");
		t.ok(await page.evaluate("document.activeElement.id === 'drawer'"));
		await page.locator("#scene").focus();
		await keyboard.press("Escape");
		t.match(await said(), /marks$/);
		t.same(complaints, []);
	});

	t.test("filters fit drawing, list and timeline alike", async (t) => {
		const { page } = await watch(t, browser, baseUrl);
		await open(page, baseUrl + SAMPLE);
		const all = await rowsOf(page).count();
		await page.getByLabel("Publishers").uncheck();
		t.equal(await rowsOf(page).count(), all - (await countOf(page, "host")));
		await page.getByLabel("Publishers").check();
		const events = page.locator("#explorer-timeline tbody tr");
		const dated = await events.count();
		await page.getByLabel("From year").fill("2022");
		const later = await events.count();
		t.ok(later > 0 && later < dated, `${later} of ${dated} events`);
		const days = await events.locator("time").allTextContents();
		t.ok(days.every((day) => day >= "2022"));
		await page.getByLabel("From year").fill("");
		await page.getByLabel("Topic").last().selectOption("http");
		const names = await rowsOf(page).locator("th").allTextContents();
		t.same(names, ["Agent payments", "http"], "which concepts have it is for sale");
		await page.getByLabel("Topic").last().selectOption("");
		await page.getByLabel("Find in what is free").fill("eip-3009");
		t.match(await page.locator("#scene-say").textContent(), /^[1-9]\d* found/);
		await page.keyboard.press("Enter");
		t.match(await page.locator("#drawer h2").first().textContent(), /eip-3009/i);
	});
}

const NEXT_FRAME =
	"new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";

function testBuying(shop: TestApp, browser: Browser): void {
	const { baseUrl } = shop;

	t.test("what is bought joins the drawing and the lists", async (t) => {
		const { page, complaints } = await watch(t, browser, baseUrl);
		const { token, id } = await shop.issueSpt("5");
		await open(page, baseUrl + SAMPLE);
		await page.locator("#ask-token").fill(token);
		const [named, paid] = [await countOf(page, "concept"), await countOf(page, "paid")];
		t.equal(named + paid, 52);
		await page.locator("#drawer .near button", { hasText: "Mechanism" }).click();
		await page.getByRole("button", { name: "Pay 0.50 USD" }).click();
		await page.getByText("Signature verified").waitFor();
		t.match(await page.locator("#drawer .receipt").textContent(), /Total0\.50 USDLeft4\.50 USD/);
		t.equal(await countOf(page, "concept"), named + 11);
		t.equal(await countOf(page, "paid"), paid - 11);
		t.equal(await page.locator("#explorer-list .badge", { hasText: "Bought" }).count(), 11);
		t.equal(await page.locator("#drawer .offers li").count(), 0, "there is no more of this kind");
		await settled(page);

		await page.locator("#drawer .near button").nth(1).click();
		const offer = (title: string) => page.locator("#drawer .offers li", { hasText: title });
		await offer("Surroundings").getByRole("button").click();
		await page.getByText(/^New: \d+ concepts?, \d+ links$/).waitFor();
		await offer("Read a concept").getByRole("button").click();
		await page.locator("#drawer .bought-text").waitFor();
		await offer("Dated events").getByRole("button").click();
		await page.getByText(/^New: \d+ events?$/).waitFor();
		t.match(await page.locator("#explorer-timeline").textContent(), /Concept written/);
		const balance = await shop.app.store.read((reader) => reader.balance(`cust:${id}`));
		t.equal(balance, 3_000_000n, "four calls, each paid once");
		t.same(await violationsOf(page), []);

		const bought = await page.locator("#explorer-list .badge", { hasText: "Bought" }).count();
		const concepts = await countOf(page, "concept");
		t.ok(concepts > named);
		await page.reload();
		await settled(page);
		t.equal(await page.locator("#explorer-list .badge", { hasText: "Bought" }).count(), bought);
		t.equal(await countOf(page, "concept"), concepts, "what was bought is still there");
		t.match(await page.locator("#explorer-timeline").textContent(), /Concept written/);
		await page.locator("#drawer .near button", { hasText: "Mechanism" }).click();
		t.equal(await page.locator("#drawer .offers li").count(), 0, "and is not offered again");
		t.same(complaints, []);
	});

	t.test(
		"what a tab has kept of a graph is shown in it alone, and only if it can be read",
		async (t) => {
			const { page, complaints } = await watch(t, browser, baseUrl);
			await open(page, baseUrl + SAMPLE);
			const named = await countOf(page, "concept");
			await page.getByRole("button", { name: "Pay 0.50 USD" }).nth(1).click();
			await page.getByText("Signature verified").waitFor();
			const concepts = await countOf(page, "concept");
			t.ok(concepts > named);
			const another = await page.context().newPage();
			await open(another, baseUrl + SAMPLE);
			t.equal(await countOf(another, "concept"), named, "another tab has not bought it");
			const [name] = (await page.evaluate("Object.keys(sessionStorage)")) as readonly string[];
			for (const broken of ["{", "null", "[null]", '[{"operation":"none","key":"","body":{}}]']) {
				await page.evaluate(
					([key, value]) => sessionStorage.setItem(key ?? "", value ?? ""),
					[name, broken],
				);
				await open(page, baseUrl + SAMPLE);
				t.equal(await countOf(page, "concept"), named, broken);
				t.equal(await page.evaluate("sessionStorage.length"), 0, "what is broken is forgotten");
			}
			t.same(complaints, []);
		},
	);

	t.test("paper money is fetched where nothing else pays; forms are filled in", async (t) => {
		const { page, complaints } = await watch(t, browser, baseUrl);
		await open(page, baseUrl + SAMPLE);
		await page.getByLabel("Question").fill("Which HTTP status code asks for payment?");
		await page.getByRole("button", { name: "Pay 0.50 USD" }).first().click();
		await page.getByText("Signature verified").waitFor();
		t.match(await page.locator("#ask-token").inputValue(), /^spt_/);
		await settled(page);
		await page.locator("#drawer .near button", { hasText: "Metric" }).first().click();
		await page.locator("#drawer .offers a").click();
		t.equal(await page.locator("#f-query-type").inputValue(), "Metric");
		t.equal(await page.locator("#f-params-graph_id").inputValue(), "agent-payments");
		t.match(await page.locator("#call-p0 code").textContent(), /type=Metric/);
		t.same(complaints, []);
	});

	t.test("what cannot be paid is said, and costs nothing", async (t) => {
		const { page } = await watch(t, browser, baseUrl);
		await open(page, baseUrl + SAMPLE);
		await page.locator("#ask-token").fill("spt_test_wrong");
		await page.getByRole("button", { name: "Pay 0.50 USD" }).nth(1).click();
		t.match(await page.getByRole("alert").textContent(), /Nothing was charged/);
		await page.route("**/v1/graphs/*/nodes?**", (route) => route.abort());
		await page.getByRole("button", { name: "Pay 0.50 USD" }).nth(1).click();
		await page.getByText("The server did not answer").waitFor();
	});

	t.test("a large graph is drawn in part, nearest what is chosen", async (t) => {
		shop.app.catalog.put(
			makeGraph(
				{ id: "large", slug: "large", title: "Large" },
				Array.from({ length: 5_000 }, (_, at) => {
					const type = at % 10 === 0 ? "Rare" : "Frequent";
					return makeConcept({ id: `c${at}`, path: `c${at}.md`, title: `Concept ${at}`, type });
				}),
			),
		);
		await shop.app.ready();
		const { page } = await watch(t, browser, baseUrl);
		await open(page, `${baseUrl}/graphs/large/explore`);
		const said = (await page.locator("#scene-say").textContent()) ?? "";
		const [drawn = 0, total = 0] =
			said.match(/[\d,]+/g)?.map((n) => Number(n.replace(",", ""))) ?? [];
		t.ok(drawn > DRAWN_MAX - 20 && drawn <= DRAWN_MAX && total > 5_000, said);
		const data = await (await fetch(`${baseUrl}/graphs/large/explore.json`)).text();
		t.ok(data.length < 20_000, "its document does not grow with it");
	});
}
