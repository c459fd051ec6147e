import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import type { Test } from "tap";

/** A window of a real browser, and what it complained about: errors on its console, blocked content, failed loads. */
export interface Window {
	readonly page: Page;
	readonly complaints: string[];
}

export interface WindowOptions {
	readonly width?: number;
	readonly hasScripts?: boolean;
}

const NAMES = ["chromium", "chromium-browser", "google-chrome"];
/** Ignored by git; written only when a test fails. */
const SCREENSHOTS = ".tap/screenshots";
const HEIGHT = 800;
/** Generous: beside other work a browser takes its time, and a step that works does not wait for it. */
const STEP_TIMEOUT_MS = 30_000;

/** Where the system's own browser is; undefined where it has none. */
export function findChromium(): string | undefined {
	const folders = (process.env["PATH"] ?? "").split(delimiter).filter(Boolean);
	return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/**
 * Closed when the test ends; each window has cookies of its own. Undefined where the machine lets no browser start, which says
 * nothing of the pages.
 */
export async function openBrowser(t: Test, executablePath: string): Promise<Browser | undefined> {
	// Containers have little shared memory.
	const args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
	try {
		const browser = await chromium.launch({ executablePath, headless: true, args });
		t.teardown(() => browser.close());
		return browser;
	} catch (error) {
		t.comment(`Chromium does not start on this machine: ${String(error).slice(0, 500)}`);
		return undefined;
	}
}

export async function openWindow(
	t: Test,
	browser: Browser,
	{ width = 1024, hasScripts = true }: WindowOptions = {},
): Promise<Window> {
	const context = await browser.newContext({
		viewport: { width, height: HEIGHT },
		javaScriptEnabled: hasScripts,
	});
	context.setDefaultTimeout(STEP_TIMEOUT_MS);
	const page = await context.newPage();
	const complaints: string[] = [];
	page.on("console", (message) => {
		if (["error", "warning"].includes(message.type())) complaints.push(message.text());
	});
	page.on("pageerror", (error) => complaints.push(error.message));
	page.on("requestfailed", (request) =>
		complaints.push(`${request.failure()?.errorText} ${request.url()}`),
	);
	t.teardown(async () => {
		const path = join(SCREENSHOTS, `${t.name.replace(/\W+/g, "-")}.png`);
		if (!t.passing()) await page.screenshot({ path, fullPage: true }).catch(() => undefined);
		await context.close();
	});
	return { page, complaints };
}

/** What a page must be for everybody: named, styled, within its width, every field labelled. */
export async function assertUsable(t: Test, page: Page): Promise<void> {
	const found = await page.evaluate<object>(`({
		lang: document.documentElement.lang,
		headings: document.querySelectorAll("h1").length,
		hasTitle: document.title !== "",
		isStyled: getComputedStyle(document.body).margin === "0px",
		overflowPixels: document.documentElement.scrollWidth - document.documentElement.clientWidth,
		fieldsWithoutLabel: [...document.querySelectorAll("input:not([type=hidden]), select, textarea")]
			.filter((field) => field.labels.length === 0).length,
	})`);
	t.strictSame(found, {
		lang: "en",
		headings: 1,
		hasTitle: true,
		isStyled: true,
		overflowPixels: 0,
		fieldsWithoutLabel: 0,
	});
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
