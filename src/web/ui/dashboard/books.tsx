import { useState } from "preact/hooks";
import { say } from "../say.js";
import type { Progress } from "./admin-api.js";
import { DataTable } from "./data-table.js";
import { Shown, useLoad, wordsOf } from "./loading.js";
import { countOf } from "./money.js";
import { type PartProps, State, state, time, usd } from "./part.js";

/** The ledger and the audit log. */

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
