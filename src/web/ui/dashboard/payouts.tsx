import type { ComponentChildren } from "preact";
import { DataTable } from "./data-table.js";
import { Shown, useLoad } from "./loading.js";
import { Actions, Button, PartAction, type PartProps, state, time, usd } from "./part.js";
import {
	decideChange,
	payChange,
	type Refund,
	type RefundRequest,
	refundChange,
} from "./refund-changes.js";

/** What is paid to owners of graphs, and refunded to callers. */

interface Owed {
	readonly owner: string;
	readonly owed_usd: string;
	readonly pending_usd: string;
	readonly paid_usd: string;
}

export function Payouts({ admin, change }: PartProps) {
	const loaded = useLoad(() =>
		admin.ask<{ owners: readonly Owed[]; payouts: readonly Refund[] }>("/payouts"),
	);
	const pay = ({ owner, owed_usd }: Owed) =>
		change({
			title: `Pay ${owner}`,
			words: `${owed_usd} USD is owed. With an address it is paid on the chain, which cannot be taken back; without one it is recorded as paid by hand.`,
			verb: "Pay",
			rehearses: false,
			fields: [
				{ name: "usd", label: "Amount, USD", value: owed_usd, isAmount: true },
				{
					name: "to",
					label: "Address on the chain",
					hint: "CAIP-10, e.g. eip155:8453:0x…; empty: paid by hand",
					isOptional: true,
				},
			],
			toOrder: ({ usd: amount, to }) => ({
				method: "POST",
				path: "/payouts",
				body: { owner, usd: amount, ...(to && { to }) },
			}),
			onDone: loaded.reload,
		});
	return (
		<Shown of={loaded}>
			{({ owners, payouts }) => (
				<div class="parts">
					<DataTable<Owed>
						title="Owed to owners of graphs"
						rows={owners}
						columns={[
							{ name: "Owner", value: ({ owner }) => owner, kind: "code" },
							usd("Owed, USD", ({ owed_usd }) => owed_usd),
							usd("Set aside, USD", ({ pending_usd }) => pending_usd),
							usd("Paid, USD", ({ paid_usd }) => paid_usd),
						]}
						keyOf={({ owner }) => owner}
						none="No graph shares its revenue with anyone."
						actions={
							admin.may("owner")
								? (row) => <Button label="Pay" of={row.owner} onClick={() => pay(row)} />
								: undefined
						}
					/>
					<RefundTable title="Payouts" rows={payouts} none="Nothing was paid out yet." />
				</div>
			)}
		</Shown>
	);
}

function RefundTable({
	title,
	rows,
	none,
	actions,
}: {
	readonly title: string;
	readonly rows: readonly Refund[];
	readonly none: string;
	readonly actions?: ((row: Refund) => ComponentChildren) | undefined;
}) {
	return (
		<DataTable<Refund>
			title={title}
			rows={rows}
			columns={[
				{ name: "Id", value: ({ id }) => id, kind: "code" },
				time("Made", ({ created_at }) => created_at),
				{ name: "To", value: ({ destination, owner }) => destination ?? owner, kind: "code" },
				{ name: "Reason", value: ({ reason }) => reason },
				state("State", (row) => row.state),
				usd("USD", ({ amount_usd }) => amount_usd),
			]}
			keyOf={({ id }) => id}
			none={none}
			sortedBy={1}
			actions={actions}
		/>
	);
}

export function RefundsPart({ admin, change }: PartProps) {
	const loaded = useLoad(async () => {
		const [asked, refunds] = await Promise.all([
			admin.ask<{ items: readonly RefundRequest[] }>("/ledger/refunds/requests"),
			admin.ask<{ items: readonly Refund[] }>("/ledger/refunds"),
		]);
		return { asked: asked.items, refunds: refunds.items };
	});
	return (
		<Shown of={loaded}>
			{({ asked, refunds }) => (
				<div class="parts">
					<PartAction
						admin={admin}
						label="Refund a call"
						onClick={() => change(refundChange(loaded.reload))}
					/>
					<DataTable<RefundRequest>
						title="Asked back, not decided"
						rows={asked}
						columns={[
							{ name: "Id", value: ({ id }) => id, kind: "code" },
							{ name: "Receipt", value: ({ receipt_id }) => receipt_id, kind: "code" },
							{ name: "Caller", value: ({ owner }) => owner, kind: "code" },
							{ name: "Reason", value: ({ reason }) => reason },
							time("Asked", ({ created_at }) => created_at),
						]}
						keyOf={({ id }) => id}
						none="No one waits for a decision."
						actions={
							admin.may("owner")
								? (row) => (
										<Actions>
											<Button
												label="Grant"
												of={row.id}
												onClick={() => change(decideChange(row, true, loaded.reload))}
											/>
											<Button
												label="Decline"
												of={row.id}
												isStop
												onClick={() => change(decideChange(row, false, loaded.reload))}
											/>
										</Actions>
									)
								: undefined
						}
					/>
					<RefundTable
						title="Refunds"
						rows={refunds}
						none="Nothing was refunded yet."
						actions={
							admin.may("owner")
								? (row) =>
										row.state !== "paid" && (
											<Button
												label="Pay"
												of={row.id}
												onClick={() => change(payChange(row, loaded.reload))}
											/>
										)
								: undefined
						}
					/>
				</div>
			)}
		</Shown>
	);
}
