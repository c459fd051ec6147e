import { StreamResponse, type Task } from "@a2a-js/sdk";
import { V03PushNotificationSerializer } from "@a2a-js/sdk/compat/v0_3/server";
import { TASK_LIMITS } from "../contract/contract.js";
import { type Clock, type Egress, ServiceError } from "../kernel/kernel.js";
import type { PushTarget } from "./push-configs.js";
import type { PushSign } from "./push-signature.js";
import { statusEvent } from "./stream-events.js";

/** Resolves to whether the target took it; never rejects. */
export type PushSend = (target: PushTarget, task: Task) => Promise<"taken" | "refused" | "failed">;

/** Tells a target where a task stands: its status without the report, which its owner reads here. */
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
