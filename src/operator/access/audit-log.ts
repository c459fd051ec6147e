import { hash } from "node:crypto";
import { z } from "zod";
import type { AuditRow, OperatorRole, Store, StoreTransaction } from "../../../store/store.js";
import { digitsField } from "../../contract/contract.js";
import { type Clock, invalidArgument, toCanonicalJson, toIsoTime } from "../../kernel/kernel.js";

/** Who gives a command: an operator's key, the admin token of the data folder, or a command line on that folder. */
export interface Actor {
	readonly name: string;
	readonly role: OperatorRole;
	/** Where it is given, if not by the API or a command line. */
	readonly via?: AuditRow["via"];
}

/** A command on a folder that no server holds; who may read the folder owns it. */
export const COMMAND_LINE: Actor = { name: "command line", role: "owner" };

/** The admin token of the data folder. */
export const ADMIN_TOKEN: Actor = { name: "admin token", role: "owner" };

/** A caller whose credential no one knows. */
export const UNKNOWN: Actor = { name: "unknown", role: "reader" };

const PAGE_MAX = 500;
const PAGE = 100;

const timeField = z
	.string()
	.refine((text) => !Number.isNaN(Date.parse(text)), "must be a time such as 2026-03-31T08:00:00Z");

/** What the audit log can be asked. */
export const auditCommand = z.strictObject({
	target: z.string().min(1).max(300).optional(),
	actor: z.string().min(1).max(100).optional(),
	command: z.string().min(1).max(100).optional(),
	from: timeField.optional(),
	to: timeField.optional(),
	limit: digitsField(PAGE_MAX).default(PAGE),
	/** `next` of the page before. */
	cursor: z.string().max(20).optional(),
});
export type AuditQuestion = z.input<typeof auditCommand>;

export type AuditLog = ReturnType<typeof createAuditLog>;

/** A change, as it is known before it happens. */
export interface AuditedChange {
	readonly actor: Actor;
	readonly command: string;
	readonly target: string;
	/** JSON. */
	readonly before?: string | undefined;
}

/**
 * What operators changed: append only, each line with the hash of the one before. A change is begun on the log before it
 * happens and ended on it after, so that none is without its line whatever crashes (docs/adr/0059).
 */
export function createAuditLog({ store, clock }: { store: Store; clock: Clock }) {
	const end = (
		begun: AuditRow,
		ended: Partial<Pick<AuditRow, "target" | "code" | "after">> & Pick<AuditRow, "outcome">,
		alongside?: (tx: StoreTransaction) => Promise<void>,
	): Promise<AuditRow> =>
		store.transaction(async (tx) => {
			const { actor, role, via, command, target, before } = begun;
			const line = { actor, role, via, command, target, before, ...ended, beginId: begun.id };
			await alongside?.(tx);
			return append(tx, line, clock.now());
		});
	return {
		/** In the transaction that must not commit without it. */
		begin: (tx: StoreTransaction, { actor, ...change }: AuditedChange): Promise<AuditRow> =>
			append(
				tx,
				{
					...{ ...change, actor: actor.name, role: actor.role, via: actor.via },
					...{ outcome: "begun", processId: tx.processId },
				},
				clock.now(),
			),
		end,
		/** What is no command and is over at once, in the transaction that makes it so. */
		record: (
			tx: StoreTransaction,
			{ actor, ...change }: AuditedChange,
			ended: Pick<AuditRow, "outcome" | "code">,
		): Promise<AuditRow> =>
			append(
				tx,
				{ ...change, ...ended, actor: actor.name, role: actor.role, via: actor.via },
				clock.now(),
			),
		/** A change that no command makes, once it is so: nothing where it is what the line before it says already. */
		note: (
			{ actor, command, target }: AuditedChange,
			after: string,
		): Promise<AuditRow | undefined> =>
			store.transaction(async (tx) => {
				const rows = await tx.findBy("audit", "command", command);
				const before = rows
					.filter((row) => row.target === target)
					.reduce<AuditRow | undefined>(later, undefined)?.after;
				if (before === after) return undefined;
				const line = { actor: actor.name, role: actor.role, command, target, before, after };
				return append(tx, { ...line, outcome: "done" }, clock.now());
			}),
		/** Of changes that were begun by a process that ended before they did: no one knows whether they happened. */
		async closeInterrupted(): Promise<number> {
			const open = await store.read(async (reader) => {
				const lines: AuditRow[] = [];
				for (const line of await openLines(reader)) {
					const { processId } = line;
					if (processId === undefined || !(await reader.isAlive(processId))) lines.push(line);
				}
				return lines;
			});
			for (const begun of open) await end(begun, { outcome: "interrupted" });
			return open.length;
		},
		list: (question: AuditQuestion) => listLines(store, auditCommand.parse(question)),
		verify: () => verifyLines(store),
	};
}

/** Of the last line, from which the next one takes its number and the hash before. */
const COUNTER = "audit";
const FIRST_HASH = "";
const DIGITS = 12;

const idOf = (sequence: number) => `aud_${String(sequence).padStart(DIGITS, "0")}`;

async function append(
	tx: StoreTransaction,
	line: Omit<AuditRow, "id" | "sequence" | "at" | "previousHash" | "hash">,
	at: number,
): Promise<AuditRow> {
	const last = (await tx.get("counters", COUNTER))?.value ?? 0;
	const previousHash = (await tx.get("audit", idOf(last)))?.hash ?? FIRST_HASH;
	const sequence = last + 1;
	const bare = { ...line, id: idOf(sequence), sequence, at, previousHash };
	const row = { ...bare, hash: hashOf(bare) };
	await tx.put("audit", row);
	await tx.put("counters", { id: COUNTER, value: sequence });
	return row;
}

const later = (one: AuditRow | undefined, other: AuditRow) =>
	one && one.sequence > other.sequence ? one : other;

/** Over all of it but the hash itself; what is undefined is not there once it was stored. */
function hashOf(row: Omit<AuditRow, "hash"> & { readonly hash?: string }): string {
	const { hash: _own, ...bare } = row;
	return hash("sha256", toCanonicalJson(JSON.parse(JSON.stringify(bare))), "base64url");
}

/** Begun, and not ended by a later line. */
async function openLines(reader: Pick<StoreTransaction, "list">): Promise<readonly AuditRow[]> {
	const rows = await reader.list("audit");
	const ended = new Set(rows.map(({ beginId }) => beginId));
	return rows.filter(({ id, outcome }) => outcome === "begun" && !ended.has(id));
}

/** One item for each change, newest first: how it ended, or that it is under way. */
async function listLines(store: Store, question: z.output<typeof auditCommand>) {
	const { from, to, limit, cursor } = question;
	if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) {
		throw invalidArgument('"cursor" is none of this list; take it from "next" of the page before.');
	}
	const below = cursor === undefined ? Number.POSITIVE_INFINITY : Number(cursor);
	const [rows, open] = await store.read(async (reader) => [
		await reader.list("audit"),
		new Set((await openLines(reader)).map(({ id }) => id)),
	]);
	const since = from === undefined ? 0 : Date.parse(from);
	const until = to === undefined ? Number.POSITIVE_INFINITY : Date.parse(to);
	const found = rows.filter(
		(row) =>
			row.sequence < below &&
			(row.outcome !== "begun" || open.has(row.id)) &&
			row.at >= since &&
			row.at <= until &&
			(["target", "actor", "command"] as const).every(
				(key) => question[key] === undefined || row[key] === question[key],
			),
	);
	const page = found.reverse().slice(0, limit);
	const isLast = found.length <= limit;
	return { items: page.map(toWire), next: isLast ? null : String(page.at(-1)?.sequence) };
}

function toWire(row: AuditRow) {
	return {
		id: row.id,
		at: toIsoTime(row.at),
		actor: row.actor,
		role: row.role,
		via: row.via ?? null,
		command: row.command,
		target: row.target,
		outcome: row.outcome,
		code: row.code ?? null,
		before: jsonOf(row.before),
		after: jsonOf(row.after),
		hash: row.hash,
	};
}

const jsonOf = (text: string | undefined): unknown =>
	text === undefined ? null : JSON.parse(text);

/** Whether every line is there and as it was written. */
async function verifyLines(store: Store) {
	const [rows, count] = await store.read(async (reader) => [
		await reader.list("audit"),
		(await reader.get("counters", COUNTER))?.value ?? 0,
	]);
	let previousHash = FIRST_HASH;
	let expected = 1;
	const broken = (sequence: number, problem: string) => ({
		status: "broken" as const,
		entries: rows.length,
		sequence,
		problem,
	});
	for (const row of rows) {
		if (row.sequence !== expected) return broken(expected, `Entry ${expected} is missing.`);
		if (row.previousHash !== previousHash || hashOf(row) !== row.hash) {
			return broken(expected, `Entry ${expected} is not as it was written.`);
		}
		previousHash = row.hash;
		expected += 1;
	}
	if (count !== rows.length) return broken(expected, `Entry ${expected} is missing.`);
	return { status: "ok" as const, entries: rows.length, sequence: null, problem: null };
}
