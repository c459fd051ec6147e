import { toMarkdownFile } from "./concept-writer.js";
import type { ExpertConsent, GraphRecord } from "./graph.js";

/** The text of `graph.md`; reads back as the same record. */
export function toRecordFile(record: GraphRecord): string {
	const { expert, analyst } = record;
	return toMarkdownFile(
		{
			type: record.type,
			id: record.id,
			slug: record.slug,
			title: record.title,
			version: record.version,
			updated: record.updated,
			...(record.description === "" ? {} : { description: record.description }),
			...(record.topics.length === 0 ? {} : { topics: record.topics }),
			...(record.exampleQueries.length === 0 ? {} : { example_queries: record.exampleQueries }),
			...(record.curator ? { curator: record.curator } : {}),
			...(expert
				? {
						expert: {
							agent_id: expert.agentId,
							name: expert.name,
							headline: expert.headline,
							is_ai_twin: expert.isAiTwin,
							disclosure: expert.disclosure,
							...(expert.consent && { consent: toConsent(expert.consent) }),
						},
					}
				: {}),
			...(analyst ? { analyst } : {}),
		},
		record.about,
	);
}

function toConsent({ basis, until }: ExpertConsent) {
	return { basis, ...(until !== undefined && { until }) };
}
