/** The owner's dashboard: the part that its address names, asked for from the admin API. */
import { type ComponentType, render } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { DashboardPart, DashboardState } from "../pages/dashboard-parts.js";
import { createAdmin } from "./dashboard/admin-api.js";
import { Audit, LedgerPart } from "./dashboard/books.js";
import { type Change, ChangeDialog } from "./dashboard/change-dialog.js";
import { Accounts, Holds, Tokens } from "./dashboard/customers.js";
import { Earnings, Overview } from "./dashboard/earnings.js";
import { Graphs, Prices } from "./dashboard/knowledge.js";
import type { PartProps } from "./dashboard/part.js";
import { Payouts, RefundsPart } from "./dashboard/payouts.js";
import { RefusalsPart, UnansweredPart } from "./dashboard/questions.js";
import { FeedsPart, JobsPart, Schedules, Webhooks } from "./dashboard/work.js";

const PARTS: Readonly<Record<DashboardPart, ComponentType<PartProps>>> = {
	overview: Overview,
	earnings: Earnings,
	payouts: Payouts,
	refunds: RefundsPart,
	ledger: LedgerPart,
	graphs: Graphs,
	prices: Prices,
	unanswered: UnansweredPart,
	refusals: RefusalsPart,
	accounts: Accounts,
	tokens: Tokens,
	holds: Holds,
	jobs: JobsPart,
	schedules: Schedules,
	feeds: FeedsPart,
	webhooks: Webhooks,
	audit: Audit,
};

function Dashboard({ state }: { readonly state: DashboardState }) {
	const admin = useMemo(() => createAdmin(state), [state]);
	const [change, setChange] = useState<Change>();
	const Part = PARTS[state.part];
	return (
		<>
			<Part admin={admin} change={setChange} />
			{change && (
				<ChangeDialog
					key={change.title}
					admin={admin}
					change={change}
					onClose={() => setChange(undefined)}
				/>
			)}
		</>
	);
}

const frame = document.querySelector<HTMLElement>("[data-dashboard]");
const out = document.getElementById("part");
if (frame && out) {
	const state = JSON.parse(frame.dataset["dashboard"] ?? "{}") as DashboardState;
	render(<Dashboard state={state} />, out);
}
