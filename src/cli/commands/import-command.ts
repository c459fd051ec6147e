import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { GRAPH_TYPES, type GraphType } from "../../contract/contract.js";
import { invalidArgument, ServiceError } from "../../kernel/kernel.js";
import type { ImportReport, QualityReport } from "../../operator/operator.js";
import { withExamples } from "../help.js";
import {
	addOperatorCommand,
	type CommandContext,
	type Flags,
	listOf,
	textOf,
} from "../operator-command.js";
import { createProgress, whileWanted } from "../output.js";

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
		.option("--full", "with --update: read files again whose size and times have not changed")
		.option("--dry-run", "report what the import would make and change, and do nothing")
		.option("--yes", "with --update: do not ask before more than a fifth of the graph goes");
	withExamples(command, [
		"import ./notes --as notes --dry-run",
		"import ./handbook --as handbook --source-url 'https://example.org/{stem}' --exclude 'drafts/'",
		"import ./handbook --as handbook --update",
	]);
	addOperatorCommand(command, context, {
		ask: (operator, flags, [source = ""]) =>
			whileWanted((signal) => {
				const request = toImportRequest(flags, resolve(context.folder, source));
				const progress = createProgress(context.terminal, "Embedding");
				const run = (removals_max?: number) =>
					operator.importGraph(
						removals_max === undefined ? request : { ...request, removals_max },
						progress,
						signal,
					);
				if (flags["yes"] === true) return run(Number.MAX_SAFE_INTEGER);
				return run().catch(async (error: unknown) => {
					const removals = removalsOf(error);
					if (removals === undefined || !(error instanceof Error)) throw error;
					const isMeant = await context.terminal.confirm?.(`${error.message} Do it now?`);
					if (!isMeant) throw error;
					return run(removals);
				});
			}),
		describe: describeImport,
	});
}

function toImportRequest(flags: Flags, source: string) {
	return {
		source,
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
		dry_run: flags["dryRun"] === true,
		quality: true,
	};
}

/** Concepts that an update would take away, where it was refused for that. */
function removalsOf(error: unknown): number | undefined {
	const details = error instanceof ServiceError ? error.details : undefined;
	const detail = details?.find(({ path }) => path === "removals_max");
	return detail && Number(detail.message);
}

/** Throws INVALID_ARGUMENT for what is no count. */
function countOf(flags: Flags, name: string): number | undefined {
	const text = textOf(flags, name);
	if (text === undefined || /^\d{1,9}$/.test(text)) return text === undefined ? text : Number(text);
	throw invalidArgument(`"${text}" is no number of characters.`);
}

function describeImport(report: ImportReport): readonly string[] {
	const { graph_id, imported, skipped, nodes, edges, evidence, seconds, dry_run } = report;
	const { visible_ms, version, left_out } = report;
	const done = dry_run ? "would be imported; nothing was done" : "imported";
	return [
		`${graph_id}: ${imported} ${done}, ${skipped.length} skipped, ${nodes} nodes, ${edges} edges, ${evidence} sources, ${seconds} s`,
		...(visible_ms === undefined && version === 1 ? [] : describeChanges(report)),
		...(left_out.private + left_out.ignored === 0
			? []
			: [`  left out: ${left_out.private} private, ${left_out.ignored} ignored`]),
		...describeSkipped(skipped),
		...(report.quality ? describeQuality(report.quality) : []),
	];
}

function describeChanges({ changed, examples, read_ms, visible_ms, version }: ImportReport) {
	const { added, changed: altered, removed, unchanged } = changed;
	const counts = `${added} added, ${altered} changed, ${removed} removed, ${unchanged} unchanged`;
	const pace =
		visible_ms === undefined ? "" : `; read in ${read_ms} ms, visible ${visible_ms} ms later`;
	const now = version === undefined ? "" : `; version ${version}`;
	const kinds = ["added", "changed", "removed"] as const;
	return [
		`  ${counts}${pace}${now}`,
		...kinds.flatMap((kind) =>
			countWithExamples(kind, { count: changed[kind], examples: examples[kind] }),
		),
	];
}

/** One line for a count, with examples; none for nothing. */
function countWithExamples(
	what: string,
	{ count, examples }: { readonly count: number; readonly examples: readonly string[] },
): readonly string[] {
	if (count === 0) return [];
	const more = count > examples.length ? `, and ${count - examples.length} more` : "";
	return [`    ${what}: ${examples.join(", ")}${more}`];
}

const SKIPPED_SHOWN = 3;

/** One line for each reason; which file it is about does not make it another one. */
function describeSkipped(skipped: ImportReport["skipped"]): readonly string[] {
	const byReason = new Map<string, string[]>();
	for (const { file, reason } of skipped) {
		const files = byReason.get(reason) ?? [];
		byReason.set(reason, files);
		files.push(file);
	}
	return [...byReason].map(([reason, files]) => {
		const more = files.length > SKIPPED_SHOWN ? ` and ${files.length - SKIPPED_SHOWN} more` : "";
		return `  skipped ${files.slice(0, SKIPPED_SHOWN).join(", ")}${more}: ${reason}`;
	});
}

export function describeQuality(quality: QualityReport): readonly string[] {
	const { score, advice, secrets, topics, questions } = quality;
	const groups = [
		["titles that several have", quality.duplicate_titles],
		["without a title", quality.empty_titles],
		["without a source", quality.without_source],
		["without a date", quality.without_date],
		["without a link", quality.without_link],
		["parts apart from the largest", quality.isolated_parts],
		["with text that orders models about, kept out of answers", quality.injected],
	] as const;
	return [
		`  quality: ${score} of 100`,
		...groups.flatMap(([what, group]) => countWithExamples(`${group.count} ${what}`, group)),
		...secrets.items.map(({ path, kind, begins }) => `    ${path}: ${kind} (${begins})`),
		...(secrets.count > secrets.items.length
			? [`    and ${secrets.count - secrets.items.length} more places that read like a secret`]
			: []),
		...(topics.length > 0 ? [`  topics: ${topics.join(", ")}`] : []),
		...advice.map(({ points, message }) => `  +${points}: ${message}`),
		...(questions.length > 0 ? ["  questions it answers:"] : []),
		...questions.map(({ question, concept_id }) => `    ${question} (${concept_id})`),
	];
}
