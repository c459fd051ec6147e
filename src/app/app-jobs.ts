import type { JobBilling } from "../../payments/refunds/job-billing.js";
import { createDeepDiveWork } from "../../skills/deep-dive/deep-dive-work.js";
import type { FeedObserver } from "../../skills/deep-dive/feed-pass.js";
import type { Store } from "../../store/store-port.js";
import { createJobs, type Jobs } from "../jobs/job-control.js";
import type { Clock } from "../kernel/clock.js";
import type { Ids } from "../kernel/ids.js";
import type { Logger } from "../kernel/logger.js";
import type { GraphCatalog } from "../knowledge/catalog.js";
import type { SearchEngine } from "../search/search-ports.js";
import type { ResearchParts } from "../service/research-parts.js";

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
	return createJobs({ ...deps, till: money.jobBilling, works });
}
