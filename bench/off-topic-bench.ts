/** Who pays for what no graph answers: questions foreign to the sample catalog, each asked of every research skill as agents ask it. */
import { round } from "./figures.js";
import {
	DISTANCES,
	FORMS,
	loadOffTopicQuestions,
	type OffTopicQuestion,
} from "./labelled/off-topic-questions.js";
import {
	type Bought,
	type Caller,
	openProductServer,
	type ProductServer,
} from "./products/product-server.js";
import { PRODUCTS, routeTo } from "./products/products.js";
import { atMost, type Bar } from "./search/bars.js";

const CHARGED_MOST = 0.02;
/** Questions asked at once. */
const AT_ONCE = 2;
/** Longer topics are no names. */
const NAME_WORDS = 4;
const PROGRESS_EVERY = 10;

interface SkillFigures {
	readonly asked: number;
	/** Shares of what was asked. */
	readonly charged: number;
	readonly by_distance: Readonly<Record<string, number>>;
	readonly by_form: Readonly<Record<string, number>>;
}

export interface OffTopicReport {
	readonly questions: number;
	/** Share of the searches whose rows a judge read: it is not waited for where the machine is too slow. */
	readonly read_by_judge: number;
	readonly skills: Readonly<Record<SkillName, SkillFigures>>;
	readonly bars: readonly Bar[];
}

/** Asks every `every`-th question; which of them are charged is not reported, because nothing may be tuned by them. */
export async function benchOffTopic(folder: string, every: number): Promise<OffTopicReport> {
	const questions = loadOffTopicQuestions().filter((_, at) => at % every === 0);
	const server = await openProductServer(folder);
	try {
		return toReport(await askAll(server, questions), questions.length);
	} finally {
		await server.close();
	}
}

interface Asked {
	readonly question: OffTopicQuestion;
	readonly skill: SkillName;
	readonly reply: Bought;
}

async function askAll(
	server: ProductServer,
	questions: readonly OffTopicQuestion[],
): Promise<readonly Asked[]> {
	const waiting = [...questions];
	const asked: Asked[] = [];
	let done = 0;
	const askNext = async (): Promise<void> => {
		const question = waiting.shift();
		if (!question) return;
		const caller = await server.openCaller();
		for (const [skill, ask] of Object.entries(SKILLS) as [SkillName, Ask][]) {
			const reply = await ask(caller, question);
			if (reply) asked.push({ question, skill, reply });
		}
		done += 1;
		if (done % PROGRESS_EVERY === 0) process.stderr.write(`  ${done} of ${questions.length}\n`);
		await askNext();
	};
	await Promise.all(Array.from({ length: AT_ONCE }, askNext));
	return asked;
}

type Ask = (caller: Caller, question: OffTopicQuestion) => Promise<Bought | undefined>;

/** Each is asked as the question is written; undefined where it is not for such a question. */
const SKILLS = {
	"search.all": (caller, { question: query }) => caller.buy("/v1/search", { query, limit: 10 }),
	"graphs.context": async (caller, asked) => {
		const graph = await routeTo(caller, asked);
		const context = { query: asked.question, max_tokens: 1_000 };
		return caller.buy(`/v1/graphs/${graph}/context`, context);
	},
	"human_agents.consult": PRODUCTS.consult.ask,
	"human_agents.panel": PRODUCTS.panel.ask,
	"analysts.consult": PRODUCTS.analyst.ask,
	"analysts.debate": PRODUCTS.debate.ask,
	"intelligence.dossier": PRODUCTS.dossier.ask,
	"research.chat": PRODUCTS.chat.ask,
	"research.stream": PRODUCTS.stream.ask,
	"research.deep_dive": PRODUCTS["dive-fast"].ask,
	"supplemental.context": (caller, { question: topic }) =>
		caller.buy("/v1/supplemental/context", { topic }),
	"verify.text": (caller, { question: text }) => caller.buy("/v1/verify/text", { text }),
	brand_intelligence: askForBrand,
} satisfies Readonly<Record<string, Ask>>;
type SkillName = keyof typeof SKILLS;

/** A brand that no one knows is not found, before any payment. */
async function askForBrand(caller: Caller, { question: name, form }: OffTopicQuestion) {
	if (form !== "topic" || name.split(" ").length > NAME_WORDS) return undefined;
	return caller.buy(
		`/v1/brand-intelligence/${encodeURIComponent(name)}`,
		{},
		{ canBeMissing: true },
	);
}

function toReport(asked: readonly Asked[], questions: number): OffTopicReport {
	const names = Object.keys(SKILLS) as SkillName[];
	const skills = Object.fromEntries(
		names.map((name) => [name, toFigures(asked.filter(({ skill }) => skill === name))]),
	) as Record<SkillName, SkillFigures>;
	const searches = asked.filter(({ skill }) => skill === "search.all");
	const bars = names.map((name) =>
		atMost(`${name}, off-topic charged`, skills[name].charged, CHARGED_MOST),
	);
	const readByJudge = shareOf(searches, ({ reply }) => reply.effort === "best");
	return { questions, read_by_judge: readByJudge, skills, bars };
}

function toFigures(asked: readonly Asked[]): SkillFigures {
	const charged = (part: readonly Asked[]) => shareOf(part, ({ reply }) => reply.isCharged);
	const by = (key: "distance" | "form", values: readonly string[]) =>
		Object.fromEntries(
			values.map((value) => [
				value,
				charged(asked.filter(({ question }) => question[key] === value)),
			]),
		);
	return {
		asked: asked.length,
		charged: charged(asked),
		by_distance: by("distance", DISTANCES),
		by_form: by("form", FORMS),
	};
}

function shareOf(asked: readonly Asked[], isCounted: (one: Asked) => boolean): number {
	return asked.length === 0 ? 0 : round(asked.filter(isCounted).length / asked.length);
}
