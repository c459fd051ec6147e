import { createHash } from "node:crypto";
import { StreamResponse, type Task, type TaskPushNotificationConfig } from "@a2a-js/sdk";
import { V03PushNotificationSerializer } from "@a2a-js/sdk/compat/v0_3/server";
import { importJWK, type JWK, SignJWT } from "jose";
import { z } from "zod";
import type { CardSigningKey } from "../../agent-card/agent-card.js";
import type { Store } from "../../store/store.js";
import { parseInput, pushDocument, TASK_LIMITS } from "../contract/contract.js";
import {
	type Clock,
	type Egress,
	invalidArgument,
	memoizeByObject,
	pause,
	type SealedText,
	ServiceError,
} from "../kernel/kernel.js";
import { statusEvent } from "./task-events.js";

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
				throw invalidArgument(
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

/** Resolves to whether the target took it; never rejects. */
export type PushSend = (target: PushTarget, task: Task) => Promise<"taken" | "refused" | "failed">;

/** Notifies a target of where a task stands: its status without the report, which its owner reads here. */
export function createPushSend(deps: {
	readonly egress: Egress;
	readonly sign: PushSign;
}): PushSend {
	const { egress, sign } = deps;
	return async (target, task) => {
		try {
			const { url } = target;
			const body = bodyOf(target, task);
			const signature = await sign({ taskId: task.id, url, body });
			const { status } = await egress.request({
				method: "POST",
				url,
				headers: headersOf(target, signature),
				body,
				timeoutMs: TASK_LIMITS.pushTimeoutMs,
			});
			if (status >= 200 && status < 300) return "taken";
			// Gone, as it says, for good.
			return status === 410 ? "refused" : "failed";
		} catch (error) {
			const isForbidden = error instanceof ServiceError && error.code === "INVALID_ARGUMENT";
			return isForbidden ? "refused" : "failed";
		}
	};
}

/** Sends until it is taken, refused or given up. Ends early when the signal is aborted; true unless that was so. */
export async function sendSurely(
	send: () => ReturnType<PushSend>,
	{ clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<boolean> {
	for (const pauseMs of TASK_LIMITS.pushPausesMs) {
		if (signal.aborted) return false;
		if ((await send()) !== "failed") return true;
		await pause(pauseMs, { clock, signal });
	}
	if (signal.aborted) return false;
	await send();
	return true;
}

const TOKEN_HEADER = "X-A2A-Notification-Token";

/** What the target asked to be shown, or else our signature. */
function headersOf(
	{ token, authentication, version }: PushTarget,
	signature: string,
): Record<string, string> {
	const { scheme = "Bearer", credentials = signature } = authentication ?? {};
	return {
		"Content-Type": version === "0.3" ? "application/json" : "application/a2a+json",
		...(token !== "" && { [TOKEN_HEADER]: token }),
		Authorization: `${scheme} ${credentials}`.trim(),
	};
}

const legacy = new V03PushNotificationSerializer();

/** As the version the target was set in writes it: a status update in 1.0, the task in 0.3. */
function bodyOf({ version }: PushTarget, task: Task): string {
	const event = statusEvent(task, task.status, task.metadata);
	if (version === "1.0") return JSON.stringify(StreamResponse.toJSON(event));
	return legacy.serialize(event, { ...task, artifacts: [], history: [] }).body;
}

/** Signs one notification, so that its receiver can verify by our public keys that it came from here, unchanged and lately. */
export type PushSign = (sent: {
	readonly taskId: string;
	readonly url: string;
	readonly body: string;
}) => Promise<string>;

const LIFE_SECONDS = 300;

/**
 * A JWT (ES256) over task, receiver and SHA-256 of the body in hex, valid for five minutes; the key is in the key set that
 * the agent card names.
 */
export function createPushSign(deps: {
	readonly signingKey: () => CardSigningKey;
	readonly clock: Clock;
	readonly issuer: () => string;
}): PushSign {
	const { signingKey, clock, issuer } = deps;
	const imported = memoizeByObject((key: CardSigningKey) => importJWK(key as JWK, "ES256"));
	return async ({ taskId, url, body }) => {
		const key = signingKey();
		const issuedAt = Math.floor(clock.now() / 1_000);
		const request_body_sha256 = createHash("sha256").update(body).digest("hex");
		return new SignJWT({ taskId, request_body_sha256 })
			.setProtectedHeader({ alg: "ES256", kid: key.kid, typ: "JWT" })
			.setIssuer(issuer())
			.setAudience(new URL(url).origin)
			.setIssuedAt(issuedAt)
			.setExpirationTime(issuedAt + LIFE_SECONDS)
			.sign(await imported(key));
	};
}
