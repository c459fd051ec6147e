import type { Skill } from "../../src/contract/contract.js";
import { timelineInput, timelineOutput } from "./graph-feed-wire.js";
import { answerIf, defineGraphSkill, type GraphSkillDeps, metaOf } from "./graph-skill.js";
import { toPage } from "./list-page.js";
import { placeOf } from "./reading/graph-map.js";
import { keyOfEvent, readTimeline, type TimelineEvent, timelines } from "./reading/timeline.js";

/** What happened in a graph, by day. */
export const createTimeline = (deps: GraphSkillDeps): Skill<"graphs.timeline"> =>
	defineGraphSkill(deps, {
		operationId: "graphs.timeline",
		title: "Timeline of a graph",
		description:
			"Dated events of one graph: sources published, edges begun and ended, nodes written, verified and gone stale; newest first unless asked otherwise. Not charged when there is none.",
		tags: ["graph", "timeline"],
		examples: ["What happened in this field since 2024?"],
		input: timelineInput,
		output: timelineOutput,
		index: timelines,
		example: () => ({ limit: 5 }),
		check: (graph, input) => {
			if (input.node_id !== undefined) placeOf(graph, input.node_id);
			toPage("timeline", input, 4);
		},
		read: (graph, input) => {
			const { as_of: asOf, node_id: conceptId, from, to, kinds, order, limit } = input;
			const page = toPage("timeline", input, 4);
			const query = { from, to, asOf, conceptId, kinds, order, limit, after: page.after };
			const found = readTimeline(graph, query);
			const last = found.items.at(-1);
			return answerIf(found.items.length > 0, {
				ok: true,
				data: { items: found.items.map(toEventWire) },
				meta: { ...metaOf(graph), next_cursor: page.next(found.hasMore, last && keyOfEvent(last)) },
			});
		},
	});

function toEventWire({ day, precision, kind, concept, ref }: TimelineEvent) {
	const source =
		kind === "source-published"
			? concept.evidence.find(({ articleId }) => articleId === ref)
			: undefined;
	return {
		day,
		precision,
		kind,
		node_id: concept.id,
		title: concept.title,
		detail: source?.title ?? ref,
		source_url: source?.sourceUrl ?? null,
	};
}
