/**
 * How fast pages are there, in a browser without a screen whose processor is slowed down four times: first and largest paint, blocking
 * time, and what they weigh; beside each the same text without styles and scripts, which is what the machine and the browser take. And the
 * first paint while every core is busy with other work.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, chromium } from "playwright-core";
import { findChromium } from "../test/support/browser.js";
import { startServerProcess } from "../test/support/server-process.js";
import { end } from "./child.js";
import { median, toFourDigits } from "./figures.js";
import { atMost, type Bar } from "./search/bars.js";

const SLOWER = 4;
const LOADS = 10;
const LOADS_BUSY = 5;
/** After the load: long tasks that begin later are not of the page's start. */
const QUIET_MS = 2_000;
const BYTES_MAX = 150 * 1_024;
const LARGEST_PAINT_MS = 1_500;
const BLOCKING_MS = 150;
const FIRST_PAINT_BUSY_MS = 1_500;

const PAGES = {
	home: "/",
	graph: "/graphs/agent-payments-and-settlement",
	playground: "/docs",
	operation: "/docs/graphs.search",
} as const;
type PageName = keyof typeof PAGES;

interface Load {
	readonly firstPaintMs: number;
	readonly largestPaintMs: number;
	readonly blockingMs: number;
	/** As they went over the wire: compressed, with headers. */
	readonly bytes: number;
}

const figuresOf = (loads: readonly Load[]) => {
	const middle = (of: (load: Load) => number) => toFourDigits(median(loads.map(of)));
	return {
		first_paint_ms: middle(({ firstPaintMs }) => firstPaintMs),
		largest_paint_ms: middle(({ largestPaintMs }) => largestPaintMs),
		blocking_ms: middle(({ blockingMs }) => blockingMs),
		bytes: middle(({ bytes }) => bytes),
	};
};
type Figures = ReturnType<typeof figuresOf>;

/** Needs Chromium, and pages that are built (`npm run build`). */
export async function benchPages(folder: string) {
	const executablePath = findChromium();
	if (executablePath === undefined) throw new Error("No Chromium is in PATH.");
	const light = ["--model", "none", "--judge", "none", "--facilitator", "off"];
	const { child, ready } = await startServerProcess(["--data", folder, ...light]);
	const args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
	const browser = await chromium.launch({ executablePath, headless: true, args });
	try {
		const pages: Partial<Record<PageName, { readonly page: Figures; readonly text: Figures }>> = {};
		const bars: Bar[] = [];
		for (const name of Object.keys(PAGES) as PageName[]) {
			const figures = await measurePage(browser, `${ready.base_url}${PAGES[name]}`);
			pages[name] = figures;
			const { largest_paint_ms: paint, blocking_ms: blocking, bytes } = figures.page;
			bars.push(
				atMost(`${name}: largest paint, ms`, paint, LARGEST_PAINT_MS),
				atMost(`${name}: blocking time, ms`, blocking, BLOCKING_MS),
				atMost(`${name}: bytes`, bytes, BYTES_MAX),
			);
		}
		const busy = await measureBusy(browser, `${ready.base_url}${PAGES.playground}`);
		bars.push(atMost("playground: first paint on busy cores, ms", busy, FIRST_PAINT_BUSY_MS));
		return { slower: SLOWER, loads: LOADS, pages, first_paint_busy_ms: busy, bars };
	} finally {
		await browser.close();
		await end(child, "SIGTERM");
	}
}

/** In turns with its own text. */
async function measurePage(browser: Browser, address: string) {
	const html = await (await fetch(address, { headers: { Accept: "text/html" } })).text();
	const text = html.replace(/<script[\s\S]*?<\/script>|<link [^>]*>/g, "");
	const plain = createServer((_request, response) =>
		response.setHeader("Content-Type", "text/html; charset=utf-8").end(text),
	).listen(0, "127.0.0.1");
	await once(plain, "listening");
	const { port } = plain.address() as AddressInfo;
	const loads: { readonly page: Load[]; readonly text: Load[] } = { page: [], text: [] };
	try {
		for (let turn = 0; turn < LOADS; turn++) {
			loads.page.push(await load(browser, address, SLOWER));
			loads.text.push(await load(browser, `http://127.0.0.1:${port}/`, SLOWER));
		}
	} finally {
		plain.close();
		plain.closeAllConnections();
	}
	return { page: figuresOf(loads.page), text: figuresOf(loads.text) };
}

/** The first paint, with a loop without an end on every core. */
async function measureBusy(browser: Browser, address: string): Promise<number> {
	const loops: ChildProcess[] = Array.from({ length: availableParallelism() }, () =>
		spawn(process.execPath, ["-e", "setTimeout(() => process.exit(), 120_000); for (;;);"]),
	);
	try {
		const loads: Load[] = [];
		for (let turn = 0; turn < LOADS_BUSY; turn++) loads.push(await load(browser, address, 1));
		return figuresOf(loads).first_paint_ms;
	} finally {
		for (const loop of loops) await end(loop, "SIGKILL");
	}
}

/** With nothing kept from earlier loads. */
async function load(browser: Browser, address: string, slower: number): Promise<Load> {
	const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
	try {
		const page = await context.newPage();
		const tools = await context.newCDPSession(page);
		await tools.send("Emulation.setCPUThrottlingRate", { rate: slower });
		await tools.send("Network.enable");
		let bytes = 0;
		tools.on("Network.loadingFinished", ({ encodedDataLength }) => {
			bytes += encodedDataLength;
		});
		await page.addInitScript(WATCH);
		await page.goto(address, { waitUntil: "load" });
		await sleep(QUIET_MS);
		const seen = await page.evaluate<Omit<Load, "bytes">>("watched()");
		return { ...seen, bytes };
	} finally {
		await context.close();
	}
}

/** Blocking time as the Web Vitals define it: of each task after the first paint, what it takes above 50 ms. */
const WATCH = `
	const entries = { paint: [], "largest-contentful-paint": [], longtask: [] };
	for (const type of Object.keys(entries))
		new PerformanceObserver((list) => entries[type].push(...list.getEntries())).observe({ type, buffered: true });
	window.watched = () => {
		const first = entries.paint.find(({ name }) => name === "first-contentful-paint")?.startTime ?? 0;
		return {
			firstPaintMs: first,
			largestPaintMs: entries["largest-contentful-paint"].at(-1)?.startTime ?? 0,
			blockingMs: entries.longtask
				.filter(({ startTime, duration }) => startTime + duration > first)
				.reduce((sum, { duration }) => sum + Math.max(0, duration - 50), 0),
		};
	};
`;
