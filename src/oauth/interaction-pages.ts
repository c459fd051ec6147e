import { formatUsd, type Micros } from "../kernel/kernel.js";
import { describeTarget } from "./client-metadata.js";
import { Html, html, type Page, toFormTarget, toPage } from "./page.js";
import type { PriceTable } from "./price-table.js";

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
<p class="note" id="key-note">A key that manages its account, beginning with sk_live_. The application never sees it: it gets access of its own, which you can end at any time.</p>
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
