import { mayRead, type SkillCaller } from "../../src/contract/contract.js";
import { createJobNotes } from "../../src/jobs/jobs.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import type { Store } from "../../store/store.js";

/** What a deep dive looked into, for a follow-up question. */
export interface EarlierQuestion {
	readonly query: string;
	/** Graphs it was confined to; all of them where absent. */
	readonly graphs?: readonly string[] | undefined;
}

/** Throws NOT_FOUND, alike for jobs of others and for those that are gone. */
export type FindEarlierQuestion = (caller: SkillCaller, jobId: string) => Promise<EarlierQuestion>;

export function createEarlierQuestions(deps: {
	readonly store: Pick<Store, "read" | "documents">;
}): FindEarlierQuestion {
	const { store } = deps;
	const notes = createJobNotes(store.documents);
	return async (caller, jobId) => {
		const row = await store.read((reader) => reader.get("jobs", jobId));
		const input = row && mayRead(caller, row) ? await notes.readInput(jobId) : undefined;
		const { query, graphs } = input ?? {};
		if (typeof query === "string") return { query, graphs: graphs as EarlierQuestion["graphs"] };
		throw new ServiceError(
			"NOT_FOUND",
			`No deep dive of yours is called "${jobId.slice(0, 80)}", or its question is not kept any more.`,
		);
	};
}
