import type { ComponentChildren } from "preact";
import {
	OPERATION_OF_SKILL,
	type PageContent,
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

export function loginPage({ client, resource, csrf, error }: Step): PageContent {
	return toPage(
		"Sign in",
		<>
			<Problem error={error} />
			<p class="lead">
				<strong>{nameOf(client)}</strong> asks for access to <code>{resource}</code>. Sign in to see
				what that would cost.
			</p>
			<form method="post" class="stack" autocomplete="off">
				<input type="hidden" name="csrf" value={csrf} />
				<div class="field">
					<label for="key">API key of your account</label>
					<input
						id="key"
						name="key"
						type="password"
						required
						maxLength={200}
						autocomplete="off"
						spellcheck={false}
						aria-describedby="key-note"
					/>
					<p class="hint" id="key-note">
						A key that manages its account, beginning with sk_. The application never sees it: it
						gets access of its own, which you can end at any time.
					</p>
				</div>
				<Choice yes={["login", "Sign in"]} no="Cancel" />
			</form>
		</>,
		[toFormTarget(client.redirectUri)],
	);
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

export function consentPage(view: ConsentView): PageContent {
	const { client, resource, csrf, error, accountName, balanceMicros, prices, budget } = view;
	return toPage(
		"Allow access?",
		<>
			<Problem error={error} />
			<p class="lead">
				<strong>{nameOf(client)}</strong> asks to use <code>{resource}</code> and to have its calls
				charged to your account.
			</p>
			<dl class="facts">
				<Fact name="Application">
					{nameOf(client)}
					{client.verifiedHost === undefined
						? " (it named itself; nobody has checked that)"
						: `, published by ${client.verifiedHost}`}
				</Fact>
				<Fact name="You will be sent to">{describeTarget(client.redirectUri)}</Fact>
				<Fact name="Account">{accountName}</Fact>
				<Fact name="Balance">{formatUsd(balanceMicros)} USD</Fact>
				<Fact name="What a call costs">
					{costOf(prices)}; a call without an answer costs nothing
				</Fact>
			</dl>
			<form method="post" class="stack" autocomplete="off">
				<input type="hidden" name="csrf" value={csrf} />
				<div class="field">
					<label for="budget">Most it may spend in a month, in USD</label>
					<input
						id="budget"
						name="budget"
						inputMode="decimal"
						required
						maxLength={20}
						value={budget}
						aria-describedby="budget-note"
					/>
					<p class="hint" id="budget-note">
						It will appear among the keys of your account, where you can change this, see what it
						spent, and end its access.
					</p>
				</div>
				<Earlier {...view} />
				<Choice yes={["agree", "Allow"]} no="Decline" />
			</form>
			<h2 class="h-panel">Prices</h2>
			<Prices {...prices} />
		</>,
		[toFormTarget(client.redirectUri)],
	);
}

export function failurePage(message: string): PageContent {
	return toPage("This did not work", <p class="lead">{message}</p>);
}

function toPage(
	title: string,
	content: ComponentChildren,
	formTargets: readonly string[] = [],
): PageContent {
	return {
		title,
		description: "Access of an application to an account.",
		path: "/oauth",
		formTargets,
		content: (
			<div class="wrap letter">
				<div class="card stack">
					<h1>{title}</h1>
					{content}
				</div>
			</div>
		),
	};
}

function Problem({ error }: Pick<Step, "error">) {
	return error === undefined ? null : (
		<p class="note note-stop" role="alert">
			{error}
		</p>
	);
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
	return (
		<div>
			<dt>{name}</dt>
			<dd>{children}</dd>
		</div>
	);
}

/** Two buttons of one size: no answer is easier than the other. */
function Choice({
	yes: [value, words],
	no,
}: {
	readonly yes: readonly [value: string, words: string];
	readonly no: string;
}) {
	return (
		<div class="choice">
			<button class="btn btn-pay" type="submit" name="step" value={value}>
				{words}
			</button>
			<button class="btn" type="submit" name="step" value="decline" formNoValidate>
				{no}
			</button>
		</div>
	);
}

/** Most who ask again have lost what they had; some users have more than one device. */
function Earlier({ earlierCount, keepsEarlier }: ConsentView) {
	if (earlierCount === 0) return null;
	const keys = earlierCount === 1 ? "a key" : `${earlierCount} keys`;
	return (
		<>
			<p>
				It has this access already, by {keys} of your account. If you allow it now, the new access
				takes the place of that one.
			</p>
			<label class="check">
				<input type="checkbox" name="keep" value="yes" defaultChecked={keepsEarlier} />
				<span>Keep that access too, for another device</span>
			</label>
		</>
	);
}

function Prices({ rows }: PriceTable) {
	return (
		<table class="tbl tbl-compact">
			<thead>
				<tr>
					<th scope="col">Tool</th>
					<th scope="col" class="r">
						USD
					</th>
				</tr>
			</thead>
			<tbody>
				{rows.map(({ title, price }) => (
					<tr key={title}>
						<td>{title}</td>
						<td class="r">{price}</td>
					</tr>
				))}
			</tbody>
		</table>
	);
}

function nameOf({ name }: AskingClient): string {
	return name ?? "An application without a name";
}

function costOf({ leastMicros, mostMicros }: PriceTable): string {
	const [least, most] = [formatUsd(leastMicros), formatUsd(mostMicros)];
	return least === most ? `${least} USD` : `${least} to ${most} USD`;
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
