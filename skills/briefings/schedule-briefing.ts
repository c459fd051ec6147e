import { stageArtifact } from "../../src/artifacts/artifacts.js";
import type { Caller } from "../../src/contract/contract.js";
import type { Clock } from "../../src/kernel/kernel.js";
import type { ArtifactRow, BriefingRunRow, ScheduleRow, Store } from "../../store/store.js";
import type { Briefing, ComposeBriefing } from "./briefing.js";
import type { BriefingMemory } from "./briefing-changes.js";
import type { Claim } from "./schedule-claims.js";
import { SCHEDULE_LIMITS } from "./schedule-limits.js";
import { type ScheduleText, type ScheduleTexts, scheduleMemories } from "./schedule-text.js";

/** How briefings of schedules are made, kept and remembered, in turn and out of it. */
export interface BriefingDeps {
	readonly store: Pick<Store, "read" | "transaction" | "documents">;
	readonly clock: Clock;
	readonly compose: ComposeBriefing;
	readonly texts: ScheduleTexts;
}

/** The briefing of a schedule as things stand now. */
export async function composeFor(
	{ compose }: Pick<BriefingDeps, "compose">,
	{ frequency }: ScheduleRow,
	asked: {
		readonly text: ScheduleText;
		/** What its reader was told last. */
		readonly before: BriefingMemory | undefined;
		readonly signal?: AbortSignal;
	},
): Promise<Briefing> {
	const timeout = AbortSignal.timeout(SCHEDULE_LIMITS.composeTimeoutMs);
	return compose({
		topic: asked.text.topic,
		frequency,
		before: asked.before,
		signal: asked.signal ? AbortSignal.any([asked.signal, timeout]) : timeout,
	});
}

/** The briefing's text, and the row that lets it be picked up once it is put; undefined where no text is kept. */
export async function stageBriefing(
	deps: Pick<BriefingDeps, "store" | "clock">,
	{ schedule, run }: { readonly schedule: ScheduleRow; readonly run: Pick<BriefingRunRow, "id"> },
	{ briefing }: Briefing,
): Promise<ArtifactRow | undefined> {
	const owner = await ownerOf(deps.store, schedule);
	return stageArtifact(deps, owner, { kind: "briefing", id: run.id, data: briefing });
}

/** Whom a schedule's briefings belong to, and whether text of theirs may be kept now. */
export async function ownerOf(
	store: Pick<Store, "read">,
	{ owner, grantId }: Pick<ScheduleRow, "owner" | "grantId">,
): Promise<Pick<Caller, "owner" | "access" | "keepsNoText">> {
	const account = await store.read((reader) => reader.get("accounts", owner));
	const keepsNoText = account?.retention === "zero";
	if (!account) return { owner };
	const access = { accountId: owner, grantId, isManager: false, keepsNoText };
	return { owner, access, keepsNoText };
}

/** Text that nobody may pick up is not kept until its time is over; what another attempt staged is left to that. */
export async function dropUnkept(
	{ store }: Pick<BriefingDeps, "store">,
	{ run }: { readonly run: Pick<BriefingRunRow, "id" | "attempt"> },
): Promise<void> {
	const isLeft = await store.read(async (reader) => {
		const now = await reader.get("briefing_runs", run.id);
		const isOurs = now === undefined || now.attempt === run.attempt;
		return isOurs && (await reader.get("artefacts", run.id)) === undefined;
	});
	if (isLeft) await store.documents.delete(run.id);
}

/** What the next briefing of its kind is compared with; nothing is left of a schedule that was cancelled meanwhile. */
export async function rememberTold(
	{ store, texts }: Pick<BriefingDeps, "store" | "texts">,
	{ schedule, run }: Claim,
	{ memory }: Briefing,
): Promise<void> {
	await texts.remember(schedule, run.kind, memory);
	const row = await store.read((reader) => reader.get("schedules", schedule.id));
	if (!row || row.status === "cancelled") await texts.forget(scheduleMemories(schedule.id));
}
