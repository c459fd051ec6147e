import type { Browser, Route } from "playwright-core";
import t from "tap";
import { OPERATIONS } from "../../src/service/service.js";
import { startLocalChain, withoutChain } from "../payments/chain/local-chain.js";
import { findChromium, openBrowser } from "../support/browser.js";
import { startApp, type TestApp } from "../support/start-app.js";
import { findOverflow, keepLook, openHostileShop, violationsOf, watch } from "./watched-pages.js";

/** One of each kind of page; of operations one of each kind of field and answer. */
const PAGES = [
	"/",
	"/graphs/agent-payments-and-settlement",
	"/graphs/hostile",
	"/docs",
	"/guide",
	"/guide/tour",
	"/guide/operations",
	...["graphs.search", "research.deep_dive", "verify.claims", "spt.purchase", "graphs.catalog"].map(
		(id) => `/docs/${id}`,
	),
];

const executablePath = findChromium();
const browser = executablePath === undefined ? undefined : await openBrowser(t, executablePath);
if (browser) {
	const shop = await openHostileShop(t, { isServing: true });
	testPages(shop, browser);
	testAsking(shop, browser);
} else {
	t.plan(0, "No Chromium in PATH that starts here; Debian's package chromium brings one.");
}

function testPages({ baseUrl }: TestApp, browser: Browser): void {
	for (const colorScheme of ["light", "dark"] as const) {
		for (const width of [360, 1440]) {
			t.test(`pages are for everybody, ${colorScheme}, ${width} wide`, async (t) => {
				const { page, complaints } = await watch(t, browser, baseUrl, { colorScheme, width });
				for (const path of PAGES) {
					await page.goto(`${baseUrl}${path}`);
					t.same(await violationsOf(page), [], path);
					await keepLook(page, `page${path}-${colorScheme}-${width}`);
					t.same(await findOverflow(page), [], `${path} is not wider than its window`);
					t.equal(await page.evaluate("window.ran"), undefined, `${path}: nothing of others runs`);
				}
				t.same(complaints, []);
			});
		}
	}

	t.test("pages read without a script", async (t) => {
		const { page, complaints } = await watch(t, browser, baseUrl, { hasScripts: false });
		for (const path of PAGES) {
			await page.goto(`${baseUrl}${path}`);
			t.equal(await page.locator("h1:visible").count(), 1, path);
			t.equal(await page.locator(".needs-js:visible").count(), 0, `${path}: nothing dead is shown`);
		}
		await page.goto(`${baseUrl}/`);
		t.equal(await page.locator("pre:visible").count(), 5, "each sample below the other");
		await page.goto(`${baseUrl}/graphs/agent-payments-and-settlement`);
		t.equal(await page.locator(".ev:visible").count(), 2, "two rows free");
		t.same(complaints, []);
	});

	t.test("every operation has a page with its price", async (t) => {
		for (const { id } of OPERATIONS) {
			const reply = await fetch(`${baseUrl}/docs/${id}`);
			t.equal(reply.status, 200, id);
			t.match(await reply.text(), /class="price/, id);
		}
		t.equal((await fetch(`${baseUrl}/docs/no.such`)).status, 404);
	});

	t.test("pages are light", async (t) => {
		for (const path of PAGES) {
			const { page } = await watch(t, browser, baseUrl);
			let bytes = 0;
			page.on("response", async (response) => {
				bytes += Number((await response.allHeaders())["content-length"] ?? 0);
				const sizes = await response.request().sizes();
				bytes += sizes.responseBodySize;
			});
			await page.goto(`${baseUrl}${path}`, { waitUntil: "networkidle" });
			t.ok(bytes > 0 && bytes < 150_000, `${path}: ${bytes} bytes`);
		}
	});
}

function testAsking(shop: TestApp, browser: Browser): void {
	const { baseUrl } = shop;

	t.test("by keyboard alone a graph is asked, paid and its receipt verified", async (t) => {
		const { page, complaints } = await watch(t, browser, baseUrl);
		await page.goto(`${baseUrl}/graphs/agent-payments-and-settlement`);
		const { keyboard } = page;
		const tabTo = async (selector: string) => {
			for (let steps = 0; steps < 60; steps++) {
				if (await page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)})`))
					return;
				await keyboard.press("Tab");
			}
			throw new Error(`Tab does not lead to ${selector}.`);
		};
		await tabTo("#ask-q");
		await keyboard.press("Control+A");
		await keyboard.type("Which HTTP status code asks for payment?");
		await tabTo("form[data-ask] button[type=submit]");
		await keyboard.press("Enter");
		t.match(await page.locator("#ask-e").textContent(), /token or an API key/);
		await keyboard.press("Tab");
		await tabTo("[data-demo-token]");
		await keyboard.press("Enter");
		await page.locator(".toast", { hasText: "The demo token is in the field" }).waitFor();
		t.match(await page.locator("#ask-token").inputValue(), /^spt_/);
		await tabTo("form[data-ask] button[type=submit]");
		await keyboard.press("Enter");
		await page.getByText("Signature verified").waitFor();
		t.ok((await page.locator("#answer .ev").count()) > 0);
		t.match(await page.locator("#answer .receipt").textContent(), /Total0\.50 USD/);
		t.same(await violationsOf(page), []);
		t.same(complaints, []);
	});

	t.test("what cannot be paid is said, and costs nothing", async (t) => {
		const { page } = await watch(t, browser, baseUrl);
		const { token, id } = await shop.issueSpt("0.40");
		await page.goto(`${baseUrl}/graphs/agent-payments-and-settlement`);
		await page.locator("#ask-token").fill(token);
		await page.getByRole("button", { name: "Pay and ask" }).click();
		t.match(await page.getByRole("alert").textContent(), /Nothing was charged/);
		await page.locator("#ask-token").fill("spt_test_wrong");
		await page.getByRole("button", { name: "Pay and ask" }).click();
		await page
			.getByText(/not known|No token/i)
			.first()
			.waitFor();
		const { token: rich } = await shop.issueSpt("5");
		await page.locator("#ask-token").fill(rich);
		await page.locator("#ask-q").fill("zzgh qwrtz plmokn?");
		await page.getByRole("button", { name: "Pay and ask" }).click();
		await page.getByText("This graph has no answer to that").waitFor();
		const balance = await shop.app.store.read((reader) => reader.balance(`cust:${id}`));
		t.equal(balance, 400_000n);
	});

	t.test("hostile rows are text in an answer, too", async (t) => {
		const { page, complaints } = await watch(t, browser, baseUrl, { width: 360 });
		const { token } = await shop.issueSpt("5");
		await page.goto(`${baseUrl}/graphs/hostile`);
		await page.locator("#ask-q").fill("stone");
		await page.locator("#ask-token").fill(token);
		await page.getByRole("button", { name: "Pay and ask" }).click();
		await page.locator("#answer h2").waitFor();
		t.equal(await page.evaluate("window.ran"), undefined);
		t.same(await findOverflow(page), []);
		t.equal(await page.locator("#answer a[href^='javascript']").count(), 0);
		t.same(complaints, []);
	});

	t.test("an operation is called from its page; its samples follow its fields", async (t) => {
		const { page, complaints } = await watch(t, browser, baseUrl);
		await page.goto(`${baseUrl}/docs/graphs.search`);
		await page.locator("#f-body-query").fill('What\'s the status code for "payment"?');
		const shown = await page.locator("#call-p0 code").textContent();
		t.match(shown, `What'\\''s the status code for \\"payment\\"?`);
		await page.locator("#f-body-filters").fill("{");
		await page.getByRole("button", { name: "Pay and send" }).click();
		t.match(await page.locator("#f-body-filters-e").textContent(), /not JSON/);
		await page.locator("#f-body-filters").fill("");
		await page.getByRole("button", { name: "Use the demo token" }).click();
		await page.locator(".toast", { hasText: "The demo token is in the field" }).waitFor();
		t.match(await page.locator("#ask-token").inputValue(), /^spt_/);
		await page.getByRole("button", { name: "Pay and send" }).click();
		await page.getByText("Signature verified").waitFor();
		t.ok((await page.locator("#reply .ev").count()) > 0);
		t.same(complaints, []);
	});

	t.test(
		"a call whose answer was lost is sent again under its key, and a job says what it holds",
		async (t) => {
			const { page } = await watch(t, browser, baseUrl);
			const { token, id } = await shop.issueSpt("30");
			await page.goto(`${baseUrl}/docs/graphs.search`);
			await page.locator("#ask-token").fill(token);
			const loseAnswer = async (route: Route) => {
				await route.fetch();
				await route.abort();
			};
			await page.route("**/v1/graphs/**/search", loseAnswer, { times: 1 });
			const send = page.getByRole("button", { name: "Pay and send" });
			await send.click();
			await page.getByText("The server did not answer").waitFor();
			await send.click();
			await page.getByText("Signature verified").waitFor();
			const balance = () => shop.app.store.read((reader) => reader.balance(`cust:${id}`));
			t.equal(await balance(), 29_500_000n, "it paid once");
			await send.click();
			await page.getByText("29.00 USD").waitFor();
			t.equal(await balance(), 29_000_000n, "what is asked anew is paid anew");
			await page.goto(`${baseUrl}/docs/research.deep_dive`);
			await page.locator("#ask-token").fill(token);
			await send.click();
			await page.getByText(/10\.00 USD is held/).waitFor();
		},
	);

	t.test("a wallet of the browser pays a call on a chain", { skip: withoutChain }, async (t) => {
		const { parts, payer } = await startLocalChain(t);
		const { terms, chain } = parts;
		const own = await startApp(t, { settings: { model: "none" }, onchain: parts });
		const { page, complaints, context } = await watch(t, browser, own.baseUrl);
		let [isWilling, knowsChain, chainId] = [false, false, "0x1"];
		const wanted = `0x${Number(terms.network.split(":")[1]).toString(16)}`;
		const change = (params: readonly unknown[]) => {
			// An error of a wallet has a code, which errors do not keep on their way into a page.
			if (!knowsChain) return { code: 4902, message: "Unrecognized chain ID." };
			t.same(params, [{ chainId: wanted }]);
			chainId = wanted;
			return null;
		};
		const sign = ([, text = ""]: readonly string[]) => {
			t.equal(chainId, wanted, "it signs on the chain that is paid on");
			if (!isWilling) throw new Error("User rejected the request.");
			const { EIP712Domain: _, ...types } = JSON.parse(text).types;
			return payer.signTypedData?.({ ...JSON.parse(text), types });
		};
		const answers: Readonly<Record<string, (params: string[]) => unknown>> = {
			eth_requestAccounts: () => [payer.address],
			eth_chainId: () => chainId,
			wallet_switchEthereumChain: change,
			eth_signTypedData_v4: sign,
		};
		await context.exposeFunction("answerWallet", (method: string, params: string[]) =>
			answers[method]?.(params),
		);
		await page.goto(`${own.baseUrl}/docs/graphs.search`);
		const pay = page.getByRole("button", { name: "Pay with a wallet" });
		await pay.click();
		t.match(await page.getByRole("alert").textContent(), /no wallet.*Nothing was charged/);
		await page.evaluate(
			`window.ethereum = { async request({ method, params = [] }) {
				const answer = await answerWallet(method, params);
				if (answer?.code) throw answer;
				return answer;
			} }`,
		);
		await pay.click();
		await page.getByText(`does not know the network ${terms.network}`).waitFor();
		knowsChain = true;
		await pay.click();
		await page.getByText("User rejected the request.").waitFor();
		isWilling = true;
		await pay.click();
		await page.locator("#reply .receipt").waitFor();
		t.ok((await page.locator("#reply .ev").count()) > 0);
		const left = await chain?.balanceOf(terms, payer.address as `0x${string}`);
		t.equal(left, 99_500_000n, "one price left the wallet");
		t.same(
			complaints.filter((text) => !/status of 402/.test(text)),
			[],
		);
	});

	t.test("the demo token is given to pages of this server alone", async (t) => {
		for (const site of [undefined, "cross-site", "none", "same-site"]) {
			const headers = site === undefined ? {} : { "Sec-Fetch-Site": site };
			const reply = await fetch(`${baseUrl}/docs/demo-token`, { headers });
			t.equal(reply.status, 404, String(site));
			t.notMatch(await reply.text(), /spt_/);
		}
	});
}
