import type { Command } from "commander";
import type { WriterReport, WriterTrial } from "../../../skills/answers/answers.js";
import { invalidArgument } from "../../kernel/kernel.js";
import { addOperatorCommand, type CommandContext, textOf } from "../operator-command.js";
import { createProgress, type Line, toList } from "../output.js";

const QUESTIONS_MOST = 100;

/** What an operator can see of the language model that drafts prose. */
export function addWriter(program: Command, context: CommandContext): void {
	const writer = program.command("writer").description("Language model that drafts prose.");
	const test = writer
		.command("test")
		.description(
			"Have the configured model answer questions about the installed graphs, and show what passes the gate; exit code 3 where nothing does.",
		)
		.option("--questions <n>", "how many questions", "10");
	addOperatorCommand(test, context, {
		ask(operator, flags) {
			const text = textOf(flags, "questions") ?? "";
			const questions = /^\d{1,3}$/.test(text) ? Number(text) : 0;
			if (questions < 1 || questions > QUESTIONS_MOST) {
				throw invalidArgument(`--questions must be a number from 1 to ${QUESTIONS_MOST}.`);
			}
			return operator.tryWriter({ questions }, createProgress(context.terminal, "Asking"));
		},
		describe: describeTrial,
		exitCode: ({ passed }) => (passed > 0 ? 0 : 3),
	});
	const usage = writer
		.command("usage")
		.description("Say what the model took since the server was started, by operation.");
	addOperatorCommand(usage, context, {
		ask: (operator) => operator.reportWriter(),
		describe: describeUsage,
	});
}

function describeTrial(trial: WriterTrial): string[] {
	const { model, output, context_tokens: context, questions } = trial;
	const shown = `${trial.passed} sentences passed, ${trial.dropped} did not; ${trial.shown} of ${questions.length} drafts keep the evidence of their passages, the others are completed or replaced by quotations.`;
	return [
		`${model}: drafts as ${output}, ${context} tokens of context`,
		...questions.flatMap(describeQuestion),
		shown,
		`${spentOf(trial)}${trial.counts_tokens ? "" : " (estimated: the server does not count)"}`,
		...(trial.cut_prompts
			? [
					"The server read less than it was sent: give it more context, or set writer_context_tokens.",
				]
			: []),
	];
}

function describeQuestion(one: WriterTrial["questions"][number]): string[] {
	return [
		`${one.question} (${one.passages} passages; ${spentOf(one)})`,
		...one.passed.map(({ text, evidence_ids: ids }) => `  passed: ${text} [${ids.join(", ")}]`),
		...one.dropped.map(({ text, reason }) => `  dropped (${reason}): ${text}`),
		...(one.failure === null ? [] : [`  ${one.failure}`]),
	];
}

function spentOf(one: {
	readonly tokens_in: number;
	readonly tokens_out: number;
	readonly ms: number;
	readonly cost_usd: string | null;
}): string {
	const cost = one.cost_usd === null ? "" : `, ${one.cost_usd} USD`;
	return `${one.tokens_in} tokens in, ${one.tokens_out} out, ${(one.ms / 1_000).toFixed(1)} s${cost}`;
}

function describeUsage({ operations, ...all }: WriterReport): readonly Line[] {
	const rows = [{ operation: "all", ...all }, ...operations];
	return toList(
		["operation", "requests", "tokens_in", "tokens_out", "cost_usd"],
		rows.map((row) => [
			row.operation,
			String(row.requests),
			String(row.tokens_in),
			String(row.tokens_out),
			row.cost_usd ?? "",
		]),
		"The language model was not asked yet.",
	);
}
