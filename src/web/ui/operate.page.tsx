/** The form of one operation: what is in it becomes the request and its samples; the answer is shown with what it cost. */
import { render } from "preact";
import { type SampledCall, samplesOf, toAddress } from "../pages/call-samples.js";
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
import { payByWallet, WalletRefused } from "./wallet.js";

interface Terms extends SampledCall {
	readonly title: string;
	readonly template: string;
}

interface Filled {
	readonly params: Record<string, string>;
	readonly query: Record<string, string>;
	readonly body: Record<string, unknown>;
}

type FieldElement = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

class BadField extends Error {
	readonly field: FieldElement;
	constructor(field: FieldElement, message: string) {
		super(message);
		this.name = "BadField";
		this.field = field;
	}
}

function start(form: HTMLFormElement, out: HTMLElement): void {
	const terms = JSON.parse(form.dataset["operation"] ?? "{}") as Terms;
	const fields = [...form.querySelectorAll<FieldElement>("[data-field]")];
	fillFromAddress(fields);
	const token = document.getElementById("ask-token") as HTMLInputElement | null;
	if (token) offerDemoToken(form, token);
	if (location.search !== "") showSamples(terms, fields);
	form.addEventListener("input", () => showSamples(terms, fields));
	let isSending = false;
	const attempts = createAttempts();
	form.addEventListener("submit", async (event) => {
		event.preventDefault();
		if (isSending) return;
		isSending = true;
		const { submitter } = event as SubmitEvent;
		submitter?.setAttribute("aria-busy", "true");
		try {
			const filled = fill(fields);
			const isByWallet = (submitter as HTMLButtonElement | null)?.value === "wallet";
			const own = isByWallet ? "" : (token?.value ?? "");
			await send({ terms, filled, token: own, isByWallet, attempts }, out);
		} catch (error) {
			if (!(error instanceof BadField)) throw error;
			markBad(error);
		} finally {
			submitter?.removeAttribute("aria-busy");
			isSending = false;
		}
	});
}

/** Other pages lead here with fields filled in, one a parameter of the address; what they say nothing of is left out. */
function fillFromAddress(fields: readonly FieldElement[]): void {
	const given = new URLSearchParams(location.search);
	if (given.size === 0) return;
	for (const field of fields) {
		const value = given.get(field.dataset["field"] ?? "");
		if (field instanceof HTMLInputElement && field.type === "checkbox") {
			field.checked = value === "true";
		} else if (value !== null || !field.required) field.value = value ?? "";
	}
}

/** What the fields hold. Throws BadField. */
function fill(fields: readonly FieldElement[]): Filled {
	const filled: Filled = { params: {}, query: {}, body: {} };
	for (const field of fields) {
		clearBad(field);
		const { field: name = "", place = "body", kind = "text" } = field.dataset;
		const value = readField(field, kind);
		if (value === undefined) {
			if (field.required) throw new BadField(field, "This is needed. Nothing was charged.");
			continue;
		}
		if (place === "body") filled.body[name] = value;
		else filled[place as "params" | "query"][name] = String(value);
	}
	return filled;
}

/** Undefined for what is left out. */
function readField(field: FieldElement, kind: string): unknown {
	if (kind === "flag") return (field as HTMLInputElement).checked ? true : undefined;
	const text = field.value.trim();
	if (text === "") return undefined;
	if (kind === "lines")
		return text
			.split("\n")
			.map((line) => line.trim())
			.filter(Boolean);
	if (kind === "number") {
		const value = Number(text);
		if (Number.isNaN(value)) throw new BadField(field, "This must be a number.");
		return value;
	}
	if (kind !== "json") return text;
	try {
		return JSON.parse(text);
	} catch {
		throw new BadField(field, "This is not JSON. Nothing was charged.");
	}
}

function markBad({ field, message }: BadField): void {
	field.setAttribute("aria-invalid", "true");
	const note = document.getElementById(`${field.id}-e`);
	const words = note?.querySelector("span");
	if (note) note.hidden = false;
	if (words) words.textContent = message;
	field.focus();
}

function clearBad(field: FieldElement): void {
	field.removeAttribute("aria-invalid");
	const note = document.getElementById(`${field.id}-e`);
	if (note) note.hidden = true;
}

function showSamples(terms: Terms, fields: readonly FieldElement[]): void {
	let filled: Filled;
	try {
		filled = fill(fields);
	} catch {
		// What is not whole yet is shown as it was.
		return;
	}
	const { agent } = terms;
	const samples = samplesOf({
		...terms,
		path: toAddress(terms.template, filled),
		body: terms.body && filled.body,
		agent: agent && { name: agent.name, input: { ...filled.params, ...filled.body } },
	});
	for (const [at, { code }] of samples.entries()) {
		const shown = document.querySelector(`#call-p${at} code`);
		if (shown) shown.textContent = code;
	}
}

async function send(
	order: {
		readonly terms: Terms;
		readonly filled: Filled;
		readonly token: string;
		readonly isByWallet: boolean;
		readonly attempts: Attempts;
	},
	out: HTMLElement,
): Promise<void> {
	const { terms, filled, token, isByWallet, attempts } = order;
	const request = {
		method: terms.method,
		path: toAddress(terms.template, filled),
		...(terms.body && { body: filled.body }),
	};
	const attempt = attempts.of({ ...request, token });
	const keyed = { ...request, ...(terms.usd !== undefined && { key: attempt.key }) };
	render(<Skeleton />, out);
	try {
		const reply = isByWallet
			? await payByWallet((headers) => call({ ...keyed, headers }), attempt)
			: await call({ ...keyed, token });
		attempts.end({ ...request, token }, reply);
		render(null, out);
		render(<Reply reply={reply} terms={terms} token={token} />, out);
	} catch (error) {
		const words =
			error instanceof WalletRefused
				? `${error.message} Nothing was charged.`
				: "The server did not answer. Send it again as it is: it pays once, however often it is sent.";
		render(null, out);
		render(<Trouble title="This did not work" words={words} />, out);
	}
	out.querySelector<HTMLElement>("h2")?.focus();
}

function Reply({
	reply,
	terms,
	token,
}: {
	readonly reply: CallReply;
	readonly terms: Terms;
	readonly token: string;
}) {
	const refusal = refusalOf(reply);
	const rows = rowsOf(reply.body);
	return (
		<>
			<div class="row row-end">
				<h2 tabIndex={-1}>{refusal ? "Refused" : "Answer"}</h2>
				<p class="row small">
					<span class={refusal ? "badge badge-stop" : "badge badge-pass"}>{reply.status}</span>
					<span class="muted num">{reply.ms} ms</span>
				</p>
			</div>
			{refusal && (
				<p>
					{refusal.message} {chargeOf(reply)}
				</p>
			)}
			{rows.length > 0 && (
				<div class="card card-flush">
					{rows.map((row, at) => (
						<EvidenceRow key={`${at} ${row.name}`} row={row} rank={at + 1} />
					))}
				</div>
			)}
			{!refusal && <PageLink body={reply.body} token={token} />}
			<details open={rows.length === 0}>
				<summary>The reply as it came</summary>
				{/* A long reply is read with the arrows of the keyboard. */}
				<pre class="card json" tabIndex={0}>
					<code>
						{reply.body === undefined ? reply.text : JSON.stringify(reply.body, undefined, 2)}
					</code>
				</pre>
			</details>
			{terms.usd !== undefined && !refusal && (
				<Receipt reply={reply} title={terms.title} token={token} />
			)}
		</>
	);
}

/** A report has a page, which is opened by what paid for it. */
function PageLink({ body, token }: { readonly body: unknown; readonly token: string }) {
	const { data = {} } = (body ?? {}) as { data?: Record<string, unknown> };
	const id = REPORT_IDS.map((name) => data[name]).find((value) => typeof value === "string");
	if (id === undefined) return null;
	return (
		<form
			method="post"
			action={`/reports/${encodeURIComponent(String(id))}`}
			target="_blank"
			rel="noopener"
		>
			<input type="hidden" name="token" value={token} />
			<button class="btn btn-sm" type="submit">
				Open as a page, to print or save
			</button>
		</form>
	);
}

const REPORT_IDS = ["dossier_id", "report_id", "invoice_id", "job_id"] as const;

/** Rows that look like evidence, wherever the operation puts them. */
function rowsOf(body: unknown): readonly RowWire[] {
	const { rows, data } = (body ?? {}) as {
		rows?: unknown;
		data?: { rows?: unknown; items?: unknown };
	};
	for (const list of [rows, data?.rows, data?.items]) {
		if (Array.isArray(list) && list.length > 0 && list.every(isRow)) return list;
	}
	return [];
}

const isRow = (value: unknown): value is RowWire => {
	const row = (value ?? {}) as Partial<RowWire>;
	return (
		typeof row.name === "string" && typeof row.summary === "string" && Array.isArray(row.evidence)
	);
};

const form = document.getElementById("call-form");
const out = document.getElementById("reply");
if (form instanceof HTMLFormElement && out) start(form, out);
