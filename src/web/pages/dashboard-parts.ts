/** What the dashboard consists of, in the order of its navigation; the server and the browser share it. */
const DASHBOARD_PARTS = [
	{
		title: "Money",
		parts: [
			{ name: "overview", title: "Overview" },
			{ name: "earnings", title: "Earnings" },
			{ name: "payouts", title: "Payouts" },
			{ name: "refunds", title: "Refunds" },
			{ name: "ledger", title: "Ledger" },
		],
	},
	{
		title: "Knowledge",
		parts: [
			{ name: "graphs", title: "Graphs" },
			{ name: "prices", title: "Prices" },
			{ name: "unanswered", title: "Unanswered" },
			{ name: "refusals", title: "Refusals" },
		],
	},
	{
		title: "Customers",
		parts: [
			{ name: "accounts", title: "Accounts" },
			{ name: "tokens", title: "Tokens" },
			{ name: "holds", title: "Holds" },
		],
	},
	{
		title: "Operate",
		parts: [
			{ name: "jobs", title: "Jobs" },
			{ name: "schedules", title: "Schedules" },
			{ name: "feeds", title: "Feeds" },
			{ name: "webhooks", title: "Webhooks" },
			{ name: "audit", title: "Audit log" },
		],
	},
] as const satisfies readonly PartGroup[];

interface PartGroup {
	readonly title: string;
	readonly parts: readonly { readonly name: string; readonly title: string }[];
}

export type DashboardPart = (typeof DASHBOARD_PARTS)[number]["parts"][number]["name"];

/** The same, for those who go through it. */
export const DASHBOARD_GROUPS: readonly {
	readonly title: string;
	readonly parts: readonly { readonly name: DashboardPart; readonly title: string }[];
}[] = DASHBOARD_PARTS;

/** What a page says to its script. */
export interface DashboardState {
	readonly part: DashboardPart;
	readonly csrf: string;
	readonly role: "reader" | "editor" | "owner";
	/** Whether the server sells for paper money. */
	readonly isDemo: boolean;
}
