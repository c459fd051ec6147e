import type { ReportDocument, ReportItem } from "../answers/answers.js";
import type { DossierWire } from "./dossier-wire.js";

/** A dossier as a document, whatever it is written down in. */
export function toDossierDocument(dossier: DossierWire): ReportDocument {
	const { source_profile: profile, contradictions, gaps, timeline, entities } = dossier;
	return {
		title: dossier.topic,
		facts: [
			["Dossier", dossier.dossier_id],
			["Version", String(dossier.version)],
			["As of", dossier.as_of],
			["Sources", `${profile.sources}, in ${profile.independent_groups} independent groups`],
			["Graphs", dossier.graphs.join(", ")],
		],
		sections: [
			{ heading: "Summary", form: "prose", items: dossier.summary.map(toItem) },
			{ heading: "Findings", form: "list", items: dossier.findings.map(toFinding) },
			{
				heading: "Contradictions",
				form: "list",
				items: contradictions.flatMap(({ statements: [one, other], reason }) => [
					...(one ? [toItem(one)] : []),
					...(other ? [{ ...toItem(other), note: `against the one above: ${reason}` }] : []),
				]),
			},
			{
				heading: "Timeline",
				form: "list",
				items: timeline.map((entry) => ({ ...toItem(entry), note: entry.date })),
			},
			{
				heading: "Entities",
				form: "list",
				items: entities.map(({ name, type }) => ({ text: name, citationIds: [], note: type })),
			},
			{
				heading: "What is not known",
				form: "list",
				items: gaps.map(({ message, citation_ids: citationIds }) => ({
					text: message,
					citationIds,
				})),
			},
			{
				heading: "Method",
				form: "prose",
				items: [{ text: dossier.method, citationIds: [] }],
			},
		],
		citations: dossier.citations,
	};
}

function toItem({
	text,
	citation_ids: citationIds,
}: {
	readonly text: string;
	readonly citation_ids: readonly number[];
}): ReportItem {
	return { text, citationIds };
}

function toFinding(finding: DossierWire["findings"][number]): ReportItem {
	const { statement, citation_ids: citationIds, confidence, contradicted_by: against } = finding;
	const { name } = finding.about;
	const others = against.flatMap(({ citation_ids: ids }) => ids).join(", ");
	const contradicted = others === "" ? "" : `, contradicted by ${others}`;
	return { text: statement, citationIds, note: `${name}; confidence ${confidence}${contradicted}` };
}
