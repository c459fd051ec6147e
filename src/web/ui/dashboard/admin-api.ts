import type { DashboardState } from "../../pages/dashboard-parts.js";

/** The admin API as the pages of one session may ask it. */

export interface Progress {
	readonly done: number;
	readonly total: number;
	readonly stage?: string;
}

/** What the server refuses, in its own words. */
export class Refusal extends Error {
	readonly status: number;
	readonly code: string;
	constructor(status: number, { code, message }: { code?: string; message?: string }) {
		super(message ?? "The server answered without a reason.");
		this.name = "Refusal";
		this.status = status;
		this.code = code ?? String(status);
	}
}

interface Order {
	readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
	/** Fields of the query; undefined ones are left out. */
	readonly query?: Readonly<Record<string, string | undefined>>;
	readonly body?: object | Uint8Array<ArrayBuffer>;
	readonly headers?: Readonly<Record<string, string>>;
	readonly onProgress?: (progress: Progress) => void;
	readonly signal?: AbortSignal;
}

export type Admin = ReturnType<typeof createAdmin>;

export function createAdmin({ csrf, role }: Pick<DashboardState, "csrf" | "role">) {
	const send = async (path: string, order: Order): Promise<Response> => {
		const { method = "GET", query = {}, body, headers, signal } = order;
		const given = Object.entries(query).filter((pair): pair is [string, string] =>
			Boolean(pair[1]),
		);
		const search = given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
		const isBytes = body instanceof Uint8Array;
		const response = await fetch(`/v1/admin${path}${search}`, {
			method,
			headers: {
				"X-CSRF-Token": csrf,
				...(body && { "Content-Type": isBytes ? "application/zip" : "application/json" }),
				...headers,
			},
			...(body && { body: isBytes ? body : JSON.stringify(body) }),
			cache: "no-store",
			credentials: "same-origin",
			redirect: "error",
			...(signal && { signal }),
		});
		if (response.ok) return response;
		const reply = (await response.json().catch(() => ({}))) as { error?: object };
		throw new Refusal(response.status, reply.error ?? {});
	};
	return {
		/** What the operator may do at least: readers change nothing. */
		may: (least: DashboardState["role"]): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least),
		/** One JSON object. Throws Refusal. */
		async ask<T>(path: string, order: Order = {}): Promise<T> {
			return (await (await send(path, order)).json()) as T;
		},
		/** As it is, with the ETag that a change of it names. */
		async look<T>(path: string): Promise<{ readonly value: T; readonly etag: string | null }> {
			const response = await send(path, {});
			return { value: (await response.json()) as T, etag: response.headers.get("ETag") };
		},
		/** The result of long work, whose progress is reported on the way. Throws Refusal. */
		async follow<T>(path: string, order: Order): Promise<T> {
			const response = await send(path, order);
			for await (const line of linesOf(response)) {
				const { progress, result, error } = JSON.parse(line) as {
					progress?: Progress;
					result?: T;
					error?: object;
				};
				if (error) throw new Refusal(response.status, error);
				if (result !== undefined) return result;
				if (progress) order.onProgress?.(progress);
			}
			throw new Refusal(502, {
				message: "The answer broke off before the work was done; look at what it was to change.",
			});
		},
	};
}

const ROLES: readonly DashboardState["role"][] = ["reader", "editor", "owner"];

async function* linesOf({ body }: Response): AsyncGenerator<string> {
	const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
	let rest = "";
	while (reader) {
		const { done, value = "" } = await reader.read();
		if (done) break;
		const lines = (rest + value).split("\n");
		rest = lines.pop() ?? "";
		yield* lines.filter(Boolean);
	}
	if (rest) yield rest;
}
