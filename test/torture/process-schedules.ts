import { setTimeout as sleep } from "node:timers/promises";
import type { MailServer } from "../jobs/mail-server.js";
import { isOpen, type ProcessWorld, type Reply } from "./process-world.js";

const SCHEDULES = "/v1/research/schedules";
const LINK = /\/v1\/research\/schedules\/confirm\?token=[\w-]+/;
/** Later than one retry of an attempt whose process was killed. */
const SETTLED_MS = 420_000;
const OPEN = new Set(["running", "waiting"]);
const DAY_MS = 86_400_000;

interface Run {
	readonly status: string;
}

interface Schedule {
	readonly id: string;
	readonly reader: string;
	readonly token: string;
}

/** Schedules whose readers have confirmed, and which become due one after the other while servers die. */
export function createSchedules(world: ProcessWorld, mail: MailServer) {
	const schedules: Schedule[] = [];
	const again = async (path: string, init: RequestInit): Promise<Reply> => {
		for (;;) {
			const reply = await world.send(path, init);
			if (reply && !isOpen(reply)) return reply;
			await sleep(200);
		}
	};
	const mailsTo = (reader: string, subject: RegExp) =>
		mail.mails.filter(
			({ to, headers }) => to.includes(reader) && subject.test(headers.get("subject") ?? ""),
		);

	const confirm = async (reader: string): Promise<void> => {
		for (let left = 300; left > 0; left--) {
			const [asked] = mailsTo(reader, /^Confirm/);
			const link = LINK.exec(asked?.parts.get("text/plain") ?? "")?.[0];
			if (link) return void (await again(link, { method: "POST" }));
			await sleep(200);
		}
		throw new Error(`${reader} was not asked to confirm in a minute.`);
	};

	/** Once all have ended. */
	const runsOf = async ({ id, token }: Schedule): Promise<readonly string[]> => {
		const endMs = performance.now() + SETTLED_MS;
		const headers = { "X-Pay-SPT": token };
		for (;;) {
			const { body } = await again(`${SCHEDULES}/${id}/runs`, { headers });
			const runs: readonly string[] = body.data.items.map(({ status }: Run) => status);
			const isOver = runs.length > 0 && !runs.some((status) => OPEN.has(status));
			if (isOver || performance.now() >= endMs) return runs;
			await sleep(200);
		}
	};
	const judgeOne = (
		{ id, reader }: Schedule,
		[status = "missing", ...others]: readonly string[],
	) => {
		const mails = mailsTo(reader, /^(?!Confirm)/).length;
		if (others.length > 0) world.fail(`A slot of ${id} ran ${others.length + 1} times.`);
		// Where a process died while it sent, no one knows, and it is not sent again.
		const isSound = status === "delivered" ? mails === 1 : status === "unknown" && mails <= 1;
		if (!isSound) world.fail(`A slot of ${id} is ${status}, with ${mails} mails.`);
		return status;
	};

	return {
		/** Before anything is done to the servers. */
		async prepare(count: number, tokens: readonly string[]): Promise<void> {
			for (let number = 0; number < count; number++) {
				const token = tokens[number % tokens.length] as string;
				const reader = `reader-${number}@example.com`;
				const order = { topic: "payment", frequency: "daily", email: reader };
				const headers = {
					...{ "X-Pay-SPT": token, "Content-Type": "application/json" },
					"Idempotency-Key": `schedule ${number}`,
				};
				const made = await again(SCHEDULES, {
					method: "POST",
					headers,
					body: JSON.stringify(order),
				});
				if (made.status !== 200) throw new Error(JSON.stringify(made.body));
				schedules.push({ id: made.body.data.schedule_id, reader, token });
			}
			for (const { reader } of schedules) await confirm(reader);
		},

		/** Puts the next one's beginning two days back, so that the latest of its slots is due now. */
		async makeOneDue(number: number): Promise<void> {
			const one = schedules[number];
			if (!one) return;
			const startsAt = Date.now() - 2 * DAY_MS;
			for (let left = 60; left > 0; left--) {
				const update = `UPDATE tollgraph.records SET body = regexp_replace(body, '"startsAt":[0-9]+', '"startsAt":${startsAt}') WHERE tbl = 'schedules' AND id = '${one.id}'`;
				if (
					await world.cluster.sql(update).then(
						() => true,
						() => false,
					)
				)
					return;
				await sleep(500);
			}
			throw new Error("A schedule could not be made due.");
		},

		/** Each slot ran once: one run, ended well, one mail at most, and one where it says so. */
		async judge(): Promise<Readonly<Record<string, number>>> {
			const ends: Record<string, number> = {};
			for (const one of schedules) {
				const status = judgeOne(one, await runsOf(one));
				ends[status] = (ends[status] ?? 0) + 1;
			}
			return ends;
		},
	};
}
