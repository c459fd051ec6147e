import { type Egress, type Mailer, notFound, unavailable } from "../../src/kernel/kernel.js";
import type { BriefingRunRow, ScheduleChannel, ScheduleRow } from "../../store/store.js";
import {
	sendToSlack,
	toBriefingMail,
	toConfirmationMail,
	toSlackMessage,
	toSlackTest,
	toTestMail,
} from "./briefing-messages.js";
import type { LinkPurpose, ScheduleLinks } from "./schedule-consent.js";
import type { ScheduleText } from "./schedule-text.js";
import type { BriefingWire } from "./schedule-wire.js";

interface Sending {
	readonly schedule: Pick<ScheduleRow, "id">;
	readonly channel: Pick<ScheduleChannel, "kind" | "ref">;
	readonly text: ScheduleText;
}

/** Hands things to the targets of schedules. Each throws a ServiceError when its target did not take it. */
export type ScheduleDelivery = ReturnType<typeof createScheduleDelivery>;

export function createScheduleDelivery(deps: {
	/** Undefined while no mail server is configured. */
	readonly mailer: Mailer | undefined;
	/** Reaches Slack, and no one else. */
	readonly slack: Egress;
	readonly links: ScheduleLinks;
}) {
	const { mailer, slack, links } = deps;
	const mail: Mailer["send"] = async (message) => {
		if (!mailer) throw unavailable("No mail server is configured here.");
		await mailer.send(message);
	};
	const linkOf = (purpose: LinkPurpose, { schedule, channel: { ref } }: Sending) =>
		links.urlOf(purpose, { scheduleId: schedule.id, ref });
	return {
		async briefing(
			sending: Sending & { run: Pick<BriefingRunRow, "id">; briefing: BriefingWire },
		): Promise<void> {
			const { run, briefing, channel, text } = sending;
			if (channel.kind === "slack") {
				return sendToSlack(slack, targetOf(text.slack), toSlackMessage(briefing));
			}
			const unsubscribeUrl = linkOf("unsubscribe", sending);
			const written = toBriefingMail(briefing, unsubscribeUrl);
			const messageId = `${run.id}.${channel.ref}`;
			await mail({ ...written, to: targetOf(text.email), messageId, unsubscribeUrl });
		},
		async confirmation(sending: Sending): Promise<void> {
			const { channel, text } = sending;
			const written = toConfirmationMail(text.topic, linkOf("confirm", sending));
			await mail({ ...written, to: targetOf(text.email), messageId: `confirm.${channel.ref}` });
		},
		async test(sending: Sending): Promise<void> {
			const { channel, text } = sending;
			if (channel.kind === "slack") {
				return sendToSlack(slack, targetOf(text.slack), toSlackTest(text.topic));
			}
			const unsubscribeUrl = linkOf("unsubscribe", sending);
			const written = toTestMail(text.topic, unsubscribeUrl);
			const messageId = `test.${channel.ref}`;
			await mail({ ...written, to: targetOf(text.email), messageId, unsubscribeUrl });
		},
	};
}

function targetOf(target: string | undefined): string {
	if (target !== undefined) return target;
	throw notFound("This target is no longer known.");
}
