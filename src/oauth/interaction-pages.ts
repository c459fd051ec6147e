import { createHash } from "node:crypto";
import {
	OPERATION_OF_SKILL,
	type PriceList,
	pricesByGraph,
	SKILL_IDS,
	type Skill,
	type SkillCatalog,
} from "../contract/contract.js";
import { formatUsd, type Micros, parseUsd } from "../kernel/kernel.js";
import { describeTarget } from "./client-registration.js";

/** Who asks for access. */
export interface AskingClient {
	readonly name: string | undefined;
	/** Host that vouches for the name: of the document in which the client describes itself. */
	readonly verifiedHost: string | undefined;
	readonly redirectUri: string;
}

interface Step {
	readonly client: AskingClient;
	readonly resource: string;
	/** Proves that the form was ours. */
	readonly csrf: string;
	/** Why the form is shown again. */
	readonly error?: string | undefined;
}

export function loginPage({ client, resource, csrf, error }: Step): Page {
	const content = html`
${errorOf(error)}
<p><strong>${nameOf(client)}</strong> asks for access to <code>${resource}</code>. Sign in to see what that would cost.</p>
<form method="post" autocomplete="off">
<input type="hidden" name="csrf" value="${csrf}">
<label for="key">API key of your account</label>
<input id="key" name="key" type="password" required maxlength="200" autocomplete="off" spellcheck="false" aria-describedby="key-note">
<p class="note" id="key-note">A key that manages its account, beginning with sk_. The application never sees it: it gets access of its own, which you can end at any time.</p>
<button name="step" value="login">Sign in</button>
<button name="step" value="decline" formnovalidate>Cancel</button>
</form>`;
	return toPage("Sign in", content, [toFormTarget(client.redirectUri)]);
}

export interface ConsentView extends Step {
	readonly accountName: string;
	readonly balanceMicros: Micros;
	readonly prices: PriceTable;
	/** As it stands in its field. */
	readonly budget: string;
	/** Keys by which the client has this access already. */
	readonly earlierCount: number;
	readonly keepsEarlier: boolean;
}

export function consentPage(view: ConsentView): Page {
	const { client, resource, csrf, error, accountName, balanceMicros, prices, budget } = view;
	const content = html`
${errorOf(error)}
<p><strong>${nameOf(client)}</strong> asks to use <code>${resource}</code> and to have its calls charged to your account.</p>
<dl>
<dt>Application</dt><dd>${nameOf(client)}${client.verifiedHost === undefined ? " (it named itself; nobody has checked that)" : `, published by ${client.verifiedHost}`}</dd>
<dt>You will be sent to</dt><dd>${describeTarget(client.redirectUri)}</dd>
<dt>Account</dt><dd>${accountName}</dd>
<dt>Balance</dt><dd>${formatUsd(balanceMicros)} USD</dd>
<dt>What a call costs</dt><dd>${costOf(prices)}; a call without an answer costs nothing</dd>
</dl>
<form method="post" autocomplete="off">
<input type="hidden" name="csrf" value="${csrf}">
<label for="budget">Most it may spend in a month, in USD</label>
<input id="budget" name="budget" inputmode="decimal" required maxlength="20" value="${budget}" aria-describedby="budget-note">
<p class="note" id="budget-note">It will appear among the keys of your account, where you can change this, see what it spent, and end its access.</p>
${earlierOf(view)}<button name="step" value="agree">Allow</button>
<button name="step" value="decline" formnovalidate>Decline</button>
</form>
<h2>Prices</h2>
<table>
<thead><tr><th scope="col">Tool</th><th scope="col">USD</th></tr></thead>
<tbody>
${prices.rows.map(({ title, price }) => html`<tr><td>${title}</td><td>${price}</td></tr>\n`)}</tbody>
</table>`;
	return toPage("Allow access?", content, [toFormTarget(client.redirectUri)]);
}

export function failurePage(message: string): Page {
	return toPage("This did not work", html`<p class="error">${message}</p>`);
}

/** Most who ask again have lost what they had; some users have more than one device. */
function earlierOf({ earlierCount, keepsEarlier }: ConsentView): Html {
	if (earlierCount === 0) return new Html("");
	const keys = earlierCount === 1 ? "a key" : `${earlierCount} keys`;
	const checked = new Html(keepsEarlier ? " checked" : "");
	return html`<p>It has this access already, by ${keys} of your account. If you allow it now, the new access takes the place of that one.</p>
<label><input type="checkbox" name="keep" value="yes"${checked}> Keep that access too, for another device</label>
`;
}

function nameOf({ name }: AskingClient): string {
	return name ?? "An application without a name";
}

function costOf({ leastMicros, mostMicros }: PriceTable): string {
	const [least, most] = [formatUsd(leastMicros), formatUsd(mostMicros)];
	return least === most ? `${least} USD` : `${least} to ${most} USD`;
}

function errorOf(error: string | undefined): Html {
	return error === undefined ? new Html("") : html`<p class="error" role="alert">${error}</p>`;
}

/** HTML that is safe as it stands; text becomes part of it only through `html`. */
class Html {
	readonly text: string;
	constructor(text: string) {
		this.text = text;
	}
}

type Part = string | Html | readonly Html[] | undefined;

/** Fills in text, escaped, and further HTML, as it is. */
function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
	const filled = strings.map((string, index) => string + toText(parts[index]));
	return new Html(filled.join(""));
}

function toText(part: Part): string {
	if (part === undefined) return "";
	if (part instanceof Html) return part.text;
	if (typeof part !== "string") return part.map(({ text }) => text).join("");
	return part.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 34rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word; }
h1 { font-size: 1.4rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid #8884; }
td:last-child, th:last-child { text-align: right; padding-right: 0; }
label { display: block; font-weight: 600; margin-top: 1rem; }
input { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; margin: .25rem 0; }
input[type="checkbox"] { width: auto; }
button { font: inherit; padding: .5rem 1rem; margin: 1rem .5rem 0 0; cursor: pointer; }
.error { border-left: 4px solid #c00; padding-left: .75rem; }
.note { font-size: .9rem; opacity: .85; }
dt { font-weight: 600; }
dd { margin: 0 0 .5rem; overflow-wrap: anywhere; }
`;

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

export interface Page {
	readonly body: string;
	/** Content-Security-Policy it is to be sent with: no script, one style, forms to here and where they lead alone. */
	readonly policy: string;
}

function toPage(title: string, content: Html, formTargets: readonly string[] = []): Page {
	const { text: body } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
	const policy = [
		"default-src 'none'",
		`style-src 'sha256-${STYLE_HASH}'`,
		// Some browsers hold the redirects that follow a form to the same list.
		`form-action ${["'self'", ...formTargets].join(" ")}`,
		"base-uri 'none'",
		"frame-ancestors 'none'",
	].join("; ");
	return { body, policy };
}

/** Parsers of addresses let a host have characters, such as ";", that end a directive of the policy. */
const PLAIN_ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/;

/** As a source of a Content-Security-Policy: the address's origin, or its scheme where such a source cannot name it. */
function toFormTarget(redirectUri: string): string {
	const { origin, protocol } = new URL(redirectUri);
	return PLAIN_ORIGIN.test(origin) ? origin : protocol;
}

/** What an application could buy, as a user sees it before agreeing to it. */
type PriceTable = ReturnType<typeof toPriceTable>;

/** Every skill at today's price; where it is sold in several kinds, from the least to the most. */
export function toPriceTable(prices: PriceList, skills: SkillCatalog) {
	const amounts: Micros[] = [];
	const rows = SKILL_IDS.map((id) => {
		const skill: Skill = skills[OPERATION_OF_SKILL[id]];
		const kinds = Object.values(skill.pricedBy?.as ?? {});
		const own = [skill.operationId, ...kinds].map((kind) => prices.priceOf(kind).amountMicros);
		own.push(...Object.values(pricesByGraph(prices, skill) ?? {}).map(parseUsd));
		const [least, most] = rangeOf(own);
		amounts.push(least, most);
		const price = least === most ? formatUsd(least) : `${formatUsd(least)}–${formatUsd(most)}`;
		return { title: skill.title, price: skill.units ? `${price} per ${skill.units.name}` : price };
	});
	const [leastMicros, mostMicros] = rangeOf(amounts);
	return { rows, leastMicros, mostMicros };
}

/** The least and the most. */
function rangeOf(amounts: readonly Micros[]): readonly [Micros, Micros] {
	const inOrder = [...amounts].sort((a, b) => Number(a - b));
	return [inOrder.at(0) ?? 0n, inOrder.at(-1) ?? 0n];
}
