import { z } from "zod";
import type { Clock, Random, SealedText } from "../../src/kernel/kernel.js";
import type {
	BriefingRunRow,
	DocumentStore,
	ScheduleChannel,
	ScheduleRow,
} from "../../store/store.js";
import { type BriefingMemory, parseMemory } from "./briefing-changes.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";

/** What was asked for in words, and where it goes. */
export interface ScheduleText {
	readonly topic: string;
	readonly email?: string | undefined;
	readonly slack?: string | undefined;
}

export type ScheduleTexts = ReturnType<typeof createScheduleTexts>;

const stored = z.object({ topic: z.string(), targets: z.string() });
const targets = z.object({ email: z.string().optional(), slack: z.string().optional() });

/** What was asked for out of turn has a memory of its own, so that it takes nothing from scheduled briefings. */
type RunKind = BriefingRunRow["kind"];

const MEMORY_OF = { scheduled: "memory", manual: "manual-memory" } as const;

/** The documents with what a schedule reported, as hashes. */
export const scheduleMemories = (scheduleId: string): readonly string[] =>
	Object.values(MEMORY_OF).map((name) => `${scheduleId}-${name}`);

/** Topics are query text and lie open, as the query log does; targets are sealed, because a webhook's address is a secret. */
export function createScheduleTexts({
	documents,
	seal,
	clock,
}: {
	readonly documents: DocumentStore;
	readonly seal: SealedText;
	readonly clock: Clock;
}) {
	const expiry = () => clock.now() + SCHEDULE_LIMITS.textKeptMs;
	return {
		/** Durable before it resolves to when the text will be gone. */
		async put(documentId: string, { topic, ...rest }: ScheduleText): Promise<number> {
			const expiresAt = expiry();
			const text = { topic, targets: seal.seal(JSON.stringify(rest)) };
			await documents.put(documentId, JSON.stringify(text), expiresAt);
			return expiresAt;
		},
		/** Undefined once it is gone. */
		async get({ documentId }: Pick<ScheduleRow, "documentId">): Promise<ScheduleText | undefined> {
			const text = await documents.get(documentId);
			if (text === undefined) return undefined;
			const { topic, targets: sealed } = stored.parse(JSON.parse(text));
			return { topic, ...targets.parse(JSON.parse(seal.open(sealed) ?? "{}")) };
		},
		memoryOf: async ({ id }: Pick<ScheduleRow, "id">, kind: RunKind) =>
			parseMemory(await documents.get(`${id}-${MEMORY_OF[kind]}`)),
		remember: ({ id }: Pick<ScheduleRow, "id">, kind: RunKind, memory: BriefingMemory) =>
			documents.put(`${id}-${MEMORY_OF[kind]}`, JSON.stringify(memory), expiry()),
		/** Durable before it resolves. */
		async forget(documentIds: readonly string[]): Promise<void> {
			for (const id of documentIds) await documents.delete(id);
		},
	};
}

/** What was asked for, without where it goes; empty once it is gone. */
export async function readTopic(
	documents: Pick<DocumentStore, "get">,
	{ documentId }: Pick<ScheduleRow, "documentId">,
): Promise<string> {
	const text = await documents.get(documentId);
	return text === undefined ? "" : stored.parse(JSON.parse(text)).topic;
}

/** `a…@e…`, and of Slack the host alone: the rest of a webhook is its secret. */
function maskTarget(kind: "email" | "slack", target: string): string {
	if (kind === "slack") return "hooks.slack.com/…";
	const [name = "", host = ""] = target.split("@");
	return `${name.slice(0, 1)}…@${host.slice(0, 1)}…`;
}

const REF_BYTES = 12;

export interface ChannelDeps {
	readonly random: Random;
	/** Whether a mail server is configured. */
	readonly canMail: boolean;
}

/**
 * The channels of a schedule's targets. A target that stayed keeps its channel; a new address must be confirmed by its reader
 * before anything but the question is mailed there.
 */
export function toChannels(
	deps: ChannelDeps,
	{ email, slack }: ScheduleText,
	before:
		| { readonly text: ScheduleText; readonly channels: readonly ScheduleChannel[] }
		| undefined,
): readonly ScheduleChannel[] {
	const kept = (kind: "email" | "slack", target: string) => {
		const last = kind === "email" ? before?.text.email : before?.text.slack;
		const channel = before?.channels.find((one) => one.kind === kind);
		// What was missing may be there now; a reader who left is not asked again.
		const isSettled = channel?.status !== "not_configured";
		return last === target && isSettled ? channel : undefined;
	};
	const channels: ScheduleChannel[] = [];
	if (email !== undefined) {
		const made = { kind: "email", masked: maskTarget("email", email), ref: newRef(deps) } as const;
		const isNew = deps.canMail
			? ({ ...made, status: "unconfirmed", confirmTries: 0 } as const)
			: ({ ...made, status: "not_configured" } as const);
		channels.push(kept("email", email) ?? isNew);
	}
	if (slack !== undefined) {
		const made = { kind: "slack", masked: maskTarget("slack", slack), ref: newRef(deps) } as const;
		channels.push(kept("slack", slack) ?? { ...made, status: "ready" });
	}
	return channels;
}

/** A name no one can guess. */
export function newRef({ random }: Pick<ChannelDeps, "random">): string {
	return Buffer.from(random.bytes(REF_BYTES)).toString("base64url");
}
