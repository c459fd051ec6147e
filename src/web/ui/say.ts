const SHOWN_MS = 6_000;

/** Says something once, politely: it stays long enough to be read. */
export function say(text: string): void {
	const item = document.createElement("p");
	item.className = "toast";
	item.textContent = text;
	document.querySelector(".toasts")?.append(item);
	setTimeout(() => item.remove(), SHOWN_MS);
}
