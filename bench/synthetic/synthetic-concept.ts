import type { Concept, Edge, Evidence } from "../../src/knowledge/model/graph.js";
import { createDraws, type Draws, seedOf } from "./draws.js";
import { type Field, QUALITIES, TASKS, VERBS } from "./vocabulary.js";

/** Where a concept stands: its graph, its number in it, and how many there are to link to. */
export interface ConceptPlace {
	readonly seed: number;
	readonly graphId: string;
	readonly number: number;
	readonly total: number;
	readonly field: Field;
	readonly kind: "note" | "specialist";
}

const GENERATOR = "synthetic-generator/1";
const TYPES = ["Concept", "Method", "Finding", "Risk"] as const;
const EDGE_TYPES = ["builds-on", "contrasts-with", "measured-by"] as const;
/** Sources and dates are as far from real ones as their host says: example.org is reserved. */
const HOST = "https://example.org/synthetic";

/** Every number of a graph has its own draws, so that one concept is the same in a large graph and in a small one but for its links. */
export function makeSyntheticConcept(place: ConceptPlace): Concept {
	const draws = createDraws(seedOf(place.seed, `${place.graphId}/${place.number}`));
	const path = pathOf(place.kind, place.number);
	const links = linksOf(place, draws);
	return {
		id: idOf(path),
		path,
		...textOf(place, draws, links.plain),
		aliases: [],
		evidence: evidenceOf(place, draws),
		edges: [...links.typed, ...links.plain],
		...(draws.chance(0.6)
			? { trust: "machine-confirmed", verified: [{ by: GENERATOR, at: "2026-01-02" }] }
			: { trust: "unverified", verified: [] }),
		status: "stable",
		generatedAt: "2026-01-01",
		generatedBy: GENERATOR,
		staleAfter: draws.chance(0.3) ? "2099-12-31" : undefined,
	};
}

function textOf(
	place: ConceptPlace,
	draws: Draws,
	plain: readonly Edge[],
): Pick<Concept, "type" | "title" | "summary" | "body" | "tags"> {
	const { field, number, kind } = place;
	const [subject, other] = [draws.pick(field.subjects), draws.pick(field.subjects)];
	const [quality, task] = [draws.pick(QUALITIES), draws.pick(TASKS)];
	const label = String(number).padStart(4, "0");
	const sentence = () =>
		`${capitalize(draws.pick(QUALITIES))} ${draws.pick(field.subjects)} ${draws.pick(VERBS)} the ${draws.pick(TASKS)} of ${draws.pick(field.subjects)} in ${draws.between(2, 90)} of a hundred generated cases.`;
	const links = plain.map(({ target }) => `See [another note](/${toPath(target)}).`);
	const body = ["This text is generated; it states no facts.", sentence(), sentence(), ...links];
	if (kind === "specialist") {
		return {
			type: "Specialist",
			title: `Synthetic specialist ${label}: ${quality} ${subject}`,
			summary: `A generated profile on ${task} of ${quality} ${subject} and ${other} in ${field.name}.`,
			body: body.join("\n\n"),
			tags: [...new Set([field.name, subject, task])],
		};
	}
	return {
		type: draws.pick(TYPES),
		title: `${capitalize(quality)} ${subject} ${task} (synthetic ${label})`,
		summary: `A generated note on ${task} of ${quality} ${subject} in ${field.name}. ${sentence()}`,
		body: [...body, sentence(), sentence()].join("\n\n"),
		tags: [...new Set([field.name, subject])],
	};
}

/** The next concept always, so that none stands alone; some others, typed or plain. */
function linksOf(place: ConceptPlace, draws: Draws) {
	const { number, total, kind } = place;
	const targets = new Set([(number % total) + 1]);
	for (let more = draws.between(0, 3); more > 0; more--) targets.add(draws.between(1, total));
	targets.delete(number);
	const typed: Edge[] = [];
	const plain: Edge[] = [];
	for (const target of targets) {
		const to = idOf(pathOf(kind, target));
		if (draws.chance(0.4)) plain.push({ type: "links-to", target: to, weight: 1 });
		else {
			const since = draws.chance(0.3) ? { validFrom: `20${draws.between(10, 25)}-01-01` } : {};
			typed.push({ type: draws.pick(EDGE_TYPES), target: to, weight: 1, ...since });
		}
	}
	return { typed, plain: plain.sort((a, b) => (a.target < b.target ? -1 : 1)) };
}

function evidenceOf({ graphId, number, field }: ConceptPlace, draws: Draws): readonly Evidence[] {
	return Array.from({ length: draws.between(1, 3) }, (_, index) => {
		const source = `${number}-${index + 1}`;
		const month = String(draws.between(1, 12)).padStart(2, "0");
		const precision = draws.pick(["day", "month", "year"] as const);
		const days = { day: `${month}-15`, month: `${month}-01`, year: "01-01" };
		return {
			articleId: `s${index + 1}`,
			title: `Synthetic source ${source} on ${field.name}`,
			sourceUrl: `${HOST}/${graphId}/${source}`,
			publishedAt: `20${draws.between(10, 25)}-${days[precision]}`,
			datePrecision: precision,
		};
	});
}

function pathOf(kind: ConceptPlace["kind"], number: number): string {
	return `${kind}s/${kind}-${String(number).padStart(5, "0")}.md`;
}

function idOf(path: string): string {
	return path.replace(/\.md$/, "").replaceAll("/", ".");
}

function toPath(id: string): string {
	return `${id.replaceAll(".", "/")}.md`;
}

function capitalize(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}
