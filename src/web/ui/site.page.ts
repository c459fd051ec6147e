/** Behavior that all pages share. They read without it; it only adds. */
import { say } from "./say.js";

const all = <T extends Element>(selector: string, root: ParentNode = document): readonly T[] => [
	...root.querySelectorAll<T>(selector),
];

startTheme();
for (const list of all<HTMLElement>('[role="tablist"]')) startTabs(list);
document.documentElement.classList.add("ready");
for (const table of all<HTMLTableElement>("table.tbl")) startSorting(table);
for (const root of all<HTMLElement>("[data-filter]")) startFilter(root);
document.addEventListener("click", (event) => void onClick(event));
document.addEventListener("keydown", onSlash);

/** Follows the system until the button is pressed, then what was chosen. */
function startTheme(): void {
	const button = document.querySelector("[data-theme-toggle]");
	const isDark = () =>
		(document.documentElement.dataset["theme"] ??
			(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
	const nameIt = () =>
		button?.setAttribute("aria-label", isDark() ? "Use the light theme" : "Use the dark theme");
	button?.addEventListener("click", () => {
		const next = isDark() ? "light" : "dark";
		document.documentElement.dataset["theme"] = next;
		try {
			localStorage.setItem("theme", next);
		} catch {
			// Without storage the choice lasts as long as the page.
		}
		nameIt();
		document.dispatchEvent(new Event("themechange"));
	});
	nameIt();
}

/** Arrows move, Home and End jump. */
function startTabs(list: HTMLElement): void {
	const tabs = all<HTMLElement>('[role="tab"]', list);
	const choose = (tab: HTMLElement | undefined) => {
		for (const other of tabs) {
			const isChosen = other === tab;
			other.setAttribute("aria-selected", String(isChosen));
			other.tabIndex = isChosen ? 0 : -1;
			const panel = document.getElementById(other.getAttribute("aria-controls") ?? "");
			if (panel) panel.hidden = !isChosen;
		}
	};
	choose(tabs.find((tab) => tab.getAttribute("aria-selected") === "true") ?? tabs[0]);
	list.addEventListener("click", (event) => {
		const tab = (event.target as Element).closest<HTMLElement>('[role="tab"]');
		if (tab) choose(tab);
	});
	list.addEventListener("keydown", (event) => {
		const at = tabs.indexOf(event.target as HTMLElement);
		const places: Readonly<Record<string, number>> = {
			ArrowRight: at + 1,
			ArrowLeft: at - 1,
			Home: 0,
			End: tabs.length - 1,
		};
		const to = places[event.key];
		if (at < 0 || to === undefined) return;
		event.preventDefault();
		const tab = tabs[(to + tabs.length) % tabs.length];
		choose(tab);
		tab?.focus();
	});
}

function startSorting(table: HTMLTableElement): void {
	for (const button of all<HTMLElement>(".sort", table)) {
		button.addEventListener("click", () => sortBy(table, button.closest("th")));
	}
}

function sortBy(table: HTMLTableElement, head: HTMLElement | null): void {
	if (!head?.parentElement) return;
	const at = [...head.parentElement.children].indexOf(head);
	const isDown = head.getAttribute("aria-sort") !== "descending";
	for (const other of all("th[aria-sort]", table)) other.removeAttribute("aria-sort");
	head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
	const rows = [...(table.tBodies[0]?.rows ?? [])].sort((one, other) =>
		compare(valueAt(one, at), valueAt(other, at)),
	);
	table.tBodies[0]?.append(...(isDown ? rows.reverse() : rows));
}

function valueAt(row: HTMLTableRowElement, at: number): number | string {
	const text = row.children[at]?.textContent?.trim() ?? "";
	const value = Number(text.replace(/[^0-9.-]/g, ""));
	const isNumber = /\d/.test(text) && !Number.isNaN(value) && !/^\d{4}-/.test(text);
	return isNumber ? value : text;
}

function compare(one: number | string, other: number | string): number {
	return typeof one === "number" && typeof other === "number"
		? one - other
		: String(one).localeCompare(String(other));
}

/** Leaves what has all words of the field, and is of the kind that is pressed. */
function startFilter(root: HTMLElement): void {
	const items = all<HTMLElement>("[data-item]", root);
	const chips = all<HTMLElement>(".chip[data-kind]", root);
	const input = root.querySelector<HTMLInputElement>("input[type=search]");
	const count = root.querySelector("[data-count]");
	const none = root.querySelector<HTMLElement>("[data-none]");
	const apply = () => {
		const words = (input?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
		const pressed = chips.find((chip) => chip.getAttribute("aria-pressed") === "true");
		const kind = pressed?.dataset["kind"] ?? "";
		let shown = 0;
		for (const item of items) {
			item.hidden = !fits(item, words, kind);
			if (!item.hidden) shown += 1;
		}
		if (count) count.textContent = `${shown} of ${items.length} shown`;
		if (none) none.hidden = shown > 0;
	};
	input?.addEventListener("input", apply);
	for (const chip of chips) {
		chip.addEventListener("click", () => {
			for (const other of chips) other.setAttribute("aria-pressed", String(other === chip));
			apply();
		});
	}
}

function fits(item: HTMLElement, words: readonly string[], kind: string): boolean {
	const text = `${item.dataset["item"]} ${item.textContent}`.toLowerCase();
	const isOfKind = kind === "" || item.dataset["type"] === kind;
	return isOfKind && words.every((word) => text.includes(word));
}

async function onClick({ target }: MouseEvent): Promise<void> {
	if ((target as Element).closest("[data-print]")) return window.print();
	const button = (target as Element).closest("[data-copy]");
	if (!button) return;
	const shown = all<HTMLElement>("pre", button.closest(".code") ?? document).find(
		(one) => one.offsetParent !== null,
	);
	try {
		await navigator.clipboard.writeText(shown?.textContent?.trim() ?? "");
		say("Copied. Put your own token in before you run it.");
	} catch {
		say("This browser does not allow copying. Select the text instead.");
	}
}

/** "/" goes to the search of the page. */
function onSlash(event: KeyboardEvent): void {
	const { tagName } = event.target as Element;
	const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(tagName);
	if (event.key !== "/" || event.ctrlKey || event.metaKey || isTyping) return;
	const field = document.querySelector<HTMLInputElement>("main input[type=search]");
	if (!field) return;
	event.preventDefault();
	field.focus();
}
