import { extractiveWriter } from "../../../skills/answers/written-prose.js";
import { createDeepDiveWork } from "../../../skills/deep-dive/deep-dive-work.js";
import type { DeepDiveReport } from "../../../skills/deep-dive/report-wire.js";
import type { JobJson, WorkEvent, WorkProgress } from "../../../src/contract/job.js";
import { systemClock } from "../../../src/kernel/clock.js";
import { createGraphCatalog } from "../../../src/knowledge/model/catalog.js";
import type { Graph } from "../../../src/knowledge/model/graph.js";
import { createSearchEngine } from "../../../src/search/search-engine.js";
import { renderTestReport } from "../../support/test-pages.js";
import { handJudge } from "../../support/word-judge.js";

const ANSWER_SHARE = 1.6;
const SURE_MOST = 0.95;
const ASKED_AT = Date.UTC(2026, 10, 21);

/** A deep dive over some graphs by keywords, each pass beginning from what the one before it wrote down. */
export async function openDive(folder: string, graphs: readonly Graph[]) {
	const words = handJudge();
	// Questions share fewer words with what answers them than claims do with what bears them out.
	const judge = {
		...words,
		read: async (pairs: Parameters<typeof words.read>[0]) =>
			(await words.read(pairs)).map((reading) => ({
				...reading,
				answers: Math.min(SURE_MOST, ANSWER_SHARE * reading.answers),
			})),
	};
	const search = await createSearchEngine({ folder, clock: systemClock, model: "none", judge });
	await search.sync(graphs);
	const catalog = createGraphCatalog(graphs);
	const work = createDeepDiveWork({
		search,
		catalog,
		clock: systemClock,
		writer: extractiveWriter,
		renderReport: renderTestReport,
	});
	return {
		work,
		catalog,
		close: () => search.close(),
		async run(
			query: string,
			mode: "fast" | "comprehensive",
			{ twice = false, from }: { twice?: boolean; from?: JobJson } = {},
		) {
			const input: JobJson = { query, mode };
			const events: WorkEvent[] = [];
			const progress: WorkProgress[] = [];
			const context = {
				jobId: "job_test",
				signal: new AbortController().signal,
				askedAt: ASKED_AT,
				timeoutMs: 60_000,
				emit: (event: WorkEvent) => events.push(event),
				progress: (now: WorkProgress) => progress.push(now),
			};
			let state = from ?? work.start(input);
			const states = [state];
			for (const pass of work.passesOf(input)) {
				// A pass that was cut off is run again from the state before it.
				if (twice) await work.run(pass, reread(state), context);
				state = reread(await work.run(pass, reread(state), context));
				states.push(state);
			}
			const end = work.finish(state);
			return { ...end, report: end.report as unknown as DeepDiveReport, events, progress, states };
		},
	};
}

function reread(state: JobJson): JobJson {
	return JSON.parse(JSON.stringify(state));
}
