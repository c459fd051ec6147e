import type { Concept, GraphCatalog } from "../../knowledge/knowledge.js";
import type { SearchEngine } from "../../search/search.js";
import { groupQuestions } from "./question-groups.js";

/** Concepts that are compared by what they mean; titles are compared for all. */
const COMPARED_MAX = 2_000;

/** Groups of concepts that may be one: of one title, or of much the same title and summary. */
export function createDuplicateReport({
	catalog,
	search,
}: {
	readonly catalog: Pick<GraphCatalog, "getHeld">;
	readonly search: Pick<SearchEngine, "embedder">;
}) {
	/** Throws NOT_FOUND. */
	return async ({ graph_id }: { readonly graph_id: string }) => {
		const { concepts } = catalog.getHeld(graph_id);
		const byTitle = new Map<string, Concept[]>();
		for (const concept of concepts) {
			const key = concept.title.trim().toLowerCase();
			byTitle.set(key, [...(byTitle.get(key) ?? []), concept]);
		}
		const texts = concepts
			.slice(0, COMPARED_MAX)
			.map((concept) => ({ concept, text: `${concept.title}. ${concept.summary}` }));
		const { by, groups } = await groupQuestions(texts, search.embedder);
		const titled = [...byTitle.values()].filter((group) => group.length > 1);
		const known = new Set(titled.map(nameOf));
		const alike = groups
			.map((group) => group.map(({ concept }) => concept))
			.filter((group) => group.length > 1 && !known.has(nameOf(group)));
		const toItem = (because: string) => (group: readonly Concept[]) => ({
			because,
			nodes: group.map(({ id, title }) => ({ id, title })),
		});
		return {
			graph_id,
			compared_by: by,
			items: [...titled.map(toItem("title")), ...alike.map(toItem(by))],
			/** Concepts of which only the titles were compared. */
			not_compared: concepts.length - texts.length,
		};
	};
}

const nameOf = (group: readonly Concept[]) =>
	group
		.map(({ id }) => id)
		.sort()
		.join("\n");
