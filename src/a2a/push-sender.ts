import { createHash } from "node:crypto";
import { StreamResponse, type Task } from "@a2a-js/sdk";
import { V03PushNotificationSerializer } from "@a2a-js/sdk/compat/v0_3/server";
import { importJWK, type JWK, SignJWT } from "jose";
import type { CardSigningKey } from "../../agent-card/agent-card.js";
import { TASK_LIMITS } from "../contract/contract.js";
import { type Clock, type Egress, ServiceError } from "../kernel/kernel.js";
import type { PushTarget } from "./push-configs.js";
import { statusEvent } from "./task-events.js";

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

/** Resolves after the time, or when the signal is aborted. */
export function pause(
	delayMs: number,
	{ clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
	return new Promise((resolve) => {
		const end = () => {
			cancel();
			signal.removeEventListener("abort", end);
			resolve();
		};
		const cancel = clock.after(delayMs, end);
		signal.addEventListener("abort", end, { once: true });
		if (signal.aborted) end();
	});
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
	readonly signingKey: CardSigningKey;
	readonly clock: Clock;
	readonly issuer: () => string;
}): PushSign {
	const { signingKey, clock, issuer } = deps;
	let imported: ReturnType<typeof importJWK> | undefined;
	return async ({ taskId, url, body }) => {
		imported ??= importJWK(signingKey as JWK, "ES256");
		const issuedAt = Math.floor(clock.now() / 1_000);
		const request_body_sha256 = createHash("sha256").update(body).digest("hex");
		return new SignJWT({ taskId, request_body_sha256 })
			.setProtectedHeader({ alg: "ES256", kid: signingKey.kid, typ: "JWT" })
			.setIssuer(issuer())
			.setAudience(new URL(url).origin)
			.setIssuedAt(issuedAt)
			.setExpirationTime(issuedAt + LIFE_SECONDS)
			.sign(await imported);
	};
}
