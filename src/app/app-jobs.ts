import type { JobBilling } from "../../payments/refunds/refunds.js";
import { createDeepDiveWork, type FeedObserver } from "../../skills/deep-dive/deep-dive.js";
import type { Store } from "../../store/store.js";
import { createJobs, type Jobs } from "../jobs/jobs.js";
import type { Clock, Ids, Logger } from "../kernel/kernel.js";
import type { GraphCatalog } from "../knowledge/knowledge.js";
import type { SearchEngine } from "../search/search.js";
import type { ResearchParts } from "../service/service.js";

export interface JobDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly logger: Logger;
	readonly money: { readonly jobBilling: JobBilling };
	readonly search: SearchEngine;
	readonly catalog: GraphCatalog;
	readonly research: Pick<ResearchParts, "writer" | "feeds">;
}

/** Work that outlives its call, wired to one store; nothing is begun yet. */
export function openJobs(deps: JobDeps): Jobs {
	const { money, research } = deps;
	const { writer, feeds } = research;
	const observed: FeedObserver = {
		...feeds,
		suggest: async (topic, limit) =>
			(await feeds.suggest(topic, limit)).map(({ feed }) => ({ feed_id: feed.id })),
	};
	const works = [createDeepDiveWork({ ...deps, writer, feeds: observed })];
	return createJobs({ ...deps, billing: money.jobBilling, works });
}
