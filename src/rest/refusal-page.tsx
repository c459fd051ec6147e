import type { Request } from "express";
import { PaymentRequired } from "../../payments/payments.js";
import type { PageContent } from "../contract/contract.js";
import { prefersPage } from "../http/http.js";
import { formatUsd, type ServiceError } from "../kernel/kernel.js";

const METHODS_OF_PAGES: ReadonlySet<string> = new Set(["GET", "HEAD", "POST"]);

/** What pays comes from programs, whatever they say they read: they need all that an error says. */
const CREDENTIALS: readonly string[] = [
	"authorization",
	"x-pay-spt",
	"x-api-key",
	"payment-signature",
	"x-payment",
];

/** True for a person whom a link or a form has led here: programs name JSON, or take anything. */
export function asksForPage(req: Pick<Request, "method" | "accepts" | "headers">): boolean {
	const pays = CREDENTIALS.some((name) => req.headers[name] !== undefined);
	return METHODS_OF_PAGES.has(req.method) && !pays && prefersPage(req);
}

/** A refusal as people read it: what is wrong, what was charged, and the way on. */
export function toRefusalPage(error: ServiceError): PageContent {
	const isForMoney = error instanceof PaymentRequired;
	const title = isForMoney ? "Payment required" : (TITLES[error.code] ?? "This did not work");
	return {
		title,
		description: error.message,
		path: "/",
		content: (
			<div class="wrap letter">
				<div class="card stack">
					<h1>{title}</h1>
					{isForMoney ? <Payment refusal={error} /> : <Problem error={error} />}
				</div>
				<p class="small muted">
					What may be read free: <a href="/">the graphs</a>, <a href="/docs">every operation</a>,{" "}
					<a href="/guide">the guide</a>.
				</p>
			</div>
		),
	};
}

const TITLES: Readonly<Record<string, string>> = {
	NOT_FOUND: "This is not here",
	INVALID_ARGUMENT: "This address is not complete",
	UNAUTHENTICATED: "This is for its owner",
	SCOPE_FORBIDDEN: "This is not for you",
	RATE_LIMITED: "Too many at once",
	UNAVAILABLE: "Not ready yet",
};

/** What became of an earlier request is not known, or may still come. */
const UNCERTAIN: ReadonlySet<string> = new Set([
	"SETTLEMENT_UNKNOWN",
	"IDEMPOTENCY_IN_FLIGHT",
	"UNAVAILABLE",
	"INTERNAL",
]);

function Problem({ error }: { readonly error: ServiceError }) {
	return (
		<>
			<p class="lead">{error.message}</p>
			{!UNCERTAIN.has(error.code) && <p>Nothing was charged.</p>}
		</>
	);
}

/** What stands at an address that is paid for, what it costs, and how an agent pays. */
function Payment({ refusal }: { readonly refusal: PaymentRequired }) {
	const { code, message, challenge } = refusal;
	const { quote, continuations } = challenge;
	return (
		<>
			{quote && (
				<p class="row">
					<span class="lead">{quote.description}</span>
					<span class="price price-lg">{formatUsd(quote.amountMicros)} USD</span>
				</p>
			)}
			<p>
				This address is for programs: agents pay for each call and are answered in JSON.
				{code === "PAYMENT_REQUIRED" ? "" : ` ${message}`} Nothing was charged.
			</p>
			<h2 class="h-panel">How an agent pays</h2>
			<ul class="stack-2 plain">
				{continuations.map(({ instructions }) => (
					<li key={instructions} class="note">
						{instructions}
					</li>
				))}
			</ul>
		</>
	);
}
