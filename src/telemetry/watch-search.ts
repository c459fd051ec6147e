import type { SearchEngine } from "../search/search.js";
import type { Sample } from "./recorder.js";
import { within } from "./recorder.js";
import type { WatchServices } from "./watch-calls.js";

/** Hexadecimal digits of a hash that tell one version of a model from another. */
const VERSION_DIGITS = 12;

/** The search engine, timed; what it says of its index is exported as it is then. */
export function watchSearch(deps: WatchServices, search: SearchEngine): SearchEngine {
	const { recorder, clock } = deps;
	const { find, route, sync } = search;
	let syncedMs: number | undefined;
	recorder.observe(() => toSamples(search, syncedMs && clock.monotonicMs() - syncedMs));
	const timed = createTimedSearch(deps);
	return {
		...search,
		find: (request) => timed("find", () => find(request)),
		route: (request) => timed("route", () => route(request)),
		async sync(graphs, options) {
			await sync(graphs, options);
			syncedMs = clock.monotonicMs();
		},
	};
}

function createTimedSearch({ recorder, clock }: WatchServices) {
	return async <T extends { readonly mode: string }>(
		step: "find" | "route",
		work: () => Promise<T>,
	): Promise<T> => {
		const startedMs = clock.monotonicMs();
		return within(recorder, { name: `search ${step}`, labels: {} }, async (span) => {
			const outcome = await work();
			const { mode } = outcome;
			const seconds = (clock.monotonicMs() - startedMs) / 1000;
			recorder.time("tollgraph_search_duration_seconds", seconds, { step, mode });
			span.note({ mode });
			return outcome;
		});
	};
}

/** Times what is asked of the search's models. */
export function createModelTimer({ recorder, clock }: WatchServices) {
	return async <T>(model: "encoder" | "judge", work: () => Promise<T>): Promise<T> => {
		const startedMs = clock.monotonicMs();
		try {
			return await within(recorder, { name: model, labels: {} }, work);
		} finally {
			const seconds = (clock.monotonicMs() - startedMs) / 1000;
			recorder.time("tollgraph_model_duration_seconds", seconds, { model });
		}
	};
}

function toSamples(search: Pick<SearchEngine, "status">, ageMs: number | undefined): Sample[] {
	const { model, mode, concepts, pendingVectors } = search.status();
	const modes = ["hybrid", "keyword"] as const;
	const info = model && { model: model.id, version: model.sha256.slice(0, VERSION_DIGITS) };
	return [
		...modes.map((one) => ({
			metric: "tollgraph_search_mode" as const,
			value: Number(one === mode),
			labels: { mode: one },
		})),
		...(info ? [{ metric: "tollgraph_index_info" as const, value: 1, labels: info }] : []),
		...(ageMs === undefined
			? []
			: [{ metric: "tollgraph_index_age_seconds" as const, value: ageMs / 1000 }]),
		{ metric: "tollgraph_index_concepts", value: concepts },
		{ metric: "tollgraph_index_vectors", value: model ? concepts - pendingVectors : 0 },
		{ metric: "tollgraph_index_pending_vectors", value: pendingVectors },
	];
}
