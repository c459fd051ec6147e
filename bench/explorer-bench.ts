/** How smoothly a graph of 5,000 concepts is explored in a browser without a screen: as it is for nothing, and with 2,000 marks that were bought. */
import { mkdirSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { createApp } from "../src/app/create-app.js";
import { findChromium } from "../test/support/browser.js";
import { median, round } from "./figures.js";
import { measuredGraph } from "./measured-graph.js";
import { atLeast, type Bar } from "./search/bars.js";
import { makeSyntheticConcept } from "./synthetic/synthetic-concept.js";
import { FIELDS } from "./synthetic/vocabulary.js";

const CONCEPTS = 5_000;
const GRAPH_ID = "synthetic-explored";
const FRAMES_PER_SECOND = 30;
const MOVES_MS = 5_000;
const DRAWN_MAX = 2_000;
const PURCHASES_MAX = 60;
const WINDOW = { width: 1_440, height: 900 };

interface FrameFigures {
	/** What the page says it draws. */
	readonly drawn: string;
	readonly frames: number;
	readonly median_ms: number;
	readonly p95_ms: number;
	readonly longest_ms: number;
	readonly frames_per_second: number;
}

export interface ExplorerReport {
	readonly concepts: number;
	/** From the address to the first layout that rests. */
	readonly ready_ms: number;
	readonly free: FrameFigures;
	/** For the moments in which what was bought finds its place: without a bar, since the layout has a processor to itself then. */
	readonly settling: FrameFigures;
	readonly bought: FrameFigures;
	readonly purchases: number;
	readonly bars: readonly Bar[];
}

/** Needs Chromium, and pages that are built (`npm run build`). */
export async function benchExplorer(folder: string): Promise<ExplorerReport> {
	mkdirSync(folder, { recursive: true });
	const executablePath = findChromium();
	if (executablePath === undefined) throw new Error("No Chromium is in PATH.");
	const { app, server, token } = await startServer(folder);
	const args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
	const browser = await chromium.launch({ executablePath, headless: true, args });
	try {
		const address = `http://127.0.0.1:${server.port}/graphs/${GRAPH_ID}/explore`;
		const figures = await explore(browser, address, token);
		const bars = (["free", "settling", "bought"] as const).map((part) =>
			atLeast(
				`explorer, ${part}: frames a second`,
				figures[part].frames_per_second,
				FRAMES_PER_SECOND,
			),
		);
		return { concepts: CONCEPTS, ...figures, bars };
	} finally {
		await browser.close();
		await server.drain();
		await app.close();
	}
}

async function startServer(folder: string) {
	const app = await createApp({
		settings: {
			...{ profile: "demo", host: "127.0.0.1", port: 0, data: folder, catalog: "none" },
			...{ model: "none", judge: "none", publicUrl: undefined, prices: {} },
			onchain: { facilitator: "off" },
		},
		logger: { info: () => undefined, error: () => undefined },
		isServing: true,
	});
	const [field] = FIELDS;
	if (!field) throw new Error("There is no vocabulary.");
	const concepts = Array.from({ length: CONCEPTS }, (_, at) =>
		makeSyntheticConcept({
			...{ seed: 1, graphId: GRAPH_ID, number: at + 1, total: CONCEPTS },
			...{ field, kind: "note" },
		}),
	);
	app.catalog.put(measuredGraph({ id: GRAPH_ID, concepts, contentHash: GRAPH_ID.padEnd(64, "0") }));
	await app.ready();
	const { token } = await app.operator.issueSpt({ usd: "100" });
	return { app, token, server: await app.listen({ host: "127.0.0.1", port: 0 }) };
}

async function explore(browser: Browser, address: string, token: string) {
	const page = await browser.newPage({ viewport: WINDOW });
	const startedMs = performance.now();
	await page.goto(address);
	await settled(page);
	const readyMs = performance.now() - startedMs;
	const free = await measureMoves(page);
	await page.locator("#ask-token").fill(token);
	// Otherwise no concept has a name to begin with.
	await page.locator("#drawer li", { hasText: "Name concepts" }).getByRole("button").click();
	await page.locator("#drawer .receipt").waitFor();
	let purchases = 1;
	let settling = free;
	while (purchases < PURCHASES_MAX && (await countConcepts(page)) < DRAWN_MAX) {
		await settled(page);
		await buySurroundings(page, purchases);
		purchases += 1;
		if ((await countConcepts(page)) >= DRAWN_MAX) {
			settling = await measureMoves(page, { isSettling: true });
		}
	}
	await settled(page);
	const bought = await measureMoves(page);
	return { ready_ms: Math.round(readyMs), free, settling, bought, purchases };
}

const settled = (page: Page) =>
	page.locator("#scene[data-state=settled]").waitFor({ timeout: 120_000 });

const countConcepts = async (page: Page): Promise<number> =>
	Number((await page.locator("[data-count-of=concept]").textContent())?.replaceAll(",", ""));

/** Of another concept each time. */
async function buySurroundings(page: Page, number: number): Promise<void> {
	const shown = page.locator("#explorer-list").getByRole("button", { name: /^Show / });
	await shown.nth(1 + ((number * 7) % 48)).click();
	const offer = page.locator("#drawer .offers li", { hasText: "Surroundings" });
	await offer.getByRole("button").click();
	await page.locator("#drawer .receipt").waitFor();
}

/** Moves the drawing with the mouse and zooms with the wheel, and notes when each frame comes. */
async function measureMoves(page: Page, { isSettling = false } = {}): Promise<FrameFigures> {
	const canvas = page.locator("#scene");
	await canvas.scrollIntoViewIfNeeded();
	await canvas.focus();
	await page.keyboard.press("Escape");
	await page.keyboard.press("0");
	if (!isSettling) await settled(page);
	const box = await canvas.boundingBox();
	if (!box) throw new Error("The drawing is not there.");
	const drawn = (await page.locator("#scene-say").textContent()) ?? "";
	const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
	await page.evaluate(WATCH_FRAMES);
	const endMs = performance.now() + MOVES_MS;
	for (let turn = 0; performance.now() < endMs; turn++) {
		await moveOnce(page, { x, y, wheel: turn % 2 === 0 ? -100 : 100 });
	}
	return toFigures(drawn, (await page.evaluate(TAKE_FRAMES)) as readonly number[]);
}

/** Round in a circle, then nearer or farther. */
async function moveOnce(
	page: Page,
	{ x, y, wheel }: { readonly x: number; readonly y: number; readonly wheel: number },
): Promise<void> {
	await page.mouse.move(x, y);
	await page.mouse.down();
	for (let step = 1; step <= 40; step++) {
		const angle = (step / 40) * 2 * Math.PI;
		await page.mouse.move(x + 180 * Math.sin(angle), y + 120 * (1 - Math.cos(angle)) - 60);
	}
	await page.mouse.up();
	for (let step = 0; step < 10; step++) await page.mouse.wheel(0, wheel);
}

function toFigures(drawn: string, frames: readonly number[]): FrameFigures {
	const sorted = [...frames].sort((one, other) => one - other);
	const all = frames.reduce((sum, ms) => sum + ms, 0);
	return {
		drawn,
		frames: frames.length,
		median_ms: round(median(frames), 1),
		p95_ms: round(sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN, 1),
		longest_ms: round(sorted.at(-1) ?? Number.NaN, 1),
		frames_per_second: round((1_000 * frames.length) / all, 1),
	};
}

/** Times between frames, in milliseconds. */
const WATCH_FRAMES = `(() => {
	const frames = [];
	let last;
	window.watched = { frames, isOver: false };
	const next = (now) => {
		if (last !== undefined) frames.push(now - last);
		last = now;
		if (!window.watched.isOver) requestAnimationFrame(next);
	};
	requestAnimationFrame(next);
})()`;
const TAKE_FRAMES = "((window.watched.isOver = true), window.watched.frames)";
