import {
	type Account,
	addChange,
	creditChange,
	freezeAccountChange,
	freezeTokenChange,
	issueChange,
	refundChange,
	revokeChange,
	type Token,
} from "./customer-changes.js";
import { DataTable } from "./data-table.js";
import { Shown, useLoad } from "./loading.js";
import { Actions, Button, PartAction, type PartProps, state, time, usd } from "./part.js";

/** Who buys, with what, and what is held of it. */

export function Accounts({ admin, change }: PartProps) {
	const loaded = useLoad(() => admin.ask<{ items: readonly Account[] }>("/accounts"));
	return (
		<div class="parts">
			<PartAction
				admin={admin}
				label="New account"
				onClick={() => change(addChange(loaded.reload))}
			/>
			<Shown of={loaded}>
				{({ items }) => (
					<DataTable<Account>
						title="Accounts"
						rows={items}
						columns={[
							{ name: "Account", value: ({ id }) => id, kind: "code" },
							{ name: "Label", value: ({ label }) => label },
							{ name: "Contact", value: ({ contact }) => contact },
							state("State", ({ status }) => status),
							{ name: "Retention", value: ({ retention }) => retention },
							{
								name: "Month's budget, USD",
								value: ({ max_per_month_usd: most }) => most ?? "none",
								kind: "figure",
							},
							usd("Balance, USD", ({ balance_usd }) => balance_usd),
							time("Since", ({ created_at }) => created_at),
						]}
						keyOf={({ id }) => id}
						none="No one has an account yet."
						actions={
							admin.may("owner")
								? (row) =>
										row.status !== "erased" && (
											<Actions>
												<Button
													label="Credit"
													of={row.id}
													onClick={() => change(creditChange(row, loaded.reload))}
												/>
												<Button
													label={row.status === "frozen" ? "Unfreeze" : "Freeze"}
													of={row.id}
													isStop={row.status !== "frozen"}
													onClick={() => change(freezeAccountChange(row, loaded.reload))}
												/>
											</Actions>
										)
								: undefined
						}
					/>
				)}
			</Shown>
		</div>
	);
}

export function Tokens({ admin, change }: PartProps) {
	const loaded = useLoad(() =>
		admin.ask<{ items: readonly Token[]; outstanding_usd: string }>("/spts"),
	);
	const actionsOf = (row: Token) => {
		if (row.status === "revoked") return null;
		const isFrozen = row.status === "frozen";
		return (
			<Actions>
				{row.status !== "expired" && (
					<Button
						label={isFrozen ? "Unfreeze" : "Freeze"}
						of={row.id}
						onClick={() => change(freezeTokenChange(row, loaded.reload))}
					/>
				)}
				<Button
					label="Refund"
					of={row.id}
					onClick={() => change(refundChange(row, loaded.reload))}
				/>
				<Button
					label="End"
					of={row.id}
					isStop
					onClick={() => change(revokeChange(row, loaded.reload))}
				/>
			</Actions>
		);
	};
	return (
		<div class="parts">
			<PartAction
				admin={admin}
				label="Issue a token"
				onClick={() => change(issueChange(loaded.reload))}
			/>
			<Shown of={loaded}>
				{({ items, outstanding_usd }) => (
					<DataTable<Token>
						title="Shared Payment Tokens"
						aside={<span class="muted small">{outstanding_usd} USD with their holders</span>}
						rows={items}
						columns={[
							{ name: "Token", value: ({ id }) => id, kind: "code" },
							{ name: "Label", value: ({ label }) => label },
							state("State", ({ status }) => status),
							usd("Balance, USD", ({ balance_usd }) => balance_usd),
							usd("Held, USD", ({ held_usd }) => held_usd),
							time("Expires", ({ expires_at }) => expires_at),
						]}
						keyOf={({ id }) => id}
						none="No token was issued or sold yet."
						actions={admin.may("owner") ? actionsOf : undefined}
					/>
				)}
			</Shown>
		</div>
	);
}

interface Hold {
	readonly id: string;
	readonly owner: string;
	readonly rail: string;
	readonly operation: string;
	readonly amount_usd: string;
	readonly job_id: string | null;
	readonly created_at: string;
	readonly expires_at: string;
}

export function Holds({ admin }: PartProps) {
	const loaded = useLoad(() => admin.ask<{ items: readonly Hold[] }>("/holds"));
	return (
		<div class="parts">
			<Shown of={loaded}>
				{({ items }) => (
					<DataTable<Hold>
						title="Held for calls and jobs under way"
						rows={items}
						columns={[
							{ name: "Hold", value: ({ id }) => id, kind: "code" },
							{ name: "Payer", value: ({ owner }) => owner, kind: "code" },
							{ name: "Rail", value: ({ rail }) => rail },
							{ name: "Operation", value: ({ operation }) => operation, kind: "code" },
							{ name: "Job", value: ({ job_id }) => job_id, kind: "code" },
							time("Since", ({ created_at }) => created_at),
							time("Released at the latest", ({ expires_at }) => expires_at),
							usd("USD", ({ amount_usd }) => amount_usd),
						]}
						keyOf={({ id }) => id}
						none="Nothing is held: every call was captured or released."
					/>
				)}
			</Shown>
		</div>
	);
}
