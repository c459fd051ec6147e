import type { PageContent } from "../../src/contract/contract.js";
import type { ConsentView, LinkPurpose } from "./schedule-consent.js";

/** The pages behind the links of mails: who asked for what, and a yes or no of equal size. They work without a script. */

const PATH = "/v1/research/schedules";

/** What a link asks or has led to; undefined for one that is none of ours, or is too old. */
export function toConsentPage(
	view: ConsentView | undefined,
	{ token, purpose }: { readonly token: string; readonly purpose: LinkPurpose },
): PageContent {
	const title = view ? titleOf(view, purpose) : "This link has ended";
	return {
		title,
		description: "Briefings by mail: agree, decline or stop.",
		// Its token is a secret of the reader.
		path: `${PATH}/${purpose}`,
		content: (
			<div class="wrap letter">
				<div class="card stack">
					<header class="stack-2">
						<p class="eyebrow">Briefing by mail</p>
						<h1>{title}</h1>
						<p class="lead">{view ? leadOf(view, purpose) : ENDED}</p>
					</header>
					{view && <Terms {...view} />}
					{view && isAsking(view, purpose) && <Answers {...{ view, token, purpose }} />}
				</div>
				{view && isAsking(view, purpose) && purpose === "confirm" && (
					<p class="small muted">
						Not you? Close this page. Without a yes nothing is sent, and this link ends on{" "}
						{view.linkEndsAt.slice(0, 10)}.
					</p>
				)}
			</div>
		),
	};
}

const ENDED =
	"It was used, is too old, or is none of ours. Nothing has changed. To get briefings, let whoever ordered them send the question again; to stop them, use the link in the newest mail.";

/** Whether anything is left to answer. */
function isAsking({ status }: ConsentView, purpose: LinkPurpose): boolean {
	if (status === "unsubscribed") return false;
	return purpose === "unsubscribe" || status !== "ready";
}

function titleOf(view: ConsentView, purpose: LinkPurpose): string {
	if (view.status === "unsubscribed") return "You get none of these briefings";
	if (purpose === "unsubscribe") return "Stop this briefing?";
	return view.status === "ready"
		? "You get this briefing"
		: `Send you this briefing ${view.every}?`;
}

function leadOf(view: ConsentView, purpose: LinkPurpose): string {
	if (view.status === "unsubscribed")
		return "Nothing more is sent to this address, and the account that asked cannot ask it again.";
	if (purpose === "unsubscribe") return "Nothing more of it is sent to you when you say yes.";
	return view.status === "ready"
		? "You have said yes. Every mail has a link that ends it."
		: `Somebody, probably your agent, asked for it on ${view.askedOn}. Nothing is sent until you say yes.`;
}

function Terms({ service, topic, when, masked, weekUsd }: ConsentView) {
	return (
		<dl class="facts">
			<div>
				<dt>From</dt>
				<dd>{service}</dd>
			</div>
			<div>
				<dt>Topic</dt>
				<dd>{topic === "" ? "no longer kept" : topic}</dd>
			</div>
			<div>
				<dt>When</dt>
				<dd>{when}</dd>
			</div>
			<div>
				<dt>To</dt>
				<dd>{masked}</dd>
			</div>
			<div>
				<dt>Costs you</dt>
				<dd>
					<span class="price price-free">Free</span>
				</dd>
			</div>
			<div>
				<dt>Costs the account that asked</dt>
				<dd>
					<span class="price">
						{weekUsd} <small>USD</small>
					</span>{" "}
					a week with a briefing
				</dd>
			</div>
		</dl>
	);
}

function Answers({
	view,
	token,
	purpose,
}: {
	readonly view: ConsentView;
	readonly token: string;
	readonly purpose: LinkPurpose;
}) {
	const action = `${PATH}/${purpose}?token=${encodeURIComponent(token)}`;
	if (purpose === "unsubscribe") {
		return (
			<form method="post" action={action}>
				<button class="btn btn-stop" type="submit">
					Yes, stop it
				</button>
			</form>
		);
	}
	return (
		<>
			<form method="post" action={action} class="choice" aria-label="Your answer">
				<button class="btn btn-pay" type="submit">
					Yes, send it
				</button>
				<button class="btn" type="submit" formAction={view.stopUrl}>
					No, never ask again
				</button>
			</form>
			<p class="small muted">
				Every mail has one link that ends it. This link is good until {view.linkEndsAt.slice(0, 10)}
				. Your address goes to no one else.
			</p>
		</>
	);
}
