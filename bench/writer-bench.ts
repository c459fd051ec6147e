/** What is shown of six scripted writers over passages of the sample catalog: sensible sentences, and lies of three kinds. */
import { createServer, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { createLlmWriter } from "../skills/answers/writer/llm-writer.js";
import { type PassageProse, writeFromPassages } from "../skills/answers/written-prose.js";
import { WRITER_LIMITS } from "../src/contract/limits.js";
import { createConfiguredEgress } from "../src/delivery/configured-egress.js";
import { type CitedSentence, toCitedSentences } from "../src/evidence/cited-sentences.js";
import { systemClock } from "../src/kernel/clock.js";
import type { Graph } from "../src/knowledge/model/graph.js";
import { createPairJudge, type PairJudge } from "../src/search/judge/pair-judge.js";
import { round } from "./figures.js";
import { JUDGE_FOLDER, weightsOf } from "./judge-weights.js";
import { loadFirstCatalog } from "./labelled/first-catalog.js";
import { atLeast, atMost, type Bar } from "./search/bars.js";

export interface WriterBenchReport {
	/** SHA-256 of the judge's weights. */
	readonly weights: string;
	/** By writer: sentences drafted, those shown, and answers that quote their passages instead. */
	readonly writers: Readonly<Record<string, WriterCount>>;
	/** Of the sensible writer, by how a sentence was made. */
	readonly sensible: Readonly<Record<string, number>>;
	readonly bars: readonly Bar[];
}

interface Passage {
	readonly id: string;
	readonly text: string;
}

interface Drafted {
	readonly ids: readonly string[];
	readonly text: string;
	readonly made: string;
}

const TASKS = 50;
const PASSAGES_EACH = 3;
const SLOW_TASKS = 3;

const SUBJECTS = ["The committee", "A later survey", "The vendor", "Most users", "An audit"];
const CLAIMS = [
	"withdrew the whole design after complaints",
	"found that it doubles the cost of each call",
	"recommends it for every new project",
	"has patented the method",
	"measured no difference at all",
];

const lowerFirst = (text: string) =>
	/^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
const bare = (text: string) => text.replace(/[.!?]+$/, "");

/** Quoted, joined, or lightly reworded: what a careful writer does. */
function sensible(passages: readonly Passage[], task: number): readonly Drafted[] {
	const [first, second, third] = passages;
	if (!first || !second || !third) return [];
	const joined = `${bare(first.text)}, and ${lowerFirst(second.text)}`;
	return [
		{ ids: [third.id], text: third.text, made: "quoted" },
		task % 2 === 0
			? { ids: [first.id, second.id], text: joined, made: "joined" }
			: { ids: [first.id], text: reworded(first.text), made: "reworded" },
		{ ids: [second.id], text: reworded(second.text), made: "reworded" },
	];
}

const REWORDINGS: readonly (readonly [RegExp, string])[] = [
	[/\bcannot\b/, "can not"],
	[/\bmust not\b/, "may not"],
	[/\bbecause\b/, "since"],
	[/\bhas to\b/, "must"],
	[/\balso\b/, "as well"],
	[/\bsuch as\b/, "like"],
	[/\bmany\b/, "numerous"],
	[/\bshows?\b/, "indicates"],
	[/\buses\b/, "makes use of"],
	[/\blets\b/, "allows"],
];

function reworded(text: string): string {
	const changed = REWORDINGS.find(([pattern]) => pattern.test(text));
	if (changed) return text.replace(changed[0], changed[1]);
	return `In short, ${lowerFirst(text)}`;
}

function inventing(passages: readonly Passage[], task: number): readonly Drafted[] {
	return passages.map(({ id, text }, at) => {
		const subject = SUBJECTS[(task + at) % SUBJECTS.length];
		const claim = CLAIMS[(task * 2 + at) % CLAIMS.length];
		const about = text.split(/\s+/).slice(0, 4).join(" ");
		return { ids: [id], text: `${subject} ${claim} ("${about}").`, made: "invented" };
	});
}

const VERB = /\b(is|are|was|were|can|must|may|will|should|does|do|has|have)\b(?! not)/;

function negating(passages: readonly Passage[]): readonly Drafted[] {
	return passages.map(({ id, text }) => ({
		ids: [id],
		text: VERB.test(text)
			? text.replace(VERB, (verb) => `${verb} not`)
			: `It is not true that ${lowerFirst(text)}`,
		made: "negated",
	}));
}

const FIGURE = /\d+/;
const NAME = /(?<=\s)[A-Z][A-Za-z]{2,}/;

/** A figure is changed; without one a name; without either the sentence speaks of something else. */
function swapping(passages: readonly Passage[], task: number): readonly Drafted[] {
	const names = ["Zurich", "Kestrel", "Brandt", "Osaka", "Lumen"];
	return passages.map(({ id, text }, at) => {
		const name = names[(task + at) % names.length] ?? "";
		const swapped = FIGURE.test(text)
			? text.replace(FIGURE, (figure) => String(Number(figure) + 7))
			: NAME.test(text)
				? text.replace(NAME, name)
				: `${name}: ${text.replace(/\b(\w+)\b(?=\W*$)/, name)}`;
		return { ids: [id], text: swapped, made: "swapped" };
	});
}

const SCRIPTS = { sensible, inventing, negating, swapping } as const;
type Script = keyof typeof SCRIPTS;

export async function benchWriter(judgeFolder = JUDGE_FOLDER): Promise<WriterBenchReport> {
	const graphs = await loadFirstCatalog();
	const judge = await createPairJudge(systemClock, { folder: judgeFolder, sums: "if-there" });
	const tasks = passagesOf(graphs);
	const server = await startScripted();
	const writers: Record<string, WriterCount> = {};
	const made = new Map<string, { drafted: number; shown: number }>();
	try {
		for (const script of ["sensible", "inventing", "negating", "swapping"] as const) {
			writers[script] = await measureScript({ server, judge, script, made }, tasks);
		}
		for (const script of ["slow", "dead"] as const) {
			server.silence(script);
			let quoted = 0;
			for (const passages of tasks.slice(0, SLOW_TASKS)) {
				const prose = await write(server.url, { passages, judge, timeoutMs: 1_500 });
				quoted += Number(prose.writer === "extractive" && prose.sentences.length > 0);
			}
			writers[script] = { drafted: 0, shown: 0, quoted };
		}
	} finally {
		await judge.close();
		server.close();
	}
	const lies = ["inventing", "negating", "swapping"].map((name) => writers[name]?.shown ?? 0);
	const shareOf = (kind: string) => {
		const { drafted, shown } = made.get(kind) ?? { drafted: 0, shown: 0 };
		return drafted === 0 ? 0 : round(shown / drafted);
	};
	const { drafted = 0, shown = 0 } = writers["sensible"] ?? {};
	const quotedLess = ["slow", "dead"].reduce((sum, name) => sum + (writers[name]?.quoted ?? 0), 0);
	return {
		weights: weightsOf(judgeFolder),
		writers,
		sensible: {
			quoted: shareOf("quoted"),
			joined: shareOf("joined"),
			reworded: shareOf("reworded"),
		},
		bars: [
			atMost(
				"lies shown",
				lies.reduce((sum, count) => sum + count, 0),
				0,
			),
			atLeast("sensible sentences shown", drafted === 0 ? 0 : round(shown / drafted), 0.85),
			atLeast("slow and dead writers replaced", quotedLess, 2 * SLOW_TASKS),
		],
	};
}

interface WriterCount {
	readonly drafted: number;
	readonly shown: number;
	readonly quoted: number;
}

interface Measured {
	readonly server: Awaited<ReturnType<typeof startScripted>>;
	readonly judge: PairJudge;
	readonly script: Script;
	/** Added to, by how a sentence was made. */
	readonly made: Map<string, { drafted: number; shown: number }>;
}

async function measureScript(
	{ server, judge, script, made }: Measured,
	tasks: readonly (readonly CitedSentence[])[],
): Promise<WriterCount> {
	const count = { drafted: 0, shown: 0, quoted: 0 };
	for (const [task, passages] of tasks.entries()) {
		const drafted = server.script(script, task);
		const prose = await write(server.url, { passages, judge });
		const isQuoted = prose.writer === "extractive";
		const shown = isQuoted ? [] : prose.sentences.map(({ text }) => text);
		for (const one of drafted()) {
			const sum = made.get(one.made) ?? { drafted: 0, shown: 0 };
			const isShown = shown.includes(one.text);
			made.set(one.made, { drafted: sum.drafted + 1, shown: sum.shown + Number(isShown) });
		}
		count.drafted += drafted().length;
		count.quoted += Number(isQuoted);
		count.shown += shown.length;
	}
	return count;
}

/** Passages weigh nothing, since the rule on lost evidence would hide what passed the gate. */
async function write(
	url: string,
	{
		passages,
		judge,
		timeoutMs = 20_000,
	}: {
		readonly passages: readonly CitedSentence[];
		readonly judge: PairJudge;
		readonly timeoutMs?: number;
	},
): Promise<PassageProse> {
	const egress = createConfiguredEgress({
		...{ urls: [url], replyBytesMax: WRITER_LIMITS.replyBytes, streams: true },
	});
	const writer = createLlmWriter({
		...{ egress, clock: systemClock, url, timeoutMs, preset: "openai" },
		...{ output: "json_schema", model: "scripted" },
	});
	const { signal } = new AbortController();
	const light = passages.map((_, part) => ({ part, weight: 0, likelihood: 1 }));
	const task = {
		...{ purpose: "Answer the question.", question: passages[0]?.concept.title ?? "", signal },
		...{ offered: passages, passages: passages.map((one) => [one]), weights: light },
		...{ sentencesMax: 5, quotedMax: PASSAGES_EACH },
	};
	return writeFromPassages(task, { writer, judge });
}

/** Sentences of a concept, from concepts spread over the catalog. */
function passagesOf(graphs: readonly Graph[]): readonly (readonly CitedSentence[])[] {
	const all = graphs.flatMap((graph) =>
		graph.concepts.map((concept) =>
			toCitedSentences(graph, concept)
				.filter(({ text }) => /^[A-Z].{40,220}\.$/.test(text))
				.slice(0, PASSAGES_EACH),
		),
	);
	const whole = all.filter(({ length }) => length === PASSAGES_EACH);
	const step = Math.max(1, Math.floor(whole.length / TASKS));
	return whole.filter((_, at) => at % step === 0).slice(0, TASKS);
}

async function startScripted() {
	let respond: (passages: readonly Passage[], res: ServerResponse) => void = (_, res) =>
		void res.destroy();
	const server = createServer(async (req, res) => {
		const { messages } = (await json(req)) as { messages: readonly { content: string }[] };
		const { evidence } = JSON.parse(messages[1]?.content ?? "{}") as {
			evidence: readonly Passage[];
		};
		respond(evidence, res);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	const port = typeof address === "object" && address ? address.port : 0;
	return {
		url: `http://127.0.0.1:${port}/v1`,
		script(name: Script, task: number) {
			let drafted: readonly Drafted[] = [];
			respond = (passages, res) => {
				drafted = SCRIPTS[name](passages, task);
				const sentences = drafted.map(({ ids, text }) => ({ ids, text }));
				const content = JSON.stringify({ sentences });
				res.setHeader("Content-Type", "text/event-stream");
				for (let at = 0; at < content.length; at += 40) {
					const delta = { content: content.slice(at, at + 40) };
					res.write(`data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`);
				}
				res.end("data: [DONE]\n\n");
			};
			return () => drafted;
		},
		silence(how: "slow" | "dead") {
			respond = (_, res) => void (how === "dead" && res.destroy());
		},
		close() {
			server.closeAllConnections();
			server.close();
		},
	};
}
