import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import {
	ANSWER_AUTHORS,
	listAnswerAuthors,
	loadAnswerQuestions,
} from "../../bench/labelled/answer-questions.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";

const questions = listAnswerAuthors().flatMap(loadAnswerQuestions);

t.test("every author is open or held out", async (t) => {
	t.same(listAnswerAuthors(), [...ANSWER_AUTHORS.open, ...ANSWER_AUTHORS.held]);
	t.equal(new Set(questions.map(({ id }) => id)).size, questions.length);
});

t.test("what has an answer has a vital nugget, the rest says what is missing", async (t) => {
	const faulty = questions.filter(({ answerable, nuggets, miss }) =>
		answerable
			? miss !== undefined || !nuggets.some(({ vital }) => vital)
			: miss === undefined || nuggets.length > 0,
	);
	t.same(faulty, []);
	t.equal(questions.filter(({ answerable }) => !answerable).length, 39);
});

t.test("nuggets over the sample catalog stand where they say", async (t) => {
	const texts = new Map<string, string>();
	const textOf = (file: string) => {
		const known = texts.get(file);
		if (known !== undefined) return known;
		const text = flat(readFileSync(join(PACKAGE_ROOT, "graphs", file), "utf8"));
		texts.set(file, text);
		return text;
	};
	const places = questions
		.filter(({ corpus }) => corpus === "catalog")
		.flatMap(({ nuggets }) => nuggets.flatMap(({ evidence }) => evidence));
	t.ok(places.length > 300);
	t.same(
		places.filter(({ file, quote }) => !textOf(file).includes(flat(quote))),
		[],
	);
});

const flat = (text: string) => text.replace(/\s+/g, " ").trim();
