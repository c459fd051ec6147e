import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { say } from "../say.js";
import type { Progress } from "./admin-api.js";
import { DataTable } from "./data-table.js";
import { Shown, useLoad, wordsOf } from "./loading.js";
import { countOf } from "./money.js";
import { Actions, Button, type PartProps, State, state, time, usd } from "./part.js";

/** Payouts, refunds, the ledger and the audit log. */

interface Refund {
	readonly id: string;
	readonly ref: string;
	readonly owner: string;
	readonly amount_usd: string;
	readonly reason: string;
	readonly state: string;
	readonly destination: string | null;
	readonly transaction: string | null;
	readonly created_at: string;
}

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

interface RefundRequest {
	readonly id: string;
	readonly receipt_id: string;
	readonly owner: string;
	readonly reason: string | null;
	readonly created_at: string;
}

export function RefundsPart({ admin, change }: PartProps) {
	const loaded = useLoad(async () => {
		const [asked, refunds] = await Promise.all([
			admin.ask<{ items: readonly RefundRequest[] }>("/ledger/refunds/requests"),
			admin.ask<{ items: readonly Refund[] }>("/ledger/refunds"),
		]);
		return { asked: asked.items, refunds: refunds.items };
	});
	const decide = ({ id, owner }: RefundRequest, grant: boolean) =>
		change({
			title: grant ? `Grant ${id}` : `Decline ${id}`,
			words: grant
				? `What ${owner} asked back is refunded.`
				: `${owner} is answered that nothing is refunded.`,
			verb: grant ? "Grant the refund" : "Decline it",
			isStop: !grant,
			rehearses: true,
			toOrder: () => ({ method: "POST", path: "/ledger/refunds/decisions", body: { id, grant } }),
			onDone: loaded.reload,
		});
	const refund = () =>
		change({
			title: "Refund a call",
			words: "The receipt is refunded once, to the balance that paid, or to the wallet.",
			verb: "Refund",
			rehearses: true,
			fields: [
				{ name: "receipt_id", label: "Receipt", hint: "rcp_…" },
				{ name: "reason", label: "Reason" },
				{
					name: "usd",
					label: "Amount, USD",
					hint: "Empty: all that was charged",
					isAmount: true,
					isOptional: true,
				},
			],
			toOrder: ({ receipt_id, reason, usd: amount }) => ({
				method: "POST",
				path: "/ledger/refunds",
				body: { receipt_id, reason, ...(amount && { usd: amount }) },
			}),
			onDone: loaded.reload,
		});
	const pay = ({ id, amount_usd }: Refund) =>
		change({
			title: `Pay ${id}`,
			words: `${amount_usd} USD. With the hash of a transfer it is recorded as paid by hand; without one it is sent on the chain, which cannot be taken back.`,
			verb: "Pay the refund",
			rehearses: false,
			fields: [{ name: "tx", label: "Hash of a transfer", isOptional: true }],
			toOrder: ({ tx }) => ({
				method: "POST",
				path: "/ledger/refunds/payments",
				body: { id, ...(tx && { tx }) },
			}),
			onDone: loaded.reload,
		});
	return (
		<Shown of={loaded}>
			{({ asked, refunds }) => (
				<div class="parts">
					{admin.may("owner") && (
						<div class="row">
							<button class="btn btn-sm" type="button" onClick={refund}>
								Refund a call
							</button>
						</div>
					)}
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
											<Button label="Grant" of={row.id} onClick={() => decide(row, true)} />
											<Button
												label="Decline"
												of={row.id}
												isStop
												onClick={() => decide(row, false)}
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
											<Button label="Pay" of={row.id} onClick={() => pay(row)} />
										)
								: undefined
						}
					/>
				</div>
			)}
		</Shown>
	);
}

interface Verification {
	readonly status: string;
	readonly transactions: number | null;
	readonly frames: number | null;
	readonly sum_usd: string;
	readonly open_holds: number;
	readonly open_payments: number;
	readonly pending_refunds: number;
	readonly failures: readonly { readonly invariant?: string; readonly message?: string }[];
}

interface Movement {
	readonly id: string;
	readonly at: string;
	readonly kind: string;
	readonly ref: string;
	readonly entries: readonly { readonly account: string; readonly amount_usd: string }[];
}

export function LedgerPart(props: PartProps) {
	const { admin } = props;
	const [turn, setTurn] = useState(0);
	const loaded = useLoad(async () => {
		const [checked, movements] = await Promise.all([
			admin.ask<Verification>("/ledger/verification"),
			admin.ask<{ items: readonly Movement[]; next: string | null }>("/ledger", {
				query: { limit: "200" },
			}),
		]);
		return { checked, movements };
	}, [turn]);
	return (
		<Shown of={loaded}>
			{({ checked, movements }) => (
				<div class="parts">
					<Invariants checked={checked} onCheck={() => setTurn(turn + 1)} />
					<Reconciliation {...props} />
					<DataTable<Movement>
						title="Movements, newest first"
						rows={movements.items}
						columns={[
							time("At", ({ at }) => at),
							{
								name: "Kind",
								value: ({ kind }) => kind,
								show: ({ kind }) => <span class="badge">{kind}</span>,
							},
							{ name: "Refers to", value: ({ ref }) => ref, kind: "code" },
							{ name: "From", value: (row) => sideOf(row, true), kind: "code" },
							{ name: "To", value: (row) => sideOf(row, false), kind: "code" },
							usd("USD", amountOf, false),
						]}
						keyOf={({ id }) => id}
						none="Nothing has moved yet."
						foot={
							movements.next !== null &&
							"Older ones: GET /v1/admin/ledger, or tollgraph ledger export."
						}
					/>
				</div>
			)}
		</Shown>
	);
}

const sideOf = ({ entries }: Movement, isFrom: boolean): string =>
	entries
		.filter(({ amount_usd }) => amount_usd.startsWith("-") === isFrom)
		.map(({ account }) => account)
		.join(", ");

const amountOf = ({ entries }: Movement): string =>
	entries.find(({ amount_usd }) => !amount_usd.startsWith("-"))?.amount_usd ?? "0.00";

function Invariants({
	checked,
	onCheck,
}: {
	readonly checked: Verification;
	readonly onCheck: () => void;
}) {
	const { failures } = checked;
	const facts: readonly (readonly [string, string])[] = [
		["Sum of all entries", `${checked.sum_usd} USD`],
		["Transactions read", countOf(checked.transactions ?? 0)],
		["Open holds", countOf(checked.open_holds)],
		["Payments of unknown outcome", countOf(checked.open_payments)],
		["Refunds to pay", countOf(checked.pending_refunds)],
	];
	return (
		<section class="card card-flush" aria-labelledby="invariants">
			<div class="card-head">
				<h2 id="invariants">Ledger and its invariants</h2>
				<div class="row">
					<State of={checked.status} />
					<button class="btn btn-sm" type="button" onClick={onCheck}>
						Check all of it again
					</button>
				</div>
			</div>
			<div class="card-body">
				<p>
					{failures.length === 0
						? "Every invariant holds: all entries sum to zero, each balance is the sum of its entries, every capture has one receipt."
						: "The ledger's invariants are breached; nothing is sold until it is consistent again."}
				</p>
				{failures.length > 0 && (
					<ul>
						{failures.map((failure) => {
							const words = JSON.stringify(failure);
							return <li key={words}>{words}</li>;
						})}
					</ul>
				)}
			</div>
			<dl class="facts-row">
				{facts.map(([name, value]) => (
					<div key={name}>
						<dt>{name}</dt>
						<dd>{value}</dd>
					</div>
				))}
			</dl>
		</section>
	);
}

interface Reconciled {
	readonly at: string | null;
	readonly outcome: string | null;
}

/** Reads the chain, which takes as long as it has blocks. */
function Reconciliation({ admin }: PartProps) {
	const loaded = useLoad(() => admin.ask<Reconciled>("/reconciliation"));
	const [progress, setProgress] = useState<Progress>();
	const [isBusy, setBusy] = useState(false);
	const run = async () => {
		setBusy(true);
		try {
			const { status } = await admin.follow<{ status: string }>("/reconciliation", {
				method: "POST",
				body: {},
				onProgress: setProgress,
			});
			say(
				status === "ok" ? "The ledger agrees with the chain." : "The ledger and the chain differ.",
			);
		} catch (error) {
			say(wordsOf(error));
		} finally {
			setBusy(false);
			setProgress(undefined);
			loaded.reload();
		}
	};
	return (
		<section class="card card-flush" aria-labelledby="chain">
			<div class="card-head">
				<h2 id="chain">Beside the chain</h2>
				<div class="row">
					<span class="small muted">
						{loaded.value?.at
							? `last held against it ${loaded.value.at.slice(0, 16).replace("T", " ")}`
							: "never held against it here"}
					</span>
					{loaded.value?.outcome && <State of={loaded.value.outcome} />}
					{admin.may("owner") && (
						<button class="btn btn-sm" type="button" aria-busy={isBusy} onClick={() => void run()}>
							Compare now
						</button>
					)}
				</div>
			</div>
			{progress && (
				<div class="card-body">
					<progress max={progress.total} value={progress.done} aria-label="Blocks read" />
				</div>
			)}
		</section>
	);
}

interface AuditLine {
	readonly id: string;
	readonly at: string;
	readonly actor: string;
	readonly role: string;
	readonly via: string | null;
	readonly command: string;
	readonly target: string;
	readonly outcome: string;
	readonly code: string | null;
}

export function Audit({ admin }: PartProps) {
	const loaded = useLoad(async () => {
		const [lines, checked, operators] = await Promise.all([
			admin.ask<{ items: readonly AuditLine[]; next: string | null }>("/audit", {
				query: { limit: "500" },
			}),
			admin.ask<{ status: string; entries: number; problem: string | null }>("/audit/verification"),
			admin.ask<{ items: readonly OperatorLine[] }>("/operators"),
		]);
		return { lines, checked, operators: operators.items };
	});
	return (
		<Shown of={loaded}>
			{({ lines, checked, operators }) => (
				<div class="parts">
					<p class="row">
						<State of={checked.status} />
						<span>
							{checked.problem ??
								`All ${countOf(checked.entries)} entries are there and as they were written.`}
						</span>
					</p>
					<DataTable<AuditLine>
						title="What operators changed, newest first"
						rows={lines.items}
						columns={[
							time("At", ({ at }) => at),
							{ name: "Operator", value: ({ actor }) => actor },
							{ name: "Role", value: ({ role }) => role },
							{ name: "By way of", value: ({ via }) => via ?? "API" },
							{ name: "Command", value: ({ command }) => command, kind: "code" },
							{ name: "Target", value: ({ target }) => target, kind: "code" },
							{
								name: "Outcome",
								value: ({ outcome, code }) => (code === null ? outcome : `${outcome}, ${code}`),
								show: ({ outcome, code }) => (
									<>
										<State of={outcome} /> {code}
									</>
								),
							},
						]}
						keyOf={({ id }) => id}
						none="No operator has changed anything yet."
						foot={
							lines.next !== null &&
							"The latest 500 are shown; GET /v1/admin/audit has all of them."
						}
					/>
					<DataTable<OperatorLine>
						title="Operators"
						rows={operators}
						columns={[
							{ name: "Name", value: ({ name }) => name },
							{ name: "Role", value: ({ role }) => role },
							state("State", ({ status }) => status),
							time("Since", ({ created_at }) => created_at),
						]}
						keyOf={({ id }) => id}
						none="No operator has a key; the admin token of the data folder opens the dashboard on this machine."
					/>
				</div>
			)}
		</Shown>
	);
}

interface OperatorLine {
	readonly id: string;
	readonly name: string;
	readonly role: string;
	readonly status: string;
	readonly created_at: string;
}
