import type {
	Price,
	PricedOperationId,
	PriceList,
	PriceSubject,
	Skill,
} from "../contract/contract.js";

/** What one concrete call costs (docs/adr/0058). */

type Priced = Pick<Skill, "operationId" | "units" | "pricedBy" | "graphsOf">;

/**
 * The listed price, that of the dearer kind it may ask for, or that of the one graph or concept it names, for each of the units
 * its input asks for where the operation is sold by units: all of them at the price of the dearest.
 */
export function priceOfCall(
	prices: Pick<PriceList, "priceOf">,
	skill: Priced,
	input: unknown,
): Price {
	const operation = pricedAs(skill, input);
	const places = skill.units?.graphsOf?.(input) ?? [undefined];
	const [first, ...others] = places.map((graphId) =>
		prices.priceOf(operation, graphId ? { graphId } : subjectOf(skill, input)),
	);
	const dearest = others.reduce(
		(one, other) => (other.amountMicros > one.amountMicros ? other : one),
		first ?? prices.priceOf(operation),
	);
	return { ...dearest, amountMicros: dearest.amountMicros * BigInt(unitsOf(skill, input)) };
}

/** The graph of a call that names exactly one. */
function subjectOf(skill: Priced, input: unknown): PriceSubject | undefined {
	// Each unit has said already which graph it is about.
	if (skill.units?.graphsOf) return undefined;
	const [graphId, ...others] = new Set(skill.graphsOf(input));
	if (graphId === undefined || others.length > 0) return undefined;
	return { graphId, conceptId: CONCEPT_OF[skill.operationId]?.(input as ConceptInput) };
}

interface ConceptInput {
	readonly node_id?: string;
	readonly trend_id?: string;
}

const ofTrend = ({ trend_id: id = "" }: ConceptInput) => id.slice(id.indexOf(":") + 1);

/** Operations that read one concept, and where their input names it. */
const CONCEPT_OF: Readonly<
	Partial<Record<PricedOperationId, (input: ConceptInput) => string | undefined>>
> = {
	"graphs.node": ({ node_id }) => node_id,
	"trends.get": ofTrend,
	"trends.evidence": ofTrend,
};

function pricedAs(
	{ operationId, pricedBy }: Pick<Skill, "operationId" | "pricedBy">,
	input: unknown,
): PricedOperationId {
	if (!pricedBy) return operationId;
	const kind = String((input as Readonly<Record<string, unknown>>)[pricedBy.field]);
	return pricedBy.as[kind] ?? operationId;
}

/** How many units an input asks for; 1 where the operation is not sold by units. */
export function unitsOf({ units }: Pick<Skill, "units">, input: unknown): number {
	return units ? units.countOf(input) : 1;
}
