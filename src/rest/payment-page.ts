import type { Request } from "express";
import { PaymentRequired } from "../../payments/payments.js";
import { formatUsd, type ServiceError } from "../kernel/kernel.js";

/** True for a browser that opens the address of something paid for: a citation of an answer, mostly. */
export function asksForPage(
	req: Pick<Request, "method" | "accepts">,
	error: ServiceError,
): error is PaymentRequired {
	if (req.method !== "GET" || !(error instanceof PaymentRequired)) return false;
	return req.accepts(["application/json", "text/html"]) === "text/html";
}

/** What stands at an address that is paid for, what it costs, and how an agent pays: for people, without a script. */
export function renderPaymentPage({ message, challenge }: PaymentRequired): string {
	const { quote, continuations } = challenge;
	const ways = continuations.map(({ instructions }) => `<li>${escapeHtml(instructions)}</li>`);
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Payment required</title>
</head>
<body>
<h1>Payment required</h1>
${quote ? `<p>${escapeHtml(quote.description)}: ${formatUsd(quote.amountMicros)} USD a call.</p>` : ""}
<p>This address is for programs: agents pay for each call and are answered in JSON. ${escapeHtml(message)}</p>
<h2>How an agent pays</h2>
<ul>
${ways.join("\n")}
</ul>
<p>What may be read free: <a href="/llms.txt">an overview</a>, <a href="/docs">the interface</a>, <a href="/v1/graphs/catalog">the catalog</a>.</p>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
