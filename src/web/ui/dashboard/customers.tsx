import { DataTable } from "./data-table.js";
import { Shown, useLoad } from "./loading.js";
import { Actions, Button, type PartProps, state, time, usd } from "./part.js";

/** Who buys, with what, and what is held of it. */

interface Account {
	readonly id: string;
	readonly label: string;
	readonly contact: string | null;
	readonly status: string;
	readonly balance_usd: string;
	readonly max_per_month_usd: string | null;
	readonly retention: string;
	readonly created_at: string;
}

const secretOnce = "The secret is shown once, after that.";

export function Accounts({ admin, change }: PartProps) {
	const loaded = useLoad(() => admin.ask<{ items: readonly Account[] }>("/accounts"));
	const add = () =>
		change({
			title: "A new account with a key",
			words: `The key pays from the account's balance. ${secretOnce}`,
			verb: "Make it",
			rehearses: true,
			fields: [
				{ name: "label", label: "Label", isOptional: true },
				{ name: "usd", label: "Prepaid balance, USD", isAmount: true, isOptional: true },
			],
			toOrder: ({ label, usd: amount }) => ({
				method: "POST",
				path: "/keys",
				body: { ...(label && { label }), ...(amount && { usd: amount }) },
			}),
			onDone: loaded.reload,
		});
	const credit = ({ id, balance_usd }: Account) =>
		change({
			title: `Add balance to ${id}`,
			words: `It has ${balance_usd} USD.`,
			verb: "Add it",
			rehearses: true,
			fields: [{ name: "usd", label: "Amount, USD", isAmount: true }],
			toOrder: ({ usd: amount }) => ({
				method: "POST",
				path: "/accounts/credit",
				body: { account_id: id, usd: amount },
			}),
			onDone: loaded.reload,
		});
	const freeze = ({ id, status }: Account) => {
		const isFrozen = status === "frozen";
		change({
			title: isFrozen ? `Let ${id} pay again` : `Freeze ${id}`,
			words: isFrozen
				? "Its keys pay again."
				: "It pays for nothing from now on; what is held already is finished.",
			verb: isFrozen ? "Let it pay" : "Freeze it",
			isStop: !isFrozen,
			rehearses: true,
			toOrder: () => ({
				method: "POST",
				path: "/accounts/set",
				body: { account_id: id, frozen: !isFrozen },
			}),
			onDone: loaded.reload,
		});
	};
	return (
		<div class="parts">
			{admin.may("owner") && (
				<div class="row">
					<button class="btn btn-sm" type="button" onClick={add}>
						New account
					</button>
				</div>
			)}
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
												<Button label="Credit" of={row.id} onClick={() => credit(row)} />
												<Button
													label={row.status === "frozen" ? "Unfreeze" : "Freeze"}
													of={row.id}
													isStop={row.status !== "frozen"}
													onClick={() => freeze(row)}
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

interface Token {
	readonly id: string;
	readonly label: string;
	readonly status: string;
	readonly balance_usd: string;
	readonly held_usd: string;
	readonly max_per_day_usd?: string | null;
	readonly expires_at: string | null;
}

export function Tokens({ admin, change }: PartProps) {
	const loaded = useLoad(() =>
		admin.ask<{ items: readonly Token[]; outstanding_usd: string }>("/spts"),
	);
	const issue = () =>
		change({
			title: "Issue a token",
			words: `Who has it pays with it, up to its balance. ${secretOnce}`,
			verb: "Issue it",
			rehearses: true,
			fields: [
				{ name: "usd", label: "Balance, USD", isAmount: true },
				{ name: "label", label: "Label", isOptional: true },
				{ name: "day", label: "Most per day, USD", isAmount: true, isOptional: true },
			],
			toOrder: ({ usd: amount, label, day }) => ({
				method: "POST",
				path: "/spts",
				body: { usd: amount, ...(label && { label }), ...(day && { max_per_day_usd: day }) },
			}),
			onDone: loaded.reload,
		});
	const freeze = ({ id, status }: Token) => {
		const isFrozen = status === "suspended" || status === "frozen";
		const path = `/spts/${encodeURIComponent(id)}/${isFrozen ? "unfreeze" : "freeze"}`;
		change({
			title: isFrozen ? `Let ${id} pay again` : `Freeze ${id}`,
			words: isFrozen
				? "It pays again."
				: "It pays for nothing; its balance stays, what is held is finished.",
			verb: isFrozen ? "Let it pay" : "Freeze it",
			isStop: !isFrozen,
			rehearses: true,
			toOrder: () => ({ method: "POST", path }),
			onDone: loaded.reload,
		});
	};
	const revoke = ({ id, balance_usd }: Token) =>
		change({
			title: `End ${id}`,
			words: `It has ${balance_usd} USD and pays for nothing from then on. This cannot be undone; what it has left can be refunded.`,
			verb: "End it for good",
			isStop: true,
			rehearses: true,
			toOrder: () => ({ method: "POST", path: "/spts/revoke", body: { id } }),
			onDone: loaded.reload,
		});
	const refund = ({ id, balance_usd }: Token) =>
		change({
			title: `Refund what ${id} has left`,
			words: `${balance_usd} USD goes to the wallet that bought it, or back by other means.`,
			verb: "Refund",
			isStop: true,
			rehearses: true,
			fields: [{ name: "reason", label: "Reason" }],
			toOrder: ({ reason }) => ({
				method: "POST",
				path: "/ledger/refunds/tokens",
				body: { token_id: id, reason },
			}),
			onDone: loaded.reload,
		});
	const actionsOf = (row: Token) => {
		if (row.status === "revoked") return null;
		const isActive = row.status === "active";
		return (
			<Actions>
				<Button label={isActive ? "Freeze" : "Unfreeze"} of={row.id} onClick={() => freeze(row)} />
				<Button label="Refund" of={row.id} onClick={() => refund(row)} />
				<Button label="End" of={row.id} isStop onClick={() => revoke(row)} />
			</Actions>
		);
	};
	return (
		<div class="parts">
			{admin.may("owner") && (
				<div class="row">
					<button class="btn btn-sm" type="button" onClick={issue}>
						Issue a token
					</button>
				</div>
			)}
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
