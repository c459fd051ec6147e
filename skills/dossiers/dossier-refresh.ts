import {
	type ArtifactRepository,
	answer,
	type Caller,
	defineSkill,
	keptUntil,
	noAnswer,
	type Skill,
} from "../../src/contract/contract.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import {
	askDossier,
	compareDossiers,
	type DossierSkillDeps,
	toDossierText,
} from "./dossier-answer.js";
import { type DossierWire, refreshInput, refreshOutput } from "./dossier-wire.js";

type RefreshDeps = DossierSkillDeps & {
	readonly research: { readonly artifacts: Pick<ArtifactRepository, "find"> };
};

/** Asks the same again today, and says what is new. */
export const createDossierRefresh = (deps: RefreshDeps): Skill<"intelligence.dossier.refresh"> => {
	const getKept = async (
		caller: Pick<Caller, "owner" | "access">,
		id: string,
	): Promise<DossierWire> => {
		const kept = await deps.research.artifacts.find(caller, "dossier", id);
		if (kept) return kept.data as DossierWire;
		throw new ServiceError(
			"NOT_FOUND",
			`No dossier of yours is kept as "${id}"; dossiers are kept for a day, POST /v1/intelligence/dossier makes one.`,
		);
	};
	return defineSkill({
		operationId: "intelligence.dossier.refresh",
		title: "Refresh a dossier",
		description:
			"A new version of a dossier that is still kept, on the same topic and graphs as of today, with what was added, removed and changed since. The earlier version stays until its time is over; a paid call that is sent again needs it as well, what it made is then read under its own id. Not charged when the dossier is unknown or nothing covers the topic any more.",
		tags: ["dossier", "evidence", "changes"],
		examples: ["What is new since this dossier was made?"],
		exampleInput: { dossier_id: "dos_01kg9yz3v0f6x2m8q4t7w1ab2c" },
		isOffered: () => deps.catalog.list().length > 0,
		input: refreshInput,
		output: refreshOutput,
		capture: "onResult",
		queryOf: () => undefined,
		graphsOf: () => [],
		async prepare({ dossier_id: id }, caller) {
			if (!caller) return;
			const { graphs_asked: graphs } = await getKept(caller, id);
			for (const graph of graphs ?? []) deps.catalog.assertKnown(graph);
		},
		toText: ({ data }) => toDossierText(data),
		async run({ dossier_id: previousId }, context) {
			const { caller = { owner: "anonymous" } } = context;
			const before = await getKept(caller, previousId);
			const { topic, graphs_asked: graphs } = before;
			const { isAnswer, body, meta } = await askDossier(deps, { topic, graphs }, context);
			const id = deps.research.resultIds("dos", context);
			const kept = isAnswer ? keptUntil(deps.clock, context) : null;
			const data = {
				dossier_id: id,
				version: before.version + 1,
				previous_id: previousId,
				graphs_asked: graphs,
				...body,
				kept_until: kept,
			};
			const result = {
				ok: true as const,
				data: { ...data, diff: compareDossiers(before, data) },
				meta,
			};
			if (!isAnswer) return noAnswer(result);
			return answer(result, kept === null ? {} : { keep: { kind: "dossier", id, data } });
		},
	});
};
