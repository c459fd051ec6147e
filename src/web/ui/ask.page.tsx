/** The form of a graph's page: price first, then pay, then rows and the receipt. */
import { render } from "preact";
import { EvidenceRow, type RowWire } from "../pages/parts.js";
import {
	type Attempts,
	type CallReply,
	call,
	chargeOf,
	createAttempts,
	refusalOf,
} from "./calls.js";
import { offerDemoToken, Skeleton, Trouble } from "./form-parts.js";
import { Receipt } from "./receipt.js";

const SKELETON_MS = 300;

function start(form: HTMLFormElement, answer: HTMLElement): void {
	const query = field<HTMLTextAreaElement>("ask-q");
	const token = field<HTMLInputElement>("ask-token");
	for (const chip of document.querySelectorAll<HTMLElement>("[data-example]")) {
		chip.addEventListener("click", () => {
			query.value = chip.dataset["example"] ?? "";
			query.focus();
		});
	}
	offerDemoToken(form, token);
	const attempts = createAttempts();
	let isAsking = false;
	form.addEventListener("submit", async (event) => {
		event.preventDefault();
		if (isAsking || !isFilled(query, token)) return;
		isAsking = true;
		const button = form.querySelector("button[type=submit]");
		button?.setAttribute("aria-busy", "true");
		const skeleton = setTimeout(() => render(<Skeleton />, answer), SKELETON_MS);
		try {
			await ask(form, answer, { query: query.value.trim(), token: token.value, attempts });
		} finally {
			clearTimeout(skeleton);
			button?.removeAttribute("aria-busy");
			isAsking = false;
		}
	});
}

function field<T extends HTMLElement>(id: string): T {
	return document.getElementById(id) as T;
}

function isFilled(query: HTMLTextAreaElement, token: HTMLInputElement): boolean {
	const note = document.getElementById("ask-e");
	const fault =
		query.value.trim() === ""
			? { at: query, words: "Write a question first. Nothing was charged." }
			: token.value.trim() === ""
				? { at: token, words: "Put a token or an API key in that pays. Nothing was charged." }
				: undefined;
	for (const one of [query, token]) one.setAttribute("aria-invalid", String(one === fault?.at));
	if (note) {
		note.hidden = !fault;
		const words = note.querySelector("span");
		if (words) words.textContent = fault?.words ?? "";
	}
	fault?.at.focus();
	return !fault;
}

async function ask(
	form: HTMLFormElement,
	answer: HTMLElement,
	{
		query,
		token,
		attempts,
	}: { readonly query: string; readonly token: string; readonly attempts: Attempts },
): Promise<void> {
	try {
		const reply = await call({
			method: "POST",
			path: `/v1/graphs/${encodeURIComponent(form.dataset["ask"] ?? "")}/search`,
			body: { query, limit: 5 },
			token,
			key: attempts.of({ query, token }).key,
		});
		attempts.end({ query, token }, reply);
		render(null, answer);
		render(<Answer reply={reply} token={token} />, answer);
	} catch {
		render(
			<Trouble
				title="The server did not answer"
				words="Send it again as it is: it pays once, however often it is sent."
			/>,
			answer,
		);
	}
	answer.querySelector<HTMLElement>("h2")?.focus({ preventScroll: false });
}

function Answer({ reply, token }: { readonly reply: CallReply; readonly token: string }) {
	const refusal = refusalOf(reply);
	if (refusal) {
		return (
			<Trouble
				title={TITLES[refusal.code] ?? "The call was refused"}
				words={`${refusal.message} ${chargeOf(reply)}`}
			/>
		);
	}
	const { rows = [] } = (reply.body ?? {}) as { rows?: readonly RowWire[] };
	if (rows.length === 0) {
		return (
			<Trouble
				title="This graph has no answer to that"
				words="Nothing was charged. Its owner sees what was asked in vain, without who asked. Try other words, or another graph."
			/>
		);
	}
	return (
		<>
			<h2 tabIndex={-1}>
				{rows.length} {rows.length === 1 ? "row" : "rows"}
			</h2>
			<div class="card card-flush">
				{rows.map((row, at) => (
					<EvidenceRow key={`${at} ${row.name}`} row={row} rank={at + 1} />
				))}
			</div>
			<Receipt reply={reply} title="Search of this graph" token={token} />
		</>
	);
}

const TITLES: Readonly<Record<string, string>> = {
	PAYMENT_REQUIRED: "This token cannot pay for the call",
	INSUFFICIENT_BALANCE: "There is not enough left on this token",
	UNAUTHENTICATED: "This token is not known here",
	RATE_LIMITED: "Too many calls at once",
};

const form = document.querySelector<HTMLFormElement>("form[data-ask]");
const answer = document.getElementById("answer");
if (form && answer) start(form, answer);
