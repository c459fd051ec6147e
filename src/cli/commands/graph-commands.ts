import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Command } from "commander";
import { parseInput } from "../../contract/contract.js";
import { invalidArgument, notFound } from "../../kernel/kernel.js";
import {
	type ConceptReport,
	type GraphPricesWire,
	graphPricesCommand,
} from "../../operator/operator.js";
import {
	addOperatorCommand,
	type CommandContext,
	type Flags,
	listOf,
	textOf,
} from "../operator-command.js";
import { createProgress, toColumns, toList } from "../output.js";
import { describeQuality } from "./import-command.js";

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
	addVersions(graphs, context);
	addOwnership(graphs, context);
}

function addVersions(graphs: Command, context: CommandContext): void {
	const versions = graphs
		.command("versions <graph>")
		.description("List the versions of an imported graph that are kept, the one on sale first.");
	addOperatorCommand(versions, context, {
		ask: (operator, _flags, [graph_id = ""]) => operator.listVersions({ graph_id }),
		describe: ({ items }) =>
			toList(
				["version", "since", "made_by", "nodes"],
				items.map(({ number, at, cause, nodes }) => [`${number}`, at, cause, `${nodes}`]),
				"No version is kept.",
			),
	});
	const rollback = graphs
		.command("rollback <graph>")
		.description("Put an earlier version on sale again, or a graph that was removed.")
		.option("--to <version>", "its number, or a time at which it was on sale");
	addOperatorCommand(rollback, context, {
		ask: (operator, flags, [graph_id = ""]) => {
			const to = textOf(flags, "to");
			if (to === undefined) return operator.rollBack({ graph_id });
			return operator.rollBack({ graph_id, to: /^\d{1,9}$/.test(to) ? Number(to) : to });
		},
		describe: ({ graph_id, version, restored, changed }) => [
			`${graph_id}: what version ${restored} held is on sale, as version ${version}: ${changed.added} concepts came back, ${changed.changed} changed, ${changed.removed} went`,
		],
	});
}

function addOwnership(graphs: Command, context: CommandContext): void {
	const remove = graphs
		.command("remove <graph>")
		.description("Take an imported graph off sale; graphs rollback brings it back.")
		.option("--yes", "do not ask");
	addOperatorCommand(remove, context, {
		ask: async (operator, flags, [graph_id = ""]) => {
			const question = `"${graph_id}" goes off sale.`;
			const isMeant =
				flags["yes"] === true || (await context.terminal.confirm?.(`${question} Do it now?`));
			if (!isMeant) {
				throw invalidArgument(
					`${question} Nothing was done; run it again with --yes if that is meant.`,
				);
			}
			return operator.removeGraph({ graph_id });
		},
		describe: ({ graph_id, removed, notes }) => [
			`${graph_id}: off sale, with ${removed} concepts; tollgraph graphs rollback ${graph_id} brings it back`,
			...notes.map((note) => `  ${note}`),
		],
	});
	const rename = graphs
		.command("rename <graph> <id>")
		.description("Give an imported graph another id; the old one says what it is called now.");
	addOperatorCommand(rename, context, {
		ask: (operator, _flags, [graph_id = "", new_id = ""]) =>
			operator.renameGraph({ graph_id, new_id }),
		describe: ({ graph_id, former_id, nodes, notes }) => [
			`${graph_id}: ${nodes} nodes, called ${former_id} before`,
			...notes.map((note) => `  ${note}`),
		],
	});
	addSettings(graphs, context);
}

function addSettings(graphs: Command, context: CommandContext): void {
	const set = graphs
		.command("set <graph>")
		.description("Change what an imported graph says of itself; updates leave it so.")
		.option("--title <title>", "its title")
		.option("--description <text>", "what it is about, in a sentence")
		.option("--topics <topics>", "its topics, comma-separated")
		.option("--contact <contact>", "where buyers of it turn to with questions")
		.option("--licence <licence>", "an SPDX identifier, an address or a sentence");
	addOperatorCommand(set, context, {
		ask: (operator, flags, [graph_id = ""]) =>
			operator.setGraph({
				graph_id,
				title: textOf(flags, "title"),
				description: textOf(flags, "description"),
				topics: listOf(flags, "topics"),
				contact: textOf(flags, "contact"),
				license: textOf(flags, "licence"),
			}),
		describe: ({ graph_id, title, description, topics, contact, license }) =>
			toColumns([
				["graph", graph_id],
				["title", title],
				["description", description],
				["topics", topics.join(", ")],
				["contact", contact],
				["licence", license],
			]),
	});
	const check = graphs
		.command("check <graph>")
		.description("Report what is in a graph, what is missing, and what it answers.");
	addOperatorCommand(check, context, {
		ask: (operator, _flags, [graph_id = ""]) => operator.checkGraph({ graph_id }),
		describe: ({ graph_id, ...quality }) => [
			`${graph_id}: ${quality.concepts} concepts`,
			...describeQuality(quality),
		],
	});
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
