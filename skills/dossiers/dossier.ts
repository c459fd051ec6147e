import {
	answer,
	defineSkill,
	keptUntil,
	noAnswer,
	type Skill,
} from "../../src/contract/contract.js";
import { askDossier, type DossierSkillDeps, toDossierText } from "./dossier-answer.js";
import { dossierInput, dossierOutput } from "./dossier-wire.js";

const EXAMPLE = "Gasless transfers with signed authorizations";

/** What the graphs hold on a topic, put together so that it can be checked. Spec: Endpoints, paid operations. */
export const createDossier = (deps: DossierSkillDeps): Skill<"intelligence.dossier"> =>
	defineSkill({
		operationId: "intelligence.dossier",
		title: "Evidence dossier",
		description:
			"A dossier on a topic from every graph that covers it: summary, findings with confidence and what contradicts them, evidence table, timeline, entities, source profile, contradictions and what is not known; every sentence cited. Kept for a day, to be read, exported and refreshed. Not charged when nothing covers the topic.",
		tags: ["dossier", "evidence", "research"],
		examples: ["Put together what is known about gasless transfers, with sources."],
		exampleInput: { topic: EXAMPLE },
		isOffered: () => deps.catalog.list().length > 0,
		input: dossierInput,
		output: dossierOutput,
		capture: "onResult",
		queryOf: ({ topic }) => topic,
		graphsOf: ({ graphs = [] }) => graphs,
		prepare({ graphs = [] }) {
			for (const id of graphs) deps.catalog.assertKnown(id);
		},
		toText: ({ data }) => toDossierText(data),
		async run({ topic, graphs, as_of: asOf }, context) {
			const asked = graphs ? [...new Set(graphs)] : null;
			const { isAnswer, body, meta } = await askDossier(
				deps,
				{ topic, graphs: asked, asOf },
				context,
			);
			const id = deps.research.resultIds("dos", context);
			const kept = isAnswer ? keptUntil(deps.clock, context) : null;
			const data = {
				dossier_id: id,
				version: 1,
				previous_id: null,
				graphs_asked: asked,
				...body,
				kept_until: kept,
			};
			const result = { ok: true as const, data, meta };
			if (!isAnswer) return noAnswer(result);
			return answer(result, kept === null ? {} : { keep: { kind: "dossier", id, data } });
		},
	});
