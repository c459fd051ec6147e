/** Replies on a sheet that does not say who wrote them, and what readers' grades say once they are joined with its key. */
import { randomInt } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { SOFTWARE_VERSION } from "../src/kernel/package-info.js";
import { round } from "./figures.js";
import type { ProductReply } from "./products/product-replies.js";
import type { AskedQuestion } from "./products/products.js";

const replySchema = z.strictObject({
	id: z.string(),
	question: z.string(),
	product: z.string(),
	/** Of the server; "by hand" of what a person wrote from the same graphs. */
	version: z.string(),
	text: z.string(),
});
type SheetReply = z.infer<typeof replySchema>;

const keySchema = z.array(
	replySchema.omit({ text: true, question: true }).extend({ item: z.string() }),
);

/** How a good grade is counted, of ten. */
const GOOD_GRADE = 7;
const GRADE_MOST = 10;
const GUIDE = `Grade each reply from 0 to ${GRADE_MOST}: would you, with a task that depends on the question, have paid for it? ${GOOD_GRADE} is a good answer. A file of grades has a line for each item: its number, a space, the grade.`;

export function toSheetReplies(
	replies: readonly ProductReply<AskedQuestion>[],
	{ version = SOFTWARE_VERSION }: { readonly version?: string | undefined },
): readonly SheetReply[] {
	return replies.map(({ asked: { id, question }, product, text }) => ({
		id,
		question,
		product,
		version,
		text,
	}));
}

/**
 * Writes `sheet` for readers, question by question with its replies in a random order, its key beside it as `.key.json`, and its replies as `.replies.jsonl`, which the sheet of
 * another version takes in as `others`: files with commas between them.
 */
export function writeSheet(
	replies: readonly SheetReply[],
	{ sheet, others }: { readonly sheet: string; readonly others?: string | undefined },
): void {
	const all = [...replies, ...(others?.split(",") ?? []).flatMap(readReplies)];
	const questions = shuffle([...new Set(all.map(({ question }) => question))]);
	const grouped = questions.flatMap((asked) =>
		shuffle(all.filter(({ question }) => question === asked)),
	);
	const items = grouped.map((reply, at) => ({ ...reply, item: String(at + 1) }));
	const texts = items.map(
		({ item, question, text }) => `## ${item}\n\nQuestion: ${question}\n\n${inset(text)}\n`,
	);
	writeFileSync(sheet, `# Replies to grade\n\n${GUIDE}\n\n${texts.join("\n")}`);
	const key = items.map(({ item, id, product, version }) => ({ item, id, product, version }));
	writeFileSync(`${sheet}.key.json`, `${JSON.stringify(key, undefined, "\t")}\n`);
	const lines = replies.map((reply) => `${JSON.stringify(reply)}\n`);
	writeFileSync(`${sheet}.replies.jsonl`, lines.join(""));
}

/** So that headings of a reply are none of the sheet. */
function inset(text: string): string {
	return text
		.split("\n")
		.map((line) => `> ${line}`.trimEnd())
		.join("\n");
}

function readReplies(path: string): readonly SheetReply[] {
	const lines = readFileSync(path, "utf8").trimEnd().split("\n");
	return lines.map((line) => replySchema.parse(JSON.parse(line)));
}

function shuffle<Item>(items: readonly Item[]): readonly Item[] {
	const left = [...items];
	return items.flatMap(() => left.splice(randomInt(left.length), 1));
}

interface GradeFigures {
	readonly product: string;
	readonly version: string;
	readonly grades: number;
	readonly mean: number;
	/** Share of grades that are good. */
	readonly good: number;
}

export interface GradesReport {
	readonly by_product: readonly GradeFigures[];
}

/** Means by product and version; `grades` are files with commas between them, one a reader. */
export function joinGrades({
	grades,
	sheet,
}: {
	readonly grades: string;
	readonly sheet: string;
}): GradesReport {
	const key = keySchema.parse(JSON.parse(readFileSync(`${sheet}.key.json`, "utf8")));
	const given = grades.split(",").flatMap(readGrades);
	const groups = new Map<string, { product: string; version: string; grades: number[] }>();
	for (const { item, grade } of given) {
		const entry = key.find((one) => one.item === item);
		if (!entry) throw new Error(`The sheet "${sheet}" has no item "${item}".`);
		const { product, version } = entry;
		const group = groups.get(`${product} ${version}`) ?? { product, version, grades: [] };
		group.grades.push(grade);
		groups.set(`${product} ${version}`, group);
	}
	const figures = [...groups.values()].map(({ product, version, grades: own }) => ({
		product,
		version,
		grades: own.length,
		mean: round(own.reduce((sum, grade) => sum + grade, 0) / own.length, 2),
		good: round(own.filter((grade) => grade >= GOOD_GRADE).length / own.length),
	}));
	const nameOf = ({ product, version }: GradeFigures) => `${product} ${version}`;
	return { by_product: figures.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) };
}

/** Lines that begin with no number say nothing. Throws for a grade that is none. */
function readGrades(path: string) {
	return readFileSync(path, "utf8")
		.split("\n")
		.flatMap((line) => {
			const [, item, given] = /^\s*(\d+)[\s,;:]+(\S+)/.exec(line) ?? [];
			if (item === undefined) return [];
			const grade = Number(given);
			if (grade >= 0 && grade <= GRADE_MOST) return [{ item, grade }];
			throw new Error(`${path}: "${given}" of item ${item} is no grade from 0 to ${GRADE_MOST}.`);
		});
}
