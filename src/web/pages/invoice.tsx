import type { InvoiceWire } from "../../accounts/accounts.js";
import { Facts, Paper } from "./report.js";

/** An invoice or credit note: who, for what, the sums, and what the law wants to be said. */
export function InvoiceView({
	invoice,
	children,
}: {
	readonly invoice: InvoiceWire;
	/** What can be done with it; not printed. */
	readonly children?: preact.ComponentChildren;
}) {
	const { number, kind, month, seller, customer, note } = invoice;
	const title = `${kind === "invoice" ? "Invoice" : "Credit note"} ${number}`;
	return (
		<Paper
			running={title}
			aside={
				<Facts
					facts={[
						["Issued", invoice.issued_at.slice(0, 10)],
						["Month of supply", month],
						["Account", invoice.account_id],
						["Total", `${invoice.total_usd} USD`],
						["Paid from the balance", `${invoice.total_usd} USD`],
						["Due", `${invoice.due_usd} USD`],
					]}
				/>
			}
		>
			<header class="stack-2">
				<p class="eyebrow">{month}</p>
				<h1>{title}</h1>
				{children}
			</header>
			<div class="two">
				<Party name="From" party={seller} />
				<Party name="To" party={customer} />
			</div>
			<Lines invoice={invoice} />
			{note !== null && <p class="note">{note}</p>}
		</Paper>
	);
}

function Party({ name, party }: { readonly name: string; readonly party: InvoiceWire["seller"] }) {
	return (
		<section class="stack-2" aria-label={name}>
			<h2 class="eyebrow">{name}</h2>
			{party ? (
				<address class="plain">
					<strong>{party.name}</strong>
					<span>{party.address}</span>
					{party.country !== null && <span>{party.country}</span>}
					{party.vat_id !== null && <span>VAT number {party.vat_id}</span>}
				</address>
			) : (
				<p class="muted">Not named</p>
			)}
		</section>
	);
}

function Lines({ invoice }: { readonly invoice: InvoiceWire }) {
	const { lines, credits, vat_rates: rates } = invoice;
	return (
		<section class="card card-flush table-wrap" tabIndex={0} aria-label="Positions">
			<table class="tbl">
				<thead>
					<tr>
						<th scope="col">Position</th>
						<th scope="col" class="r">
							Calls
						</th>
						<th scope="col" class="r">
							USD
						</th>
					</tr>
				</thead>
				<tbody>
					{lines.map(({ operation, calls, amount_usd }) => (
						<Line key={operation} name={operation} calls={calls} usd={amount_usd} />
					))}
					{credits.map(({ refund_id, receipt_id, amount_usd }) => (
						<Line key={refund_id} name={`Refund of ${receipt_id}`} usd={amount_usd} />
					))}
				</tbody>
				<tfoot>
					<Line name="Net" usd={invoice.net_usd} />
					{rates.map(({ vat_percent, vat_usd }) => (
						<Line key={vat_percent} name={`VAT ${vat_percent} %`} usd={vat_usd} />
					))}
					<Line name="Total" usd={invoice.total_usd} />
				</tfoot>
			</table>
		</section>
	);
}

const Line = ({
	name,
	calls,
	usd,
}: {
	readonly name: string;
	readonly calls?: number;
	readonly usd: string;
}) => (
	<tr>
		<th scope="row">{name}</th>
		<td class="r">{calls}</td>
		<td class="r">{usd}</td>
	</tr>
);
