import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { GRAPH_TYPES, type GraphType } from "../../core/wire.js";
import {
	type CommandContext,
	type Flags,
	settingsOf,
	textOf,
	withSettings,
} from "../command-context.js";
import { withOperator } from "../open-operator.js";
import { createProgress, printResult, toColumns } from "../output.js";

export function addImport(program: Command, context: CommandContext): void {
	withSettings(program.command("import <source>"))
		.description("Put a folder on sale: an OKF bundle, a folder of Markdown, or a zip of either.")
		.requiredOption("--as <id>", "id of the new graph")
		.option(
			"--source-url <template>",
			"address of each document, e.g. 'https://example.org/{stem}'",
		)
		.option("--date-key <key>", "front-matter key that dates a document, e.g. created")
		.option("--edge-keys <keys>", "front-matter keys that name other documents, comma-separated")
		.addOption(new Option("--type <type>", "type of the graph").choices([...GRAPH_TYPES]))
		.option("--title <title>", "title of the graph")
		.option("--update", "replace the graph that was imported under this id before")
		.option("--json", "print the report as one JSON line")
		.action(async (source: string, flags: Flags) => {
			const progress = createProgress(context.terminal, "Embedding");
			const report = await withOperator(settingsOf(context, flags), (operator) =>
				operator.importGraph(
					{
						source: resolve(context.folder, source),
						as: String(flags["as"]),
						source_url: textOf(flags, "sourceUrl"),
						date_key: textOf(flags, "dateKey"),
						edge_keys: textOf(flags, "edgeKeys")
							?.split(",")
							.map((key) => key.trim()),
						type: textOf(flags, "type") as GraphType | undefined,
						title: textOf(flags, "title"),
						update: flags["update"] === true,
					},
					progress,
				),
			);
			const { graph_id, imported, skipped, nodes, edges, evidence, seconds } = report;
			printResult(context.terminal, report, {
				json: flags["json"] === true,
				lines: [
					`${graph_id}: ${imported} imported, ${skipped.length} skipped, ${nodes} nodes, ${edges} edges, ${evidence} sources, ${seconds} s`,
					...skipped.map(({ file, reason }) => `  skipped ${file}: ${reason}`),
				],
			});
		});
}

export function addGraphs(program: Command, context: CommandContext): void {
	const graphs = program.command("graphs").description("Graphs on sale.");
	withSettings(graphs.command("list").description("List the graphs on sale."))
		.option("--json", "print one JSON line")
		.action(async (flags: Flags) => {
			const result = await withOperator(settingsOf(context, flags), (operator) =>
				operator.listGraphs(),
			);
			const rows = result.items.map(({ id, type, nodes, title }) => [
				id,
				type,
				`${nodes} nodes`,
				title,
			]);
			printResult(context.terminal, result, {
				json: flags["json"] === true,
				lines: toColumns(rows),
			});
		});
}

export function addReindex(program: Command, context: CommandContext): void {
	withSettings(program.command("reindex").description("Build the search index anew."))
		.option("--json", "print one JSON line")
		.action(async (flags: Flags) => {
			const progress = createProgress(context.terminal, "Indexing");
			const result = await withOperator(settingsOf(context, flags), (operator) =>
				operator.reindex(progress),
			);
			const lines = [`${result.concepts} concepts, ${result.mode} search, ${result.seconds} s`];
			printResult(context.terminal, result, { json: flags["json"] === true, lines });
		});
}
