import { type Egress, ServiceError } from "../../kernel/kernel.js";
import type { UnpaidReply } from "./judge-challenge.js";

export interface Asking {
	readonly egress: Egress;
	readonly timeoutMs: number;
}

interface Question {
	readonly method: "GET" | "POST" | "HEAD" | "OPTIONS";
	readonly url: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string;
}

/** Throws what the adapter throws, and UPSTREAM for a redirect, which is not followed. */
export async function ask({ egress, timeoutMs }: Asking, question: Question): Promise<UnpaidReply> {
	const reply = await egress.request({ ...question, timeoutMs }).catch((error: unknown) => {
		if (!isRedirect(error)) throw error;
		throw new ServiceError("UPSTREAM", "It is answered by a redirect, which is not followed.");
	});
	const { status, headers } = reply;
	const text = await reply.text();
	try {
		return { status, headers, body: text === "" ? undefined : (JSON.parse(text) as unknown) };
	} catch {
		return { status, headers, body: undefined };
	}
}

/** The adapter follows no redirect and says so in the cause of its failure. */
function isRedirect(error: unknown): boolean {
	for (let at = error; at instanceof Error; at = at.cause) {
		if (/redirect/.test(at.message)) return true;
	}
	return false;
}
