#!/usr/bin/env node
// `npm run check:words`: American spelling, and the terms of the glossary in CONTRIBUTING.md instead of the words in its last
// column. Reads names and comments of the sources, whole documents, and titles of decisions; quoted text may be part of the
// interface and is left alone. --by-folder counts instead of listing; exit code 1 when something is found.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";

/** Beginnings of British spellings, and what is American. */
const BRITISH = {
	"(?:behavi|col|fav|flav|harb|hon|hum|lab|neighb|rum)our": "-or",
	"(?:author|capital|categor|final|initial|local|minim|maxim|normal|optim|organ|priorit|real|recogn|serial|standard|summar|synchron|token|util)is(?:e|ing|ation)":
		"-ize",
	"(?:anal|catal|paral)ys(?:ed|ing)": "-yze",
	"(?:cancel|channel|label|level|marshal|model|signal|travel|tunnel)l(?:ed|ing)": "one l",
	artefact: "artifact",
	"(?:cent|fib|lit|theat)res?\\b": "-er",
	catalogue: "catalog",
	cheque: "check",
	"(?:defen|licen|offen)ce": "-se",
	grey: "gray",
	"(?:acknowledg|judg)ement": "-dgment",
	"(?:amongst|whilst)\\b": "among, while",
};

/** British spellings that callers or stored data have: they stay. */
const EXCEPTIONS = {
	artefacts: "name of a table in the journal",
	authorise: "kind of an entry in the journal",
	cancelled: "state of jobs, tasks and subscriptions in replies and in the journal",
	keepsnotext: "field of accounts in the journal",
	licence: "field of feeds, models and graphs in replies and files",
	licences: "the same, of several",
	labelled: "folder and names of the benchmark sets",
	cancelling: "state of jobs in replies and in the journal",
	harbour: "name in the benchmark's made-up catalog",
};

/** Words that are right in some files. */
const EXCEPTIONS_IN = [
	// Expert desks are what graphs call them.
	{ words: /^desks?$/i, files: /expert|consult|analyst|agreement|synthetic|catalog|briefing/ },
	// Patterns of what claims say.
	{ words: /^(?:nobody|whoever|believe|till)$/i, files: /^skills\/(?:verify|answers)\// },
	{ words: /^catalogued$/i, files: /json-ld/ },
];

const SOURCE =
	/^(?:agent-card|bench|bin|client|contracts|docs|payments|skills|src|store|test)\/.*\.[cm]?[jt]s$/;
const DOCUMENT = /^(?:[^/]+|client\/[^/]+|docs\/.*)\.md$/;
/** Comments and names are looked at, texts are matched to be skipped. */
const TOKEN =
	/\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<=[(,=:[!&|?]\s*)\/(?![*/\s])(?:[^/\\\n]|\\.)+\/[a-z]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|[\w$]+/g;
const CODE = /```[\s\S]*?```|`[^`\n]*`/g;
const GLOSSARY = /## Glossary\n[\s\S]*?(?=\n## |$)/;

const rules = [...britishRules(), ...glossaryRules(readFileSync("CONTRIBUTING.md", "utf8"))];
const tracked = execFileSync("git", ["ls-files"], { encoding: "utf8", maxBuffer: 1 << 26 });
const files = tracked.split("\n").filter((file) => SOURCE.test(file) || DOCUMENT.test(file));
const found = files.filter((file) => file !== "bin/check-words.mjs").flatMap(findIn);
for (const line of process.argv.includes("--by-folder")
	? countByFolder(found)
	: found.map(toLine)) {
	process.stdout.write(`${line}\n`);
}
process.stderr.write(`${found.length} words to replace\n`);
process.exitCode = found.length > 0 ? 1 : 0;

function britishRules() {
	return Object.entries(BRITISH).map(([beginning, american]) => ({
		pattern: new RegExp(`\\b${beginning}\\w*`, "gi"),
		instead: `American spelling: ${american}`,
	}));
}

/** One rule for each row of the table: term, meaning, words that are not used for it. */
function glossaryRules(contributing) {
	const [section = ""] = contributing.match(GLOSSARY) ?? [];
	const rows = section.split("\n").filter((line) => line.startsWith("|"));
	return rows.slice(2).map((row) => {
		const [, term, , not] = row.split("|").map((cell) => cell.trim());
		const words = not.split(", ").join("|");
		return { pattern: new RegExp(`\\b(?:${words})\\b`, "gi"), instead: `say "${term}"` };
	});
}

function findIn(file) {
	const lines = [namesOf(basename(file)), ...checkedTextOf(file).split("\n")];
	return lines.flatMap((text, line) =>
		rules.flatMap(({ pattern, instead }) =>
			[...text.matchAll(pattern)]
				.filter(([word]) => !isRightIn(file, word))
				.map(([word]) => ({ file, line, word, instead })),
		),
	);
}

function isRightIn(file, word) {
	if (Object.hasOwn(EXCEPTIONS, word.toLowerCase())) return true;
	return EXCEPTIONS_IN.some(({ words, files }) => words.test(word) && files.test(file));
}

/** What is looked at, each part on its line. */
function checkedTextOf(file) {
	const text = readFileSync(file, "utf8");
	if (file.startsWith("docs/adr/")) return text.split("\n", 1)[0];
	if (DOCUMENT.test(file)) return text.replace(GLOSSARY, blank).replace(CODE, blank);
	return text.replace(TOKEN, (token) => {
		if (/^(?:["'`]|\/[^/*])/.test(token)) return blank(token);
		return token.startsWith("/") ? token.replace(CODE, blank) : namesOf(token);
	});
}

/** The words of a name: `openSptDesk`, `spt-desk.ts`, `SPT_DESK`. */
function namesOf(name) {
	if (Object.hasOwn(EXCEPTIONS, name.toLowerCase())) return "";
	return name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[_.-]/g, " ");
}

function blank(text) {
	return text.replace(/[^\n]+/g, " ");
}

function countByFolder(hits) {
	const counts = new Map();
	for (const { file } of hits) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
	return [...counts].map(([folder, count]) => `${folder}: ${count}`);
}

function toLine({ file, line, word, instead }) {
	return `${file}:${line}: "${word}": ${instead}`;
}
