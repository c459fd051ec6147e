import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import { type MailMessage, visibleText } from "../../src/kernel/kernel.js";
import { type BriefingPart, toBriefingParts, toNotice } from "./briefing-messages.js";
import type { BriefingWire } from "./schedule-wire.js";

/** Mails as plain text and as HTML that says the same: no pictures, no script, and no address of ours but those that answer or end it. */

/** What every mail names: who sends it, about what, how often, for what price, and how to end it. */
export interface MailTerms {
	readonly service: string;
	readonly topic: string;
	readonly when: string;
	readonly weekUsd: string;
	readonly unsubscribeUrl: string;
}

type Written = Pick<MailMessage, "subject" | "text" | "html" | "unsubscribeUrl">;

const SUBJECT_CHARS = 120;

/** A briefing, every sentence with the numbers of its sources. */
export function toBriefingMail(briefing: BriefingWire, terms: MailTerms): Written {
	const { topic, as_of: asOf, is_nothing_new: isNothingNew, citations } = briefing;
	const parts = toBriefingParts(briefing);
	const day = asOf.slice(0, 10);
	const notice = isNothingNew ? toNotice(briefing) : "";
	return toMail(terms, {
		subject: `${isNothingNew ? "Nothing new: " : "Briefing: "}${topic} (${day})`,
		eyebrow: `Briefing, ${day}`,
		title: topic,
		end: "Stop these mails",
		text: [
			...(notice ? [notice, ""] : []),
			...parts.flatMap(({ heading, items }) => [
				heading.toUpperCase(),
				...items.flatMap(({ title, lines }) => [
					...(title ? [`* ${title}`] : []),
					...lines.map((line) => `  ${line}`),
				]),
				"",
			]),
			...(citations.length > 0 ? ["SOURCES"] : []),
			...citations.map(({ n, title, source_url: url }) => `[${n}] ${title} ${url}`),
		],
		html: (
			<>
				{notice && <p style={LEAD}>{shown(notice)}</p>}
				{parts.map((part) => (
					<Part key={part.heading} {...part} />
				))}
				{citations.length > 0 && <Sources citations={citations} />}
			</>
		),
	});
}

/** Asks anyone who reads an address whether they want briefings there. */
export function toConfirmationMail(terms: MailTerms, confirmUrl: string): Written {
	const asks = `Somebody asked for briefings on "${terms.topic}" to be sent to this address.`;
	const otherwise = "If that was not you, do nothing: no briefing is sent without your consent.";
	return toMail(terms, {
		subject: `Confirm briefings on ${terms.topic}`,
		eyebrow: "Briefing by mail",
		title: "Send you this briefing?",
		end: "No, never ask again",
		text: [asks, "", `To receive them, open: ${confirmUrl}`, "", otherwise],
		html: (
			<>
				<p style={LEAD}>{shown(asks)}</p>
				<p style={{ margin: "20px 0" }}>
					<a class="go" style={BUTTON} href={confirmUrl} rel="noreferrer">
						Answer yes or no
					</a>
				</p>
				<p style={TEXT}>{otherwise}</p>
			</>
		),
	});
}

/** A mail that shows that mails arrive. */
export function toTestMail(terms: MailTerms): Written {
	const says = "This is a test. Briefings will arrive here.";
	return toMail(terms, {
		subject: `Test: briefings on ${terms.topic}`,
		eyebrow: "Test",
		title: says,
		end: "Stop these mails",
		text: [says],
		html: null,
	});
}

interface Content {
	readonly subject: string;
	readonly eyebrow: string;
	readonly title: string;
	/** What its last link says. */
	readonly end: string;
	readonly text: readonly string[];
	readonly html: ComponentChildren;
}

function toMail(terms: MailTerms, content: Content): Written {
	const subject = shorten(shown(content.subject));
	const facts = toFacts(terms);
	const { unsubscribeUrl } = terms;
	const text = [
		...content.text,
		"",
		...facts.map(([name, value]) => `${name}: ${value}`),
		`${content.end}: ${unsubscribeUrl}`,
		"",
	];
	const html = renderToString(
		<Frame subject={subject} content={content} facts={facts} unsubscribeUrl={unsubscribeUrl} />,
	);
	return { subject, text: text.join("\n"), html: `<!doctype html>\n${html}\n`, unsubscribeUrl };
}

function toFacts({ service, topic, when, weekUsd }: MailTerms) {
	return [
		["From", service],
		["Topic", topic],
		["When", when],
		["Costs you", "nothing"],
		["Costs the account that asked", `${weekUsd} USD a week with a briefing`],
	] as const;
}

type Style = Readonly<Record<string, string | number>>;

const SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
const INK = "#12201f";
const SOFT = "#526163";
const LINE = "1px solid #dbe2e1";
const TEXT: Style = { margin: "0 0 12px", font: `15px/1.55 ${SANS}`, color: INK };
const LEAD: Style = { ...TEXT, fontSize: "17px" };
const SMALL: Style = { font: `13px/1.5 ${SANS}`, color: SOFT };
const HEAD: Style = { margin: "28px 0 10px", font: `600 18px/1.3 ${SANS}`, color: INK };
const BUTTON: Style = {
	display: "inline-block",
	padding: "11px 18px",
	borderRadius: "7px",
	font: `600 15px/1.3 ${SANS}`,
	color: "#ffffff",
	backgroundColor: "#085d46",
	textDecoration: "none",
};

/** Clients that know dark mails take these over the styles of the elements. */
const DARK = [
	".bg{background-color:#0d1416!important}",
	".card{background-color:#141d1f!important;border-color:#28363a!important}",
	".card *{color:#e9f0ee!important;border-color:#28363a!important}",
	".card .soft,.card .soft *{color:#b6c3c2!important}",
	".card a{color:#86d3b6!important}",
	".card .go{color:#04140f!important;background-color:#57c7a0!important}",
].join("");

function Frame({
	subject,
	content,
	facts,
	unsubscribeUrl,
}: {
	readonly subject: string;
	readonly content: Content;
	readonly facts: ReturnType<typeof toFacts>;
	readonly unsubscribeUrl: string;
}) {
	return (
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<meta name="color-scheme" content="light dark" />
				<title>{subject}</title>
				<style
					dangerouslySetInnerHTML={{ __html: `@media (prefers-color-scheme: dark){${DARK}}` }}
				/>
			</head>
			<body class="bg" style={{ margin: 0, padding: "24px 12px", backgroundColor: "#f4f7f6" }}>
				<main class="card" style={CARD}>
					<p class="soft" style={{ ...SMALL, margin: "0 0 8px", fontWeight: 600 }}>
						tollgraph · {content.eyebrow}
					</p>
					<h1 style={{ margin: "0 0 16px", font: `650 24px/1.2 ${SANS}`, color: INK }}>
						{shown(content.title)}
					</h1>
					{content.html}
					<table class="soft" role="presentation" style={{ ...SMALL, ...TERMS }}>
						<tbody>
							{facts.map(([name, value]) => (
								<tr key={name}>
									<td style={{ padding: "3px 16px 3px 0", verticalAlign: "top" }}>{name}</td>
									<td style={{ padding: "3px 0", color: INK }}>{shown(value)}</td>
								</tr>
							))}
						</tbody>
					</table>
					<p style={{ ...SMALL, margin: "14px 0 0" }}>
						<a style={LINK} href={unsubscribeUrl} rel="noreferrer">
							{content.end}
						</a>
					</p>
				</main>
			</body>
		</html>
	);
}

const LINK: Style = { color: "#085d46" };
const CARD: Style = {
	display: "block",
	maxWidth: "560px",
	margin: "0 auto",
	padding: "24px",
	border: LINE,
	borderRadius: "11px",
	backgroundColor: "#ffffff",
	overflowWrap: "anywhere",
};
const TERMS: Style = {
	width: "100%",
	marginTop: "28px",
	paddingTop: "14px",
	borderTop: LINE,
};

function Part({ heading, items }: BriefingPart) {
	return (
		<>
			<h2 style={HEAD}>{heading}</h2>
			<ul style={{ margin: 0, padding: "0 0 0 18px" }}>
				{items.map(({ title, lines }) => (
					<li key={`${title} ${lines[0]}`} style={TEXT}>
						{title && (
							<>
								<strong>{shown(title)}</strong>
								<br />
							</>
						)}
						{lines.map((line, at) => (
							<>
								{at > 0 && <br />}
								{shown(line)}
							</>
						))}
					</li>
				))}
			</ul>
		</>
	);
}

function Sources({ citations }: Pick<BriefingWire, "citations">) {
	return (
		<>
			<h2 style={HEAD}>Sources</h2>
			<ol style={{ margin: 0, padding: "0 0 0 24px" }}>
				{citations.map(({ n, title, source_url: url }) => (
					<li key={n} value={n} style={{ ...SMALL, marginBottom: "6px" }}>
						{/^https?:\/\//.test(url) ? (
							<a style={LINK} href={url} rel="noreferrer">
								{shown(title)}
							</a>
						) : (
							shown(title)
						)}
					</li>
				))}
			</ol>
		</>
	);
}

/** Texts of others without what only a machine would notice. */
const shown = (text: string): string => visibleText(text).replace(/\s+/g, " ").trim();

function shorten(text: string): string {
	return text.length <= SUBJECT_CHARS ? text : `${text.slice(0, SUBJECT_CHARS - 1)}…`;
}
