import { createHash } from "node:crypto";
import type { ScheduleChannel, ScheduleRow, Store } from "../../store/store.js";
import type { Clock } from "../core/clock.js";
import { ServiceError } from "../core/errors.js";
import type { LinkPurpose, ScheduleLinks } from "./schedule-links.js";
import type { ServedDocument } from "./send-document.js";
import { recordPause } from "./webhook-events.js";

interface Consent {
	readonly channel: "email" | "slack";
	readonly target_masked: string;
	readonly status: "confirmed" | "unsubscribed";
}

/** What readers of mails may do with the links in them, without any credential. */
export interface ScheduleConsent {
	/** Once: throws NOT_FOUND, alike for links that were used, that have expired and that are none of ours. */
	confirm(token: string): Promise<Consent>;
	/** Once, as `confirm`. From then on nothing is mailed to this reader. */
	unsubscribe(token: string): Promise<Consent>;
	/** A page that asks whether to unsubscribe: mail programs open links, and only people send forms. */
	unsubscribePage(token: string): ServedDocument;
}

export function createScheduleConsent({
	store,
	links,
	clock,
}: {
	readonly store: Pick<Store, "transaction">;
	readonly links: ScheduleLinks;
	readonly clock: Pick<Clock, "now">;
}): ScheduleConsent {
	const use = (token: string, purpose: LinkPurpose, change: Change): Promise<ScheduleChannel> => {
		const link = links.open(token, purpose);
		return store.transaction(async (tx) => {
			// The same look-up for every link, so that the time tells nothing.
			const row = await tx.get("schedules", link?.scheduleId ?? "");
			const channel = row?.channels.find(({ ref }) => ref === link?.ref);
			const changed = row && channel && change(row, channel);
			if (!changed) throw deadLink();
			await tx.put("schedules", changed);
			const isPaused = changed.status === "paused" && row.status !== "paused";
			if (isPaused) await recordPause(tx, changed, clock.now());
			return channel;
		});
	};
	return {
		async confirm(token) {
			const { kind: channel, masked } = await use(token, "confirm", (row, { ref, status }) =>
				status === "unconfirmed" ? withChannel(row, ref, "ready") : undefined,
			);
			return { channel, target_masked: masked, status: "confirmed" };
		},
		async unsubscribe(token) {
			const { kind: channel, masked } = await use(token, "unsubscribe", (row, { ref, status }) => {
				if (status === "unsubscribed") return undefined;
				const left = withChannel(row, ref, "unsubscribed");
				const isLast = left.channels.every((one) => one.status === "unsubscribed");
				return isLast ? { ...left, status: "paused", reason: "unsubscribed" } : left;
			});
			return { channel, target_masked: masked, status: "unsubscribed" };
		},
		unsubscribePage: (token) => toPage(token),
	};
}

/** The row as it becomes; undefined when the link has nothing to do any more. */
type Change = (row: ScheduleRow, channel: ScheduleChannel) => ScheduleRow | undefined;

function withChannel(
	row: ScheduleRow,
	ref: string,
	status: ScheduleChannel["status"],
): ScheduleRow {
	const channels = row.channels.map((channel) => {
		if (channel.ref !== ref) return channel;
		const { confirmTries: _, ...rest } = channel;
		return { ...rest, status };
	});
	return { ...row, channels };
}

function deadLink(): ServiceError {
	return new ServiceError(
		"NOT_FOUND",
		"This link was used before, has expired, or is none of ours.",
	);
}

/** Tokens are base64url, as the route's schema demands: nothing in one can end an attribute. */
function toPage(token: string): ServedDocument {
	const action = `/v1/research/schedules/unsubscribe?token=${encodeURIComponent(token)}`;
	const body = [
		'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Stop briefings</title></head><body>',
		"<h1>Stop these briefings?</h1>",
		`<form method="post" action="${action}"><button type="submit">Stop them</button></form>`,
		"</body></html>",
		"",
	].join("\n");
	const hash = createHash("sha256").update(body).digest("hex");
	return { mediaType: "text/html; charset=utf-8", body, hash };
}
