import { z } from "zod";
import type { OperatorRole } from "../../../store/store.js";
import type { Operator } from "./operator-interface.js";

export interface CommandRow {
	/** Method, and path below /v1/admin, or one that begins with another root; `{id}` is the field `id` of the input. */
	readonly at: CommandAddress;
	/** Further addresses that mean the same. */
	readonly also?: readonly CommandAddress[] | undefined;
	/** The least role that may give it. */
	readonly role: OperatorRole;
	readonly summary: string;
	readonly takes: z.ZodType;
	/** One JSON object; lines of progress and then a result; or lines alone. */
	readonly kind: "quick" | "long" | "lines";
	/** Takes longer than a client usually waits. */
	readonly isSlow?: boolean | undefined;
	readonly bodyBytes?: number | undefined;
	/** The field that may name a file on this machine, for which HTTP takes a zip as well. */
	readonly archive?: "source" | undefined;
	/** Reads one thing, whose ETag a change of it can name. */
	readonly isOneThing?: boolean | undefined;
	/** Absent where it only reads. */
	readonly changes?: Change | undefined;
}

/** What operators do as such, and what publishers do with their graphs. */
export const COMMAND_ROOTS = ["/v1/admin", "/v1/publish"] as const;
export type CommandRoot = (typeof COMMAND_ROOTS)[number];

/** The parts of an address; `path` begins below its root. */
export function readAddress(address: string) {
	const [method = "", written = ""] = address.split(" ");
	const root = COMMAND_ROOTS.find((one) => written.startsWith(`${one}/`));
	return { method, root: root ?? COMMAND_ROOTS[0], path: written.slice(root?.length ?? 0) };
}

type CommandAddress = `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`;

export interface Change<Input = never> {
	/** What it changes, as the audit log names it; the result is at hand once it is done. */
	readonly target: (input: Input, result?: Wire) => string;
	/** That thing as it is, for the audit log and for If-Match; of what has no state of its own, the result is logged. */
	readonly state?: (operator: Operator, input: Input, result?: Wire) => Promise<unknown>;
	/** Why it cannot be rehearsed; absent where it can. */
	readonly unrehearsed?: string | undefined;
	/** Whether this input changes nothing. */
	readonly isRead?: (input: Input) => boolean;
}

export type Wire = Readonly<Record<string, unknown>>;

/** Ties what a row says of a change to its schema. */
export function command<S extends z.ZodType>(
	takes: S,
	row: Omit<CommandRow, "takes" | "kind" | "changes"> & {
		readonly kind?: CommandRow["kind"];
		readonly changes?: Change<z.output<S>>;
	},
): CommandRow {
	return { kind: "quick", ...row, takes } as CommandRow;
}

export const nothing = z.strictObject({});
export const named = z.strictObject({ id: z.string().min(1) });
export const reads = { role: "reader" } as const;
export const owner = { role: "owner" } as const;
export const editor = { role: "editor" } as const;

export const FILES = "it works on files, which cannot be put back";
export const CHAIN = "it may move money on a chain, which cannot be taken back";

export const idOf = (input: { readonly id: string }) => input.id;
/** The item of a list that has this id; null where none does. */
export const itemOf = async (
	list: Promise<{ readonly items: readonly { readonly id: string }[] }>,
	id: unknown,
) => (await list).items.find((item) => item.id === id) ?? null;
