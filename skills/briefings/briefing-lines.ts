import type { BriefingWire } from "./schedule-wire.js";

/** One part of a briefing as every target shows it. */
export interface BriefingPart {
	readonly heading: string;
	readonly items: readonly BriefingItem[];
}

export interface BriefingItem {
	/** Empty where there is none. */
	readonly title: string;
	/** Sentences with the numbers of their citations behind them. */
	readonly lines: readonly string[];
}

/** A briefing as headings, titles and lines, for mails and messages. */
export function toBriefingParts(briefing: BriefingWire): readonly BriefingPart[] {
	const { changes, top, movers, numbers, watch_list: watchList } = briefing;
	const parts: readonly BriefingPart[] = [
		{ heading: "What changed since the last one", items: changes.map(toChange) },
		{
			heading: "What matters most",
			items: top.map(({ title, what, why_it_matters: why }) => ({
				title,
				lines: [cited(what), ...(why ? [`Why it matters: ${cited(why)}`] : [])],
			})),
		},
		{
			heading: "Movers",
			items: movers.map(({ title, momentum, recent, before }) => ({
				title,
				lines: [`Momentum ${momentum}: ${recent} sources in a year, ${before} in the year before`],
			})),
		},
		{ heading: "Numbers", items: numbers.map((one) => ({ title: "", lines: [cited(one)] })) },
		{
			heading: "Watch list",
			items: watchList.map(({ title, reason, date }) => ({
				title,
				lines: [`${WATCHED[reason]}${date ? ` (${date})` : ""}`],
			})),
		},
	];
	return parts.filter(({ items }) => items.length > 0);
}

/** What a briefing without news says. */
export function toNotice({ since, topic, warnings }: BriefingWire): string {
	const when = since ? `since ${since.slice(0, 10)}` : "yet";
	return [`Nothing new on ${topic} ${when}.`, ...warnings].join(" ");
}

const CHANGED = {
	added: "New",
	changed: "Changed",
	new_sources: "New sources",
	removed: "No longer in the graph",
} as const;

const WATCHED = {
	stale: "Its review is overdue",
	stale_soon: "Its review is due soon",
	deprecated: "Marked as deprecated",
	draft: "Still a draft",
	single_source: "Carried by a single source",
} as const;

function toChange({
	title,
	change,
	points,
	new_sources: sources,
}: BriefingWire["changes"][number]) {
	return {
		title: `${CHANGED[change]}: ${title}`,
		lines: [
			...points.map(cited),
			...sources.map(
				({ title: name, published_at: day }) => `Source: ${name}${day ? `, ${day}` : ""}`,
			),
		],
	};
}

function cited({ text, citation_ids: ids }: { text: string; citation_ids: readonly number[] }) {
	return `${text} ${ids.map((id) => `[${id}]`).join("")}`;
}
