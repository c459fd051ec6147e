import type { Operation, PaidOperation } from "./operation.js";
import type { PaidOperationId } from "./operations.js";
import type { Services } from "./services.js";
import type { Skill } from "./skill.js";

/** What operations that are sold do once they have the app's services, by operation id. */
export function bindSkills(
	operations: readonly Operation[],
	services: Services,
): Partial<Record<PaidOperationId, Skill>> {
	const paid = operations.filter((operation) => operation.kind === "paid");
	return Object.fromEntries(
		paid.map((operation) => [operation.id, bindSkill(operation, services)]),
	);
}

function bindSkill(operation: PaidOperation, services: Services): Skill {
	const { title, about, tags, examples, input, output, capture } = operation;
	const { queryOf, units, pricedBy, graphsOf, toText, create } = operation;
	const { exampleInput, ...work } = create(services);
	return {
		operationId: operation.id,
		...{ title, description: about, tags, examples, input, output, capture },
		...{ queryOf, units, pricedBy, graphsOf },
		...(toText && { toText }),
		// Documents and probes use it as it stands, so it names what is on sale now.
		get exampleInput() {
			return exampleInput();
		},
		...work,
	};
}
