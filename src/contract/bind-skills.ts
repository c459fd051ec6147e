import type { Operation, PaidOperation } from "./operation.js";
import type { SkillServices } from "./services.js";
import type { Skill, SkillCatalog } from "./skill.js";

/** What operations that are sold do once they have the app's services, by operation id. */
export function bindSkills(
	operations: readonly Operation[],
	services: SkillServices,
): SkillCatalog {
	const paid = operations.filter((operation) => operation.kind === "paid");
	const skills = paid.map((operation) => [operation.id, bindSkill(operation, services)]);
	return Object.fromEntries(skills) as SkillCatalog;
}

/** One of them. */
export function bindSkill(operation: PaidOperation, services: SkillServices): Skill {
	const { title, about, tags, examples, input, output, capture } = operation;
	const { hasEffects, renews, queryOf, units, pricedBy, graphsOf, toText, create } = operation;
	const { exampleInput, ...work } = create(services);
	return {
		operationId: operation.id,
		...{ title, description: about, tags, examples, input, output, capture },
		...{ hasEffects, renews, queryOf, pricedBy, graphsOf },
		units: units && { ...units, countOf: (input) => units.countOf(input, services) },
		...(toText && { toText }),
		// Documents and probes use it as it stands, so it names what is on sale now.
		get exampleInput() {
			return exampleInput();
		},
		...work,
	};
}
