import type { Command } from "commander";
import type { Operator } from "../../operator/operator.js";
import { addOperatorCommand, type CommandContext, textOf } from "../operator-command.js";
import { toColumns } from "../output.js";

/** What the dashboard shows beside the books: holds, refusals, and what runs for callers. */
export function addShop(program: Command, context: CommandContext): void {
	const shop = program.command("shop").description("What is under way, and what was refused.");
	const list = <Name extends ListName>(
		name: string,
		about: string,
		{ ask, columns, none }: Listing<Name>,
	) =>
		addOperatorCommand(shop.command(name).description(about), context, {
			ask: (operator) => operator[ask]() as ReturnType<Operator[Name]>,
			describe: ({ items }: { readonly items: readonly ItemOf<Name>[] }) =>
				items.length === 0 ? [none] : toColumns(items.map(columns)),
		});
	list("holds", "Money that is set aside for calls and jobs under way.", {
		ask: "listHolds",
		columns: ({ id, owner, operation, amount_usd, expires_at }) => [
			...[id, owner, operation, `${amount_usd} USD`, `until ${expires_at}`],
		],
		none: "Nothing is held.",
	});
	list("schedules", "Schedules of briefings, without their topics.", {
		ask: "listSchedules",
		columns: ({ id, owner, frequency, status, reason }) => [
			...[id, owner, frequency, reason === null ? status : `${status} (${reason})`],
		],
		none: "There are no schedules.",
	});
	list("webhooks", "Webhooks, of their addresses the hosts alone.", {
		ask: "listWebhooks",
		columns: ({ id, owner, target_masked, status, failed_attempts }) => [
			...[id, owner, target_masked, status, `${failed_attempts} failed`],
		],
		none: "There are no webhooks.",
	});
	list("feeds", "Feeds of supplemental data, and how their sources answered last.", {
		ask: "listFeeds",
		columns: ({ id, enabled, interval_s, problem }) => [
			...[id, enabled ? "on" : "off", `every ${interval_s} s`, problem ?? ""],
		],
		none: "There are no feeds.",
	});
	const refusals = shop
		.command("refusals")
		.description("Calls that had no result, by the code of their error.")
		.option("--from <day>", "not before, e.g. 2026-03-31")
		.option("--to <day>", "not after");
	addOperatorCommand(refusals, context, {
		ask: (operator, flags) =>
			operator.reportRefusals({ from: textOf(flags, "from"), to: textOf(flags, "to") }),
		describe: ({ items }) =>
			items.length === 0
				? ["No call was refused."]
				: toColumns(items.map(({ code, ending, calls }) => [code, ending, String(calls)])),
	});
}

type ListName = "listHolds" | "listSchedules" | "listWebhooks" | "listFeeds";
type ItemOf<Name extends ListName> = Awaited<ReturnType<Operator[Name]>>["items"][number];

interface Listing<Name extends ListName> {
	readonly ask: Name;
	readonly columns: (item: ItemOf<Name>) => readonly string[];
	readonly none: string;
}
