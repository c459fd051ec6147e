import { type Egress, ServiceError } from "../../src/kernel/kernel.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import type { BriefingWire } from "./schedule-wire.js";

/** One part of a briefing as every target shows it. */
export interface BriefingPart {
	readonly heading: string;
	/** Their titles, empty where there is none, and sentences with the numbers of their citations behind them. */
	readonly items: readonly { readonly title: string; readonly lines: readonly string[] }[];
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

/** What an incoming webhook of Slack takes: text for notifications, and blocks (Block Kit). */
export interface SlackMessage {
	readonly text: string;
	readonly blocks: readonly SlackBlock[];
}

export type SlackBlock =
	| { readonly type: "header"; readonly text: { type: "plain_text"; text: string } }
	| { readonly type: "section"; readonly text: Mrkdwn }
	| { readonly type: "context"; readonly elements: readonly Mrkdwn[] }
	| { readonly type: "divider" };

type Mrkdwn = ReturnType<typeof mrkdwn>;

/** Bounds of Block Kit. */
const HEADER_CHARS = 150;
const SECTION_CHARS = 3_000;
const BLOCKS_MAX = 50;
const CONTEXT_ELEMENTS_MAX = 10;
const LABEL_CHARS = 300;

/** A briefing as a message, with every source it cites; what does not fit of the rest is left out, from the end. */
export function toSlackMessage(briefing: BriefingWire): SlackMessage {
	const { topic, as_of: asOf, is_nothing_new: isNothingNew, citations } = briefing;
	const day = ` (${asOf.slice(0, 10)})`;
	const about = `${isNothingNew ? "Nothing new" : "Briefing"}: ${topic}`;
	const title = `${about}${day}`;
	const sections = toBriefingParts(briefing).flatMap(({ heading, items }) => [
		section(`*${heading}*`),
		...items.map(({ title: name, lines }) =>
			section([...(name ? [`*${escapeText(name)}*`] : []), ...lines.map(escapeText)].join("\n")),
		),
	]);
	const sources = citations.map(({ n, title: name, source_url: url }) =>
		mrkdwn(`[${n}] ${slackLink(url, cut(name, LABEL_CHARS))}`),
	);
	const header: SlackBlock = {
		type: "header",
		// Plain text is shown as it is; what looks like a mention is none even where a client thinks otherwise.
		text: {
			type: "plain_text",
			text: `${cut(about, HEADER_CHARS - day.length)}${day}`.replace(/</g, "‹").replace(/>/g, "›"),
		},
	};
	const notice = isNothingNew ? [section(escapeText(toNotice(briefing)))] : [];
	const end: SlackBlock[] = sources.length > 0 ? [{ type: "divider" }, ...contexts(sources)] : [];
	const room = BLOCKS_MAX - 1 - end.length;
	return {
		text: escapeText(title),
		blocks: [header, ...[...notice, ...sections].slice(0, room), ...end],
	};
}

/** A message that shows that messages arrive. */
export function toSlackTest(topic: string): SlackMessage {
	const text = `Test: briefings on ${escapeText(topic)} will arrive here.`;
	return { text, blocks: [section(text)] };
}

/** Posts to a webhook. Throws UNAVAILABLE when no one answers, UPSTREAM for a refusal; neither names the address. */
export async function sendToSlack(egress: Egress, webhook: string, message: SlackMessage) {
	const response = await egress.request({
		method: "POST",
		url: webhook,
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify(message),
		timeoutMs: SCHEDULE_LIMITS.slackTimeoutMs,
	});
	if (response.status >= 200 && response.status < 300) return;
	throw new ServiceError("UPSTREAM", `Slack refused the message (${response.status}).`);
}

function section(text: string): SlackBlock {
	return { type: "section", text: mrkdwn(text) };
}

/** Nothing in it becomes a link, a channel or a mention by itself. */
function mrkdwn(text: string) {
	return { type: "mrkdwn", text: cut(text, SECTION_CHARS), verbatim: true } as const;
}

/** As many as there are, in blocks that hold so many each; the last room of a message is the header's. */
function contexts(elements: readonly Mrkdwn[]): SlackBlock[] {
	const blocks: SlackBlock[] = [];
	for (let from = 0; from < elements.length; from += CONTEXT_ELEMENTS_MAX) {
		const some = elements.slice(from, from + CONTEXT_ELEMENTS_MAX);
		blocks.push({ type: "context", elements: some });
	}
	return blocks;
}

/** At most so many UTF-16 units, without half a character or half an escape at the end. */
function cut(text: string, chars: number): string {
	if (text.length <= chars) return text;
	const kept = text
		.slice(0, chars - 1)
		.replace(/[\ud800-\udbff]$/, "")
		.replace(/&[a-z]{0,3}$/, "");
	return `${kept}…`;
}

/** A bar would end the address, an angle bracket the link. */
function slackLink(url: string, label: string): string {
	if (!/^https?:\/\/[^\s|<>]+$/.test(url)) return escapeText(label);
	return `<${escapeText(url)}|${escapeText(label.replaceAll("|", "¦"))}>`;
}

/** What Slack reads as control characters; `<!channel>` and the like become text. */
function escapeText(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
