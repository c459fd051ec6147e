import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { type Command, Option } from "commander";
import { GRAPH_TYPES, type GraphType } from "../../contract/contract.js";
import { invalidArgument, notFound } from "../../kernel/kernel.js";
import type { ConceptReport, ImportReport } from "../../operator/operator.js";
import { withExamples } from "../help.js";
import {
	addOperatorCommand,
	type CommandContext,
	type Flags,
	listOf,
	textOf,
} from "../operator-command.js";
import { createProgress, toList } from "../output.js";

export function addImport(program: Command, context: CommandContext): void {
	const command = program
		.command("import <source>")
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
		.option(
			"--title-from <source>",
			"titles of documents: heading, file, or a front-matter key; by default what is there and tells them apart",
		)
		.addOption(
			new Option("--dates <source>", "dates of documents that state none").choices(["git"]),
		)
		.option(
			"--only <patterns>",
			"take these files alone, by patterns of .gitignore, comma-separated",
		)
		.option("--exclude <patterns>", "leave these files out, as a .tollgraphignore file does")
		.option("--split <characters>", "cut longer documents at their headings")
		.option("--update", "bring the graph that was imported under this id before in line")
		.option("--full", "with --update: read files again whose size and times have not changed");
	withExamples(command, [
		"import ./notes --as notes --dry-run",
		"import ./handbook --as handbook --source-url 'https://example.org/{stem}' --exclude 'drafts/'",
		"import ./handbook --as handbook --update",
	]);
	addOperatorCommand(command, context, {
		ask: (operator, flags, [source = ""]) =>
			operator.importGraph(
				{
					source: resolve(context.folder, source),
					as: String(flags["as"]),
					source_url: textOf(flags, "sourceUrl"),
					date_key: textOf(flags, "dateKey"),
					edge_keys: listOf(flags, "edgeKeys"),
					type: textOf(flags, "type") as GraphType | undefined,
					title: textOf(flags, "title"),
					title_from: textOf(flags, "titleFrom"),
					dates: textOf(flags, "dates") as "git" | undefined,
					only: listOf(flags, "only"),
					exclude: listOf(flags, "exclude"),
					split: countOf(flags, "split"),
					update: flags["update"] === true,
					full: flags["full"] === true,
				},
				createProgress(context.terminal, "Embedding"),
			),
		describe: describeImport,
	});
}

/** Throws INVALID_ARGUMENT for what is no count. */
function countOf(flags: Flags, name: string): number | undefined {
	const text = textOf(flags, name);
	if (text === undefined || /^\d{1,9}$/.test(text)) return text === undefined ? text : Number(text);
	throw invalidArgument(`"${text}" is no number of characters.`);
}

function describeImport(report: ImportReport): readonly string[] {
	const { graph_id, imported, skipped, nodes, edges, evidence, seconds, changed } = report;
	const counts = `${changed.added} added, ${changed.changed} changed, ${changed.removed} removed, ${changed.unchanged} unchanged`;
	return [
		`${graph_id}: ${imported} imported, ${skipped.length} skipped, ${nodes} nodes, ${edges} edges, ${evidence} sources, ${seconds} s`,
		...(report.visible_ms === undefined
			? []
			: [`  ${counts}; read in ${report.read_ms} ms, visible ${report.visible_ms} ms later`]),
		...(report.left_out.private + report.left_out.ignored === 0
			? []
			: [`  left out: ${report.left_out.private} private, ${report.left_out.ignored} ignored`]),
		...skipped.map(({ file, reason }) => `  skipped ${file}: ${reason}`),
	];
}

export function addGraphs(program: Command, context: CommandContext): void {
	const graphs = program.command("graphs").description("Graphs on sale.");
	const list = graphs.command("list").description("List the graphs on sale.");
	addOperatorCommand(list, context, {
		ask: (operator) => operator.listGraphs(),
		describe: ({ items }) =>
			toList(
				["id", "type", "nodes", "title"],
				items.map(({ id, type, nodes, title }) => [id, type, String(nodes), title]),
				"No graph is on sale. Put one on sale: tollgraph import ./folder --as my-graph",
			),
	});
}

export function addConcepts(program: Command, context: CommandContext): void {
	const concepts = program
		.command("concepts")
		.description("Change an imported graph, one concept at a time.");
	const put = concepts
		.command("put <graph> <file>")
		.description("Add a concept, or change it: one Markdown file with a type in its front matter.")
		.option("--path <path>", "where the concept lies in the graph; by default the file's name");
	addOperatorCommand(put, context, {
		ask: async (operator, flags, [graph_id = "", file = ""]) =>
			operator.putConcept({
				graph_id,
				path: textOf(flags, "path") ?? basename(file),
				markdown: await readText(resolve(context.folder, file)),
			}),
		describe: describeChange,
	});
	const remove = concepts
		.command("remove <graph> <concept>")
		.description("Take a concept out, by its id.");
	addOperatorCommand(remove, context, {
		ask: (operator, _flags, [graph_id = "", concept_id = ""]) =>
			operator.removeConcept({ graph_id, concept_id }),
		describe: describeChange,
	});
}

function describeChange(report: ConceptReport): readonly string[] {
	const { graph_id, concept_id, change, nodes, visible_ms, warnings } = report;
	return [
		`${graph_id}: ${concept_id} ${change}, ${nodes} nodes, visible after ${visible_ms} ms`,
		...warnings.map((warning) => `  ${warning}`),
	];
}

/** Throws NOT_FOUND, and INVALID_ARGUMENT for what is no text. */
async function readText(file: string): Promise<string> {
	const bytes = await readFile(file).catch((cause: unknown) => {
		throw notFound(`The file "${file}" cannot be read.`, { cause });
	});
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch (cause) {
		throw invalidArgument(`The file "${file}" is not UTF-8 text.`, { cause });
	}
}

export function addReindex(program: Command, context: CommandContext): void {
	const command = program.command("reindex").description("Build the search index anew.");
	addOperatorCommand(command, context, {
		ask: (operator) => operator.reindex(createProgress(context.terminal, "Indexing")),
		describe: ({ concepts, mode, seconds }) => [
			`${concepts} concepts, ${mode} search, ${seconds} s`,
		],
	});
}
