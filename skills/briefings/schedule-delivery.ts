import {
	type Egress,
	formatUsd,
	type Logger,
	type Mailer,
	notFound,
	unavailable,
} from "../../src/kernel/kernel.js";
import type { BriefingRunRow, ScheduleChannel, ScheduleRow } from "../../store/store.js";
import {
	type MailTerms,
	toBriefingMail,
	toConfirmationMail,
	toTestMail,
} from "./briefing-mails.js";
import { sendToSlack, toSlackMessage, toSlackTest } from "./briefing-messages.js";
import { type LinkPurpose, type ScheduleLinks, serviceName } from "./schedule-consent.js";
import { describeTiming } from "./schedule-slots.js";
import type { ScheduleText } from "./schedule-text.js";
import { type BriefingWire, maskId } from "./schedule-wire.js";

interface Sending {
	readonly schedule: Pick<
		ScheduleRow,
		"id" | "frequency" | "timezone" | "hour" | "weekday" | "weekMicros"
	>;
	readonly channel: Pick<ScheduleChannel, "kind" | "ref">;
	readonly text: ScheduleText;
}

/** Hands things to the targets of schedules. Each throws when its target did not take it, and the log says why. */
export type ScheduleDelivery = ReturnType<typeof createScheduleDelivery>;

export function createScheduleDelivery(deps: {
	/** Undefined while no mail server is configured. */
	readonly mailer: Mailer | undefined;
	/** Reaches Slack, and no one else. */
	readonly slack: Egress;
	readonly links: ScheduleLinks;
	/** Public base address. */
	readonly baseUrl: () => string;
	readonly logger: Pick<Logger, "error">;
}) {
	const { mailer, slack, links, baseUrl, logger } = deps;
	const mail: Mailer["send"] = async (message) => {
		if (!mailer) throw unavailable("No mail server is configured here.");
		await mailer.send(message);
	};
	const linkOf = (purpose: LinkPurpose, { schedule, channel: { ref } }: Sending) =>
		links.urlOf(purpose, { scheduleId: schedule.id, ref });
	const termsOf = (sending: Sending): MailTerms => ({
		...describeTiming(sending.schedule),
		service: serviceName(baseUrl()),
		topic: sending.text.topic,
		weekUsd: formatUsd(sending.schedule.weekMicros),
		unsubscribeUrl: linkOf("unsubscribe", sending),
	});
	/** An error that names an address, or a secret, has neither in its message. */
	const logged =
		<S extends Sending>(what: string, send: (sending: S) => Promise<void>) =>
		async (sending: S): Promise<void> => {
			try {
				await send(sending);
			} catch (error) {
				const schedule = maskId(sending.schedule.id);
				logger.error(`${what} could not be sent`, { schedule, error: String(error) });
				throw error;
			}
		};
	type Made = Sending & { run: Pick<BriefingRunRow, "id">; briefing: BriefingWire };
	return {
		briefing: logged("a briefing", async (sending: Made) => {
			const { run, briefing, channel, text } = sending;
			if (channel.kind === "slack") {
				return sendToSlack(slack, targetOf(text.slack), toSlackMessage(briefing));
			}
			const written = toBriefingMail(briefing, termsOf(sending));
			await mail({ ...written, to: targetOf(text.email), messageId: `${run.id}.${channel.ref}` });
		}),
		confirmation: logged("a confirmation", async (sending) => {
			const { channel, text } = sending;
			const written = toConfirmationMail(termsOf(sending), linkOf("confirm", sending));
			await mail({ ...written, to: targetOf(text.email), messageId: `confirm.${channel.ref}` });
		}),
		test: logged("a test", async (sending) => {
			const { channel, text } = sending;
			if (channel.kind === "slack") {
				return sendToSlack(slack, targetOf(text.slack), toSlackTest(text.topic));
			}
			const written = toTestMail(termsOf(sending));
			await mail({ ...written, to: targetOf(text.email), messageId: `test.${channel.ref}` });
		}),
	};
}

function targetOf(target: string | undefined): string {
	if (target !== undefined) return target;
	throw notFound("This target is no longer known.");
}
