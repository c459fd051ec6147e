import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { type Command, Option } from "commander";
import { GRAPH_TYPES, type GraphType, parseInput } from "../../contract/contract.js";
import { invalidArgument, notFound } from "../../kernel/kernel.js";
import {
	type ConceptReport,
	type GraphPricesWire,
	graphPricesCommand,
	type ImportReport,
} from "../../operator/operator.js";
import { withExamples } from "../help.js";
import {
	addOperatorCommand,
	type CommandContext,
	type Flags,
	listOf,
	textOf,
} from "../operator-command.js";
import { createProgress, toColumns, toList } from "../output.js";

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
	addPrices(graphs, context);
}

/** One command that shows, sets and clears. */
function addPrices(graphs: Command, context: CommandContext): void {
	const prices = graphs
		.command("prices <id>")
		.description("Show what a graph costs and who shares in its revenue, or change it.")
		.option("--price <usd>", "any call priced per call that names the graph alone; '' for none")
		.option(
			"--of <operation=usd,...>",
			"single operations, e.g. graphs.search=0.30,get_node=0.10; 'get_node=' takes one out",
		)
		.option("--owners <owner=percent,...>", "who shares in the revenue, adding up to 100")
		.option("--clear", "begin with no prices and no owners");
	addOperatorCommand(prices, context, {
		ask: (operator, flags, [graph_id = ""]) =>
			operator.priceGraph(
				parseInput(graphPricesCommand, {
					graph_id,
					price: textOf(flags, "price"),
					prices: pairsOf(flags, "of"),
					owners: pairsOf(flags, "owners"),
					clear: flags["clear"] === true,
				}),
			),
		describe: describePrices,
	});
}

/** `a=1,b=2`; undefined when it was not given. Throws INVALID_ARGUMENT for a part without a name or sign. */
function pairsOf(flags: Flags, key: string): Record<string, string> | undefined {
	const pairs = listOf(flags, key)?.map((pair) => {
		const at = pair.lastIndexOf("=");
		if (at > 0) return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const;
		throw invalidArgument(`--${key} wants name=value, comma-separated, not "${pair}".`);
	});
	if (pairs && new Set(pairs.map(([name]) => name)).size < pairs.length) {
		throw invalidArgument(`--${key} names something twice.`);
	}
	return pairs && Object.fromEntries(pairs);
}

function describePrices(found: GraphPricesWire): readonly string[] {
	const { graph_id, price_usd, operations, nodes, priced_nodes, owners } = found;
	const rows = [
		...(price_usd === null ? [] : [["any call priced per call", `${price_usd} USD`]]),
		...Object.entries(operations).map(([id, usd]) => [id, `${usd} USD`]),
		...Object.entries(nodes).map(([id, usd]) => [`node ${id}`, `${usd} USD`]),
		...Object.entries(owners).map(([owner, percent]) => [`owner ${owner}`, `${percent} %`]),
	];
	const more = priced_nodes - Object.keys(nodes).length;
	if (rows.length === 0)
		return [`${graph_id} costs what the price list says; its revenue is the operator's.`];
	return [
		`${graph_id}:`,
		...toColumns(rows),
		...(more > 0 ? [`${more} more nodes have prices of their own`] : []),
	];
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
