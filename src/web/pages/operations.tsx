import type { Operation } from "../../contract/contract.js";
import type { CallSample, SampledCall } from "./call-samples.js";
import { CAPABILITY_LIST } from "./capabilities.js";
import { TokenField } from "./graph.js";
import { type PageHead, renderPage, type Site, toScriptJson } from "./layout.js";
import { fieldsOf, type OperationField } from "./operation-fields.js";
import { Icon, Price, Samples } from "./parts.js";

/** Amount in USD that an operation costs here, such as "0.50"; "0.00" for what is free. */
export type PriceOf = (operation: Operation) => {
	readonly usd: string;
	readonly per?: string | undefined;
};

/** `/docs`: everything that can be called, by capability, with what it costs. */
export function renderOperations(site: Site, priceOf: PriceOf): string {
	const count = CAPABILITY_LIST.reduce((sum, { operations }) => sum + operations.length, 0);
	const head: PageHead = {
		title: "Playground: every operation with its price",
		description: `${count} operations by capability, each with its price, a form to try it and the same call in code.`,
		path: "/docs",
		section: "Playground",
	};
	return renderPage(
		site,
		head,
		<div class="wrap wrap-wide section" data-filter>
			<div class="section-head">
				<div>
					<h1>Playground</h1>
					<p>
						{count} operations. Each has a form that shows its price before it is called, and the
						same call in code. The whole description is at <a href="/openapi.json">/openapi.json</a>
						.
					</p>
				</div>
				<p class="muted small" data-count aria-live="polite">
					{count} of {count} shown
				</p>
			</div>
			<div class="row tools needs-js">
				<search class="search">
					<label class="vh" for="q">
						Search the operations
					</label>
					<Icon name="find" />
					<input id="q" type="search" placeholder="What should it do?" autocomplete="off" />
				</search>
			</div>
			{CAPABILITY_LIST.map(({ title, operations }) => (
				<section key={title} class="stack-2" aria-label={title}>
					<h2 class="h-panel">{title}</h2>
					<ul class="pricebook">
						{operations.map((operation) => (
							<li key={operation.id} data-item={operation.id}>
								<span>
									<a href={`/docs/${operation.id}`}>{operation.summary}</a>
								</span>
								<Price usd={priceOf(operation).usd} />
							</li>
						))}
					</ul>
				</section>
			))}
			<div class="state" data-none hidden>
				<Icon name="box" />
				<h2 class="h-panel">No operation has these words</h2>
				<p>Try the name of a thing: claim, graph, token, schedule.</p>
			</div>
		</div>,
	);
}

export interface OperationContent {
	readonly operation: Operation;
	readonly priceOf: PriceOf;
	readonly call: SampledCall;
	readonly samples: readonly CallSample[];
	readonly hasDemoToken: boolean;
	/** Whether wallets can pay for it. */
	readonly takesWallet: boolean;
	readonly graphs: readonly { readonly id: string; readonly title: string }[];
	/** What its example is answered. */
	readonly exampleReply: unknown;
}

/** `/docs/{operation}`: what it does and costs, a form to try it, and the same call in code. */
export function renderOperation(site: Site, content: OperationContent): string {
	const { operation, priceOf } = content;
	const { usd, per } = priceOf(operation);
	const isFree = usd === "0.00";
	const head: PageHead = {
		title: `${operation.summary}: ${isFree ? "free" : `${usd} USD`} on tollgraph`,
		description: operation.description,
		path: `/docs/${operation.id}`,
		section: "Playground",
		scripts: ["operate.js"],
	};
	return renderPage(
		site,
		head,
		<div class="wrap wrap-wide play">
			<OperationList current={operation} priceOf={priceOf} />
			<div class="stack-5" id="op">
				<header class="stack-2">
					<div class="row row-end">
						<h1>{operation.summary}</h1>
						<Price usd={usd} />
					</div>
					<p class="row small">
						<span class="verb">{operation.method}</span>
						<code>{operation.path}</code>
						{per && <span class="muted">priced per {per}</span>}
					</p>
					<p class="muted">{operation.description}</p>
				</header>
				<CallForm {...content} usd={usd} isFree={isFree} />
				<section id="reply" class="stack-2" aria-live="polite" aria-label="Answer" />
				<section class="stack-2" aria-labelledby="h-ex">
					<h2 id="h-ex" class="h-panel">
						What its example is answered
					</h2>
					<pre class="card json" tabIndex={0}>
						<code>{JSON.stringify(content.exampleReply, undefined, 2)}</code>
					</pre>
				</section>
			</div>
			<aside class="stack" aria-label="In code">
				<h2 class="h-panel">The same call</h2>
				<div id="samples">
					<Samples id="call" label="Ways to call" samples={content.samples} />
				</div>
			</aside>
		</div>,
	);
}

function OperationList({
	current,
	priceOf,
}: {
	readonly current: Operation;
	readonly priceOf: PriceOf;
}) {
	return (
		<nav class="ops card card-flush" aria-label="Operations by capability">
			<a class="skip" href="#op">
				Skip to the form
			</a>
			{CAPABILITY_LIST.map(({ title, operations }) => (
				<details key={title} open={operations.includes(current)}>
					<summary>
						{title}
						<span class="num">{operations.length}</span>
					</summary>
					<ul>
						{operations.map((operation) => {
							const { usd } = priceOf(operation);
							return (
								<li key={operation.id}>
									<a
										href={`/docs/${operation.id}`}
										aria-current={operation === current ? "page" : undefined}
									>
										<span>{operation.summary}</span>
										<span class={usd === "0.00" ? "p p-free" : "p"}>
											{usd === "0.00" ? "free" : usd}
										</span>
									</a>
								</li>
							);
						})}
					</ul>
				</details>
			))}
		</nav>
	);
}

type FormContent = OperationContent & { readonly usd: string; readonly isFree: boolean };

/** What the script must know to send it. */
const sentTerms = ({ operation, call, usd, isFree }: FormContent) => ({
	...call,
	title: operation.summary,
	template: operation.path,
	usd: isFree ? undefined : usd,
});

function CallForm(content: FormContent) {
	const { operation, usd, isFree, hasDemoToken, takesWallet, graphs } = content;
	const fields = fieldsOf(operation);
	const needsCredential = operation.kind !== "data" && operation.kind !== "document";
	return (
		<form class="gate" id="call-form" data-operation={toScriptJson(sentTerms(content))} noValidate>
			<div class="q stack">
				{fields.map((field) => (
					<Field key={`${field.place} ${field.name}`} field={field} graphs={graphs} />
				))}
				{fields.length === 0 && <p class="muted">It takes no fields.</p>}
				{needsCredential && <TokenField hasDemoToken={hasDemoToken} />}
			</div>
			<div class="toll">
				<Price usd={usd} isLarge />
				<p>
					{isFree
						? "Free. Nothing is charged, whatever it answers."
						: "Held first, taken when an answer comes, released if none does."}
				</p>
				<div class="row needs-js">
					{takesWallet && (
						<button class="btn" type="submit" name="rail" value="wallet">
							Pay with a wallet
						</button>
					)}
					<button class="btn btn-pay" type="submit" name="rail" value="token">
						{isFree ? "Send" : "Pay and send"}
					</button>
				</div>
				<p class="no-js">Sending needs a script; the samples on this page do not.</p>
			</div>
		</form>
	);
}

function Field({
	field,
	graphs,
}: {
	readonly field: OperationField;
	readonly graphs: OperationContent["graphs"];
}) {
	const { name, place, kind, isRequired, about, terms, example } = field;
	const id = `f-${place}-${name}`;
	if (kind === "flag") {
		return (
			<label class="check">
				<input
					id={id}
					type="checkbox"
					data-field={name}
					data-place={place}
					data-kind={kind}
					defaultChecked={example === "true"}
				/>
				<span>
					<code>{name}</code> {about}
				</span>
			</label>
		);
	}
	return (
		<div class="field">
			<label for={id}>
				{name}{" "}
				{isRequired && (
					<span class="req" aria-hidden="true">
						*
					</span>
				)}
				<span class="type">{terms}</span>
			</label>
			<Input field={field} id={id} describedBy={`${id}-h`} graphs={graphs} />
			<p class="hint" id={`${id}-h`}>
				{about}
			</p>
			<p class="err" id={`${id}-e`} hidden>
				<Icon name="warning" />
				<span />
			</p>
		</div>
	);
}

function Input({
	field,
	id,
	describedBy,
	graphs,
}: {
	readonly field: OperationField;
	readonly id: string;
	readonly describedBy: string;
	readonly graphs: OperationContent["graphs"];
}) {
	const { name, place, kind, isRequired, choices, example } = field;
	const common = {
		id,
		required: isRequired,
		"aria-describedby": describedBy,
		"data-field": name,
		"data-place": place,
		"data-kind": kind,
	};
	const isGraph = /^graph_id(_or_slug)?$/.test(name) && graphs.length > 0;
	if (kind === "choice" || isGraph) {
		const options = isGraph
			? graphs.map(({ id: value, title }) => ({ value, title }))
			: choices.map((value) => ({ value, title: value }));
		return (
			<select {...common}>
				{!isRequired && <option value="">left out</option>}
				{options.map(({ value, title }) => (
					<option key={value} value={value} selected={value === example}>
						{title}
					</option>
				))}
			</select>
		);
	}
	if (kind === "number")
		return <input {...common} type="number" step="any" defaultValue={example} autocomplete="off" />;
	if (kind === "text")
		return <input {...common} type="text" defaultValue={example} autocomplete="off" />;
	return (
		<textarea
			{...common}
			class={kind === "json" ? "mono" : undefined}
			spellcheck={kind !== "json"}
			defaultValue={example}
		/>
	);
}
