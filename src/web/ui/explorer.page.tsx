/** The explorer of a graph: one document drawn and listed, and what is bought of it joins. */
import { render } from "preact";
import {
	chooseDrawn,
	countAllPaid,
	countMarks,
	countPaid,
	createModel,
	type ExplorerData,
	type Filter,
	GRAPH_ITEM,
	type Item,
	type Model,
	readFilter,
	selectItems,
} from "../pages/explorer-model.js";
import { Happenings, Items, type SortKey } from "../pages/explorer-parts.js";
import { hostOf } from "../pages/parts.js";
import { type Attempts, call, createAttempts, fetchDemoToken } from "./calls.js";
import { type Joined, joinAnswer } from "./explorer/answers.js";
import { Drawer, type Purchase } from "./explorer/drawer.js";
import { type KeptAnswer, keepAnswer, restoreAnswers } from "./explorer/kept-answers.js";
import { type Cursors, type Offer, offersFor } from "./explorer/purchases.js";
import { createScene, type Scene } from "./explorer/scene.js";
import { offerDemoToken } from "./form-parts.js";
import { say } from "./say.js";

/** Marks drawn at once; more are drawn neighborhood by neighborhood. */
const DRAWN_MAX = 2_000;

const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

async function start(root: HTMLElement): Promise<void> {
	const reply = await fetch(root.dataset["explorer"] ?? "");
	if (!reply.ok) throw new Error(`The drawing was answered by ${reply.status}.`);
	const model = createModel((await reply.json()) as ExplorerData, hostOf);
	explore(model, root.dataset["layout"] ?? "");
}

interface Exploring {
	readonly model: Model;
	readonly cursors: Cursors;
	readonly attempts: Attempts;
	scene: Scene | undefined;
	chosen: Item | undefined;
	purchase: Purchase | undefined;
	sort: { readonly by: SortKey; readonly isDown: boolean } | undefined;
}

function explore(model: Model, layoutAddress: string): void {
	const exploring: Exploring = {
		...{ model, cursors: new Map(), attempts: createAttempts() },
		...{ scene: undefined, chosen: undefined, purchase: undefined, sort: undefined },
	};
	exploring.scene = createScene(element<HTMLCanvasElement>("scene"), {
		layoutAddress,
		onChoose(item) {
			if (item !== exploring.chosen) exploring.purchase = undefined;
			exploring.chosen = item;
			showDrawer(exploring);
			// Another neighborhood is another drawing; what is whole stays as it is.
			showDrawing(exploring);
		},
		onOpen: () => element("drawer").focus(),
	});
	// What the server sent goes on as what the browser draws.
	for (const id of ["drawer-body", "explorer-list", "explorer-timeline"]) {
		element(id).replaceChildren();
	}
	restoreAnswers(model.data.graph, (answer) => join(exploring, answer));
	startForms(exploring);
	showDrawing(exploring);
	showLists(exploring);
	showDrawer(exploring);
	countAgain(model);
}

function startForms(exploring: Exploring): void {
	const { model, scene } = exploring;
	const form = element<HTMLFormElement>("explorer-filter");
	form.addEventListener("submit", (event) => {
		event.preventDefault();
		const first = [...selectItems(model, readForm())].find(({ mark }) => mark !== "graph");
		if (first) show(exploring, first.id);
		else say("Nothing that is shown has this name. Asking the graph may find it.");
	});
	form.addEventListener("input", () => {
		showDrawing(exploring);
		showLists(exploring);
	});
	const paying = element<HTMLFormElement>("explorer-pay");
	offerDemoToken(paying, element<HTMLInputElement>("ask-token"));
	paying.addEventListener("submit", (event) => event.preventDefault());
	for (const button of document.querySelectorAll<HTMLElement>("[data-zoom]")) {
		const { zoom } = button.dataset;
		button.addEventListener("click", () =>
			zoom === "fit" ? scene?.fit() : scene?.zoom(Number(zoom)),
		);
	}
}

function readForm(): Filter {
	const fields = [...new FormData(element<HTMLFormElement>("explorer-filter"))];
	return readFilter(new URLSearchParams(fields.map(([name, value]) => [name, String(value)])));
}

function show(exploring: Exploring, id: string): void {
	exploring.chosen = exploring.model.items.get(id);
	exploring.purchase = undefined;
	// It may lie outside of what is drawn.
	showDrawing(exploring);
	exploring.scene?.choose(id);
}

function showDrawing({ model, scene, chosen }: Exploring): void {
	const filter = readForm();
	const selected = selectItems(model, { ...filter, words: [] });
	const drawn = chooseDrawn(model, selected, {
		focus: chosen?.id ?? GRAPH_ITEM,
		isWithPaid: filter.marks.has("paid"),
		most: DRAWN_MAX,
	});
	scene?.show(drawn);
	const found = filter.words.length > 0 ? selectItems(model, filter) : undefined;
	scene?.mark(found);
	const rings = [...drawn.rings.values()].reduce((sum, count) => sum + count, 0);
	element("scene-say").textContent = wordsOf({
		drawn: drawn.items.length + rings,
		total: drawn.total,
		found: found && [...found].filter(({ mark }) => mark !== "graph").length,
		chosen,
	});
}

function showLists(exploring: Exploring): void {
	const { model, sort } = exploring;
	const filter = readForm();
	const items = [...selectItems(model, filter)];
	const live = {
		sort,
		onSort(by: SortKey) {
			exploring.sort = { by, isDown: sort?.by === by && !sort.isDown };
			showLists(exploring);
		},
		onShow(item: Item) {
			show(exploring, item.id);
			element("drawer").scrollIntoView({ block: "nearest" });
			element("drawer").focus();
		},
	};
	const { marks } = filter;
	const { prices } = model.data;
	render(
		<Items items={items} paid={countPaid(model)} prices={prices} marks={marks} live={live} />,
		element("explorer-list"),
	);
	render(<Happenings model={model} items={items} filter={filter} />, element("explorer-timeline"));
}

function showDrawer(exploring: Exploring): void {
	const { model, purchase, cursors } = exploring;
	const item = exploring.chosen ?? model.items.get(GRAPH_ITEM);
	if (!item) return;
	render(
		<Drawer
			key={item.id}
			{...{ model, item, purchase }}
			paid={item.mark === "graph" ? countAllPaid(model) : (countPaid(model).get(item.id) ?? 0)}
			offers={offersFor(item, model, cursors)}
			onShow={(id) => show(exploring, id)}
			onBuy={(offer, question) => void buy(exploring, offer, question)}
		/>,
		element("drawer-body"),
	);
}

async function buy(exploring: Exploring, offer: Offer, question: string): Promise<void> {
	const token = await readToken(element<HTMLInputElement>("ask-token"));
	if (token === undefined) return;
	const bought = { offer, token, joined: undefined };
	exploring.purchase = { ...bought, reply: undefined };
	showDrawer(exploring);
	try {
		exploring.purchase = await pay(exploring, { offer, token, question });
	} catch {
		exploring.purchase = { ...bought, reply: "lost" };
	}
	showDrawing(exploring);
	showLists(exploring);
	showDrawer(exploring);
	countAgain(exploring.model);
}

/** Throws where there is no answer at all. */
async function pay(
	exploring: Exploring,
	{ offer, token, question }: { offer: Offer; token: string; question: string },
): Promise<Purchase> {
	const { model, attempts } = exploring;
	const { order, operation, key } = offer;
	const asked = { ...(order.body as object | undefined), query: question };
	const paid = { ...order, ...(operation === "graphs.search" && { body: asked }), token };
	const reply = await call({ ...paid, key: attempts.of(paid).key });
	attempts.end(paid, reply);
	const isAnswer = reply.status === 200 && reply.body !== undefined;
	if (!isAnswer) return { offer, token, reply, joined: undefined };
	const answer = { operation, key, body: reply.body };
	const joined = join(exploring, answer);
	if (!keepAnswer(model.data.graph, answer))
		say("This browser keeps no more: a page loaded again shows this answer no longer.");
	return { offer, token, reply, joined };
}

function join({ model, cursors }: Exploring, { operation, key, body }: KeptAnswer): Joined {
	const joined = joinAnswer(model, operation, body);
	// What was read once is not offered again; questions differ.
	if (operation !== "graphs.search") cursors.set(key, joined.cursor ?? null);
	return joined;
}

/** What pays; paper money is fetched where nothing else is given. Undefined where nothing pays. */
async function readToken(field: HTMLInputElement): Promise<string | undefined> {
	const canFetch = document.querySelector("#explorer-pay [data-demo-token]") !== null;
	if (field.value.trim() === "" && canFetch) {
		try {
			field.value = await fetchDemoToken();
			say("Paid with the demo token: paper money.");
		} catch (error) {
			say(error instanceof Error ? error.message : String(error));
		}
	}
	const token = field.value.trim();
	if (token !== "") return token;
	say("Put a token or an API key in that pays. Nothing was charged.");
	field.focus();
	return undefined;
}

function wordsOf({
	drawn,
	total,
	found,
	chosen,
}: {
	readonly drawn: number;
	readonly total: number;
	readonly found: number | undefined;
	readonly chosen: Item | undefined;
}): string {
	if (chosen) return chosen.name;
	if (found !== undefined) {
		return found === 0 ? "Nothing that is shown has this name." : `${found} found.`;
	}
	if (drawn === total) return `${total.toLocaleString("en-US")} marks`;
	return `${drawn.toLocaleString("en-US")} of ${total.toLocaleString("en-US")} marks; choose one to draw what lies around it.`;
}

function countAgain(model: Model): void {
	const counts = countMarks(model);
	for (const one of document.querySelectorAll<HTMLElement>("[data-count-of]")) {
		one.textContent = (counts.get(one.dataset["countOf"] ?? "") ?? 0).toLocaleString("en-US");
	}
}

const root = document.querySelector<HTMLElement>("[data-explorer]");
if (root) {
	start(root).catch(() => {
		element("scene-say").textContent =
			"The drawing could not be loaded. The lists have the same content.";
	});
}
