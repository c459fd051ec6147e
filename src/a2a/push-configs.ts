import type { TaskPushNotificationConfig } from "@a2a-js/sdk";
import { z } from "zod";
import type { Store } from "../../store/store.js";
import { parseInput, pushDocument, TASK_LIMITS } from "../contract/contract.js";
import { type SealedText, ServiceError } from "../kernel/kernel.js";

/** Someone who wants to be notified how a task goes on. */
export interface PushTarget {
	readonly id: string;
	readonly url: string;
	/** Sent along as it is, so that the receiver knows whom it comes from. */
	readonly token: string;
	readonly authentication?: { readonly scheme: string; readonly credentials: string } | undefined;
	/** Protocol version it was set in, and is notified in. */
	readonly version: "1.0" | "0.3";
}

/** Who is notified of tasks: sealed on the disk, because addresses and tokens are secrets of their owners. */
export type PushConfigs = ReturnType<typeof createPushConfigs>;

const VISIBLE = /^[\x20-\x7e]*$/;
const secret = z
	.string()
	.max(TASK_LIMITS.pushSecretChars, `must have at most ${TASK_LIMITS.pushSecretChars} characters`)
	.regex(VISIBLE, "must be visible ASCII, as headers are");
const targetSchema = z.object({
	id: z.string().regex(/^[A-Za-z0-9._:-]{1,128}$/, "must have 1 to 128 letters, digits or . _ : -"),
	url: z.string().max(TASK_LIMITS.pushUrlChars, "is too long"),
	token: secret,
	authentication: z
		.object({
			scheme: z.string().regex(/^[A-Za-z0-9-]{1,40}$/, "must name an HTTP authentication scheme"),
			credentials: secret,
		})
		.optional(),
});

/** Reads a configuration as the SDK decoded it; one without an id gets that of its task. Throws INVALID_ARGUMENT. */
export function toPushTarget(
	{ taskId, id, url, token, authentication }: TaskPushNotificationConfig,
	version: PushTarget["version"],
): PushTarget {
	// Some writers send an empty scheme where they mean nothing.
	const shown = authentication?.scheme ? authentication : undefined;
	const read = { id: id || taskId || "task", url, token, authentication: shown };
	return { ...parseInput(targetSchema, read), version };
}

/** As its owner reads it again: the secrets are shown to no one. */
export function toPushWire(
	taskId: string,
	{ id, url, authentication }: PushTarget,
): TaskPushNotificationConfig {
	const { scheme } = authentication ?? {};
	return {
		tenant: "",
		taskId,
		id,
		url,
		token: "",
		authentication: scheme === undefined ? undefined : { scheme, credentials: "" },
	};
}

export function createPushConfigs({
	store,
	seal,
}: {
	readonly store: Store;
	readonly seal: SealedText;
}) {
	const listOf = async (taskId: string): Promise<readonly PushTarget[]> => {
		const text = await store.documents.get(pushDocument(taskId));
		const opened = text === undefined ? undefined : seal.open(text);
		return opened === undefined ? [] : JSON.parse(opened);
	};
	const write = async (taskId: string, targets: readonly PushTarget[]) => {
		const name = pushDocument(taskId);
		const row = await store.read((reader) => reader.get("tasks", taskId));
		if (!row || targets.length === 0) await store.documents.delete(name);
		else await store.documents.put(name, seal.seal(JSON.stringify(targets)), row.expiresAt);
	};
	const mark = (taskId: string, isPushed: boolean) =>
		store.transaction(async (tx) => {
			const row = await tx.get("tasks", taskId);
			if (row && row.isPushed !== isPushed) await tx.put("tasks", { ...row, isPushed });
		});
	return {
		listOf,
		/** Replaces the one of the same id. Throws INVALID_ARGUMENT beyond TASK_LIMITS.pushTargets. */
		async put(taskId: string, target: PushTarget): Promise<void> {
			const others = (await listOf(taskId)).filter(({ id }) => id !== target.id);
			if (others.length >= TASK_LIMITS.pushTargets) {
				throw new ServiceError(
					"INVALID_ARGUMENT",
					`A task is told to ${TASK_LIMITS.pushTargets} addresses at most; delete one first.`,
				);
			}
			await write(taskId, [...others, target]);
			await mark(taskId, true);
		},
		/** Without such a target nothing happens. */
		async remove(taskId: string, id: string): Promise<void> {
			const targets = await listOf(taskId);
			const left = targets.filter((target) => target.id !== id);
			if (left.length < targets.length) await write(taskId, left);
		},
		/** No one is to be notified any more; who was is kept as long as the task. */
		settle: (taskId: string) => mark(taskId, false),
		/** Tasks whose end is still to be sent, with their jobs. */
		async open(): Promise<readonly { readonly taskId: string; readonly jobId: string }[]> {
			const rows = await store.read((reader) => reader.list("tasks"));
			return rows.flatMap(({ id: taskId, jobId, isPushed }) =>
				isPushed && jobId !== undefined ? [{ taskId, jobId }] : [],
			);
		},
	};
}
