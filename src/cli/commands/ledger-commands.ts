import type { Command } from "commander";
import { parseInput } from "../../contract/contract.js";
import { ServiceError, toCsv, visibleJsonText } from "../../kernel/kernel.js";
import {
	type GapReport,
	gapCommand,
	type LedgerReportWire,
	type MovementWire,
	type Operator,
	type ReconciliationWire,
	type RefundWire,
	type ReportSumsWire,
} from "../../operator/operator.js";
import { withSettings } from "../help.js";
import {
	addOperatorCommand,
	type CommandContext,
	settingsOf,
	textOf,
	withOperator,
} from "../operator-command.js";
import { createProgress, type Line, toList } from "../output.js";
import { publishAnchor, readAnchor } from "./anchor-places.js";

export function addLedger(program: Command, context: CommandContext): void {
	const ledger = program.command("ledger").description("The double-entry ledger.");
	addVerify(ledger, context);
	addAnchor(ledger, context);
	addReport(ledger, context);
	addExport(ledger, context);
	addRefund(ledger, context);
	addRefunds(ledger, context);
	addPayouts(ledger, context);
	addReconcile(ledger, context);
	addGaps(ledger, context);
}

function addVerify(ledger: Command, context: CommandContext): void {
	const verify = ledger
		.command("verify")
		.description("Walk the whole journal and check every invariant.");
	verify.option(
		"--anchor <place>",
		"compare with what ledger anchor published: a file, an https address or a git repository",
	);
	addOperatorCommand(verify, context, {
		ask: async (operator, flags) => {
			const place = textOf(flags, "anchor");
			const found = await operator.verifyLedger();
			if (place === undefined) return found;
			const mismatch = await compareAnchor(context, { operator, place });
			if (mismatch === undefined) return found;
			return { ...found, status: "breached" as const, failures: [...found.failures, mismatch] };
		},
		describe: (found) => [
			`${found.status}: ${found.transactions} transactions in ${found.frames} frames, sum ${found.sum_usd} USD, ${found.open_holds} open holds, ${found.open_payments} open payments, ${found.pending_refunds} refunds to pay`,
			...found.failures,
		],
		exitCode: ({ status }) => (status === "ok" ? 0 : 3),
	});
}

function addAnchor(ledger: Command, context: CommandContext): void {
	const anchor = ledger
		.command("anchor")
		.description(
			"Number and SHA-256 of the journal up to its end; published elsewhere, they show an old or rewritten data folder.",
		)
		.option(
			"--to <place>",
			"a file or git repository that gets one more line, or an https address that is sent it by POST",
		)
		.option("--push", "push the repository as well");
	addOperatorCommand(anchor, context, {
		ask: async (operator, flags) => {
			const found = await operator.readAnchor({});
			const place = textOf(flags, "to");
			const { folder } = context;
			if (place === undefined) return { ...found, published_to: null };
			const isPushed = flags["push"] === true;
			return {
				...found,
				published_to: await publishAnchor(found, { place, folder, isPushed }),
			};
		},
		describe: ({ sequence, sha256, published_to }) => [
			`frame ${sequence}: ${sha256}`,
			published_to === null
				? "Published nowhere: name a place with --to, out of reach of who could change this folder."
				: `Published to ${published_to}. Compare later: tollgraph ledger verify --anchor ${published_to}`,
		],
	});
}

/** What does not fit the anchor; undefined where all does. */
async function compareAnchor(
	{ folder }: CommandContext,
	{ operator, place }: { readonly operator: Operator; readonly place: string },
): Promise<string | undefined> {
	const anchor = await readAnchor({ place, folder });
	const { sequence, at } = anchor;
	const found = await operator.readAnchor({ sequence }).catch((error: unknown) => {
		if (error instanceof ServiceError && error.code === "NOT_FOUND") return undefined;
		throw error;
	});
	if (found?.sha256 === anchor.sha256) return undefined;
	return found
		? `The journal up to frame ${sequence} is another one than was anchored at ${at}: it was rewritten, or belongs to another ledger.`
		: `The journal ends before frame ${sequence}, which was anchored at ${at}: this is an older state of the folder.`;
}

function addReport(ledger: Command, context: CommandContext): void {
	const report = ledger
		.command("report")
		.description("Add up what was charged and refunded.")
		.requiredOption("--by <key>", "day, skill, graph, payer, rail or owner")
		.option("--from <day>", "first UTC day, e.g. 2026-03-01")
		.option("--to <day>", "last UTC day")
		.option("--csv", "print comma-separated values");
	addOperatorCommand(report, context, {
		ask: (operator, flags) =>
			operator.reportLedger({
				by: String(flags["by"]),
				from: textOf(flags, "from"),
				to: textOf(flags, "to"),
			}),
		describe: (found, flags) =>
			flags["csv"] === true
				? toCsv([columnsOf(found), ...found.rows.map(cellsOf)])
				: describeReport(found),
	});
}

function addExport(ledger: Command, context: CommandContext): void {
	const command = ledger
		.command("export")
		.description(
			"Print what each transaction left in the books, its postings and receipts, oldest first; money in micro-USD.",
		)
		.option("--ndjson", "one JSON line for each transaction; the only form there is");
	withSettings(command).action(async () => {
		let count = 0;
		await withOperator(settingsOf(context, command.optsWithGlobals()), (operator) =>
			context.terminal.stream(
				(async function* () {
					for await (const line of operator.exportLedger()) {
						count += 1;
						yield visibleJsonText(line);
					}
				})(),
			),
		);
		context.terminal.say(`${count} transactions exported.`);
	});
}

const GAP_GROUPS_SHOWN = 20;

function addGaps(ledger: Command, context: CommandContext): void {
	const gaps = ledger
		.command("gaps")
		.description(
			"Questions that had no answer and so were not paid for, grouped by meaning, those worth most first.",
		)
		.option("--since <day>", "first UTC day, e.g. 2026-03-01")
		.option("--until <day>", "last UTC day")
		.option("--graph <id>", "only those that asked this graph or are nearest to it")
		.option("--limit <count>", "groups to show", String(GAP_GROUPS_SHOWN));
	addOperatorCommand(gaps, context, {
		ask: (operator, flags) =>
			operator.reportGaps(
				parseInput(gapCommand, {
					since: textOf(flags, "since"),
					until: textOf(flags, "until"),
					graph: textOf(flags, "graph"),
					limit: textOf(flags, "limit"),
				}),
			),
		describe: describeGaps,
	});
}

function describeGaps(found: GapReport): readonly Line[] {
	const { items, groups, questions, unpaid_usd, not_grouped, grouped_by } = found;
	if (groups === 0) return ["No question went without an answer, as far as their text is kept."];
	const rows = items.map((gap) => [
		String(gap.questions),
		String(gap.callers),
		gap.unpaid_usd,
		gap.graph_id ?? "-",
		gap.last_at.slice(0, 10),
		gap.question,
	]);
	return [
		...toList(
			["questions", "callers", "unpaid_usd", "nearest_graph", "last_day", "question"],
			rows,
			"",
		),
		`${questions} asked, ${groups} different by ${grouped_by}, ${unpaid_usd} USD not paid`,
		...(not_grouped > 0 ? [`${not_grouped} more questions are not grouped`] : []),
	];
}

function describeReport(found: LedgerReportWire): readonly Line[] {
	const { sold_usd, refunded_usd } = found.prepaid;
	return [
		...toList(columnsOf(found), [...found.rows, { key: "total", ...found.total }].map(cellsOf), ""),
		...(sold_usd === "0.00" && refunded_usd === "0.00"
			? []
			: [`prepaid balance: ${sold_usd} USD sold, ${refunded_usd} USD refunded`]),
	];
}

const columnsOf = ({ by }: LedgerReportWire) =>
	[by, "calls", "free_calls", "gross_usd", "refunded_usd", "net_usd"] as const;

function cellsOf({ key, ...sums }: ReportSumsWire & { readonly key: string }): string[] {
	const { calls, free_calls, gross_usd, refunded_usd, net_usd } = sums;
	return [key, String(calls), String(free_calls), gross_usd, refunded_usd, net_usd];
}

function addRefund(ledger: Command, context: CommandContext): void {
	const refund = ledger
		.command("refund <id>")
		.description(
			"Refund what a receipt (rcpt_…) charged or a token (tok_…) has left, or part of it.",
		)
		.requiredOption("--reason <text>", "why; kept with the refund")
		.option("--usd <amount>", "what to refund; all that is left by default");
	addOperatorCommand(refund, context, {
		ask: (operator, flags, [id = ""]) => {
			const terms = { reason: String(flags["reason"]), usd: textOf(flags, "usd") };
			return id.startsWith("tok_")
				? operator.refundToken({ token_id: id, ...terms })
				: operator.refundReceipt({ receipt_id: id, ...terms });
		},
		describe: (row) => [describeRefund(row)],
	});
}

function describeRefund({ id, amount_usd, state, owner, destination, transaction }: RefundWire) {
	if (state === "paying") {
		return `${id}: ${amount_usd} USD on its way to ${destination}${transaction ? ` by ${transaction}` : ""}; whether it arrived is not known yet`;
	}
	const to = destination ?? owner;
	return state === "paid"
		? `${id}: ${amount_usd} USD paid to ${to}${transaction ? ` by ${transaction}` : ""}`
		: `${id}: ${amount_usd} USD to be paid to ${to}; pay it with: tollgraph ledger refunds pay ${id}`;
}

function addRefunds(ledger: Command, context: CommandContext): void {
	const refunds = ledger
		.command("refunds")
		.description("List refunds, those to be paid among them.")
		// The options after "pay" are those of "pay".
		.enablePositionalOptions();
	addOperatorCommand(refunds, context, {
		ask: (operator) => operator.listRefunds(),
		describe: ({ items }) =>
			toList(
				["id", "state", "amount_usd", "of", "to", "reason"],
				items.map((row) => [
					row.id,
					row.state,
					row.amount_usd,
					row.ref,
					row.destination ?? row.owner,
					row.reason,
				]),
				"There are no refunds.",
			),
	});
	const pay = refunds
		.command("pay <id>")
		.description("Pay a refund (rfd_…) from our wallet, or record that it was paid.")
		.option("--tx <hash>", "it was paid by hand, by this transaction")
		.option("--again", "send it again: the chain shows no sign of the earlier transfer");
	addOperatorCommand(pay, context, {
		ask: (operator, flags, [id = ""]) =>
			operator.payRefund({ id, tx: textOf(flags, "tx"), again: flags["again"] === true }),
		describe: (row) => [describeRefund(row)],
	});
	addRequests(refunds, context);
}

function addPayouts(ledger: Command, context: CommandContext): void {
	const payouts = ledger
		.command("payouts")
		.description("List what owners of graphs are owed of the revenue, and what they were paid.")
		// The options after "pay" are those of "pay".
		.enablePositionalOptions();
	addOperatorCommand(payouts, context, {
		ask: (operator) => operator.listPayouts(),
		describe: ({ owners, payouts: rows }) => [
			...toList(
				["owner", "owed_usd", "pending_usd", "paid_usd"],
				owners.map((row) => [row.owner, row.owed_usd, row.pending_usd, row.paid_usd]),
				"No graph that has owners has earned anything yet.",
			),
			...rows.filter(({ state }) => state !== "paid").map(describeRefund),
		],
	});
	const pay = payouts
		.command("pay <owner>")
		.description(
			"Pay an owner what is owed: from our wallet with --to, else record that it was paid by hand.",
		)
		.option("--usd <amount>", "what to pay; all that is owed by default")
		.option("--to <account>", "account on the chain, e.g. eip155:8453:0x…")
		.option("--tx <hash>", "it was paid by hand, by this transaction");
	addOperatorCommand(pay, context, {
		ask: (operator, flags, [owner = ""]) =>
			operator.payOwner({
				owner,
				usd: textOf(flags, "usd"),
				to: textOf(flags, "to"),
				tx: textOf(flags, "tx"),
			}),
		describe: (row) => [describeRefund(row)],
	});
}

/** What callers asked back. */
function addRequests(refunds: Command, context: CommandContext): void {
	const requests = refunds
		.command("requests")
		.description("List what callers asked back and no one has decided yet.");
	addOperatorCommand(requests, context, {
		ask: (operator) => operator.listRefundRequests(),
		describe: ({ items }) =>
			toList(
				["id", "receipt", "owner", "asked", "reason"],
				items.map((row) => [row.id, row.receipt_id, row.owner, row.created_at, row.reason || "-"]),
				"No request for a refund waits for a decision.",
			),
	});
	for (const [name, grant, description] of [
		["grant", true, "Refund what the call of a request (rfd_…) charged."],
		["decline", false, "Refund nothing; its caller can read that."],
	] as const) {
		const decide = refunds.command(`${name} <id>`).description(description);
		addOperatorCommand(decide, context, {
			ask: (operator, _flags, [id = ""]) => operator.decideRefund({ id, grant }),
			describe: ({ id, state, refund }) => [refund ? describeRefund(refund) : `${id}: ${state}`],
		});
	}
}

function addReconcile(ledger: Command, context: CommandContext): void {
	const reconcile = ledger
		.command("reconcile")
		.description("Hold the ledger against the chain, transaction by transaction.")
		.option("--book", "book what no one accounts for to the suspense account");
	addOperatorCommand(reconcile, context, {
		ask: (operator, flags) =>
			operator.reconcileLedger(
				{ book: flags["book"] === true },
				createProgress(context.terminal, "Reading blocks"),
			),
		describe: describeReconciliation,
		exitCode: ({ status }) => (status === "ok" ? 0 : 3),
	});
}

function describeReconciliation(found: ReconciliationWire): string[] {
	const { matched, ledger_balance_usd, chain_balance_usd } = found;
	return [
		`${found.status}: ${matched.count} matched, ${matched.in_usd} USD in, ${matched.out_usd} USD out`,
		`${found.pay_to} on ${found.network}: ${chain_balance_usd} USD on the chain, ${ledger_balance_usd} USD by the ledger`,
		...describeMovements("in the ledger, not on the chain", found.ledger_only),
		...describeMovements("on the chain, not in the ledger", found.chain_only),
		...describeMovements("differs", found.differing),
		...describeMovements("outcome open", found.open),
		...(found.booked > 0 ? [`${found.booked} booked to suspense`] : []),
	];
}

function describeMovements(title: string, movements: readonly MovementWire[]): string[] {
	return movements.map(
		({ direction, amount_usd, transaction, counterparty, at, ledger_usd }) =>
			`${title}: ${amount_usd} USD ${direction}${ledger_usd ? ` (${ledger_usd} USD in the ledger)` : ""}, ${transaction}, ${counterparty}, ${at}`,
	);
}
