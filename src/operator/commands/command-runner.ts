import { hash } from "node:crypto";
import { fingerprintOf, idempotencyIdOf } from "../../../payments/payments.js";
import type { AuditRow, Store } from "../../../store/store.js";
import { LIMITS } from "../../contract/contract.js";
import {
	type Clock,
	createTurnQueue,
	invalidArgument,
	type SealedText,
	ServiceError,
	scrubSecrets,
	toCanonicalJson,
} from "../../kernel/kernel.js";
import type { Actor, AuditLog } from "../access/audit-log.js";
import { mayRun } from "../access/operator-keys.js";
import type { OnProgress } from "../imports/import-command.js";
import type { Change, CommandRow } from "./command-row.js";
import { COMMAND_NAMES, COMMANDS, type CommandName } from "./command-table.js";
import type { Operator } from "./operator-interface.js";

/** A command as it was given. */
export interface CommandCall {
	readonly actor: Actor;
	/** Checked against the schema of its row. */
	readonly input?: unknown;
	readonly onProgress?: OnProgress | undefined;
	/** Fields by which a retry key knows the input again, where they say it otherwise at each time. */
	readonly content?: Readonly<Record<string, string>> | undefined;
	/** Ends work that its caller gave up. */
	readonly signal?: AbortSignal | undefined;
	/** Says what would change, and changes nothing. */
	readonly isRehearsal?: boolean | undefined;
	readonly idempotencyKey?: string | undefined;
	/** ETags one of which what is changed must still have. */
	readonly ifMatch?: readonly string[] | undefined;
}

export interface CommandReply {
	readonly result: unknown;
	/** Of the one thing that was read or changed. */
	readonly etag?: string | undefined;
	/** Answered before, under the same retry key. */
	readonly isReplayed?: boolean | undefined;
}

interface RunnerDeps {
	readonly operator: Operator;
	/** Runs work on an operator whose changes are all dropped in the end. */
	readonly rehearse: <T>(work: (operator: Operator) => Promise<T>) => Promise<T>;
	readonly store: Store;
	readonly audit: AuditLog;
	readonly clock: Clock;
	/** Replies to retry keys may hold secrets. */
	readonly seal: SealedText;
}

export type CommandRunner = ReturnType<typeof createCommandRunner>;

/** The one way to every command, over HTTP and on a folder: role, precondition, retry key and audit log. */
export function createCommandRunner(deps: RunnerDeps) {
	const turns = createTurnQueue();
	const run = async (name: CommandName, call: CommandCall): Promise<CommandReply> => {
		const row = COMMANDS[name];
		const { changes } = row;
		if (!changes || (changes as AnyChange).isRead?.(call.input)) {
			assertRole(row, call.actor);
			const result = await workOf(deps.operator, name)(call);
			return { result, ...(row.isOneThing && { etag: etagOf(result) }) };
		}
		const command = { name, row, changes: changes as AnyChange, call };
		if (call.isRehearsal) return { result: await rehearse(deps, command) };
		// One at a time for each thing, so that what If-Match was compared with is what is changed.
		const leave = await turns.enter(command.changes.target(call.input));
		try {
			return await perform(deps, command);
		} finally {
			leave();
		}
	};
	return {
		run,
		/** Lines of a command of that kind, which only reads. */
		lines(name: CommandName, { actor, input }: CommandCall): AsyncIterable<string> {
			assertRole(COMMANDS[name], actor);
			return linesOf(deps.operator, name)(input);
		},
		/** The operator with every change on the log under this name. */
		as(actor: Actor): Operator {
			const entries = COMMAND_NAMES.map((name) => [
				name,
				COMMANDS[name].kind === "lines"
					? () => deps.operator[name as "exportLedger"]()
					: async (...given: readonly unknown[]) => {
							return (await run(name, { actor, ...givenTo(given) })).result;
						},
			]);
			return Object.fromEntries(entries) as Operator;
		},
	};
}

/** What a function of the operator was called with: an input, where it takes one, who is shown its progress, what ends it. */
export function givenTo(given: readonly unknown[]) {
	const onProgress = given.find((one) => typeof one === "function") as OnProgress | undefined;
	const signal = given.find((one) => one instanceof AbortSignal);
	return { input: typeof given[0] === "object" ? given[0] : {}, onProgress, signal };
}

type AnyChange = Change<unknown>;

interface Command {
	readonly name: CommandName;
	readonly row: CommandRow;
	readonly changes: AnyChange;
	readonly call: CommandCall;
}

type Work = (
	input: unknown,
	onProgress?: OnProgress,
	more?: Actor | AbortSignal,
) => Promise<unknown>;

/** Functions without an input take the progress first. */
function workOf(operator: Operator, name: CommandName) {
	const work = operator[name] as unknown as Work;
	return ({ input, onProgress, actor, signal }: CommandCall): Promise<unknown> => {
		if (name === "reindex") return operator.reindex(onProgress);
		return work(input, onProgress, name === "importGraph" ? signal : actor);
	};
}

function linesOf(operator: Operator, name: CommandName) {
	return operator[name] as unknown as (input: unknown) => AsyncIterable<string>;
}

function assertRole(row: CommandRow, { name, role }: Actor): void {
	if (mayRun(role, row.role)) return;
	throw new ServiceError(
		"SCOPE_FORBIDDEN",
		`"${name}" is ${role === "reader" ? "a reader" : "an editor"}, and this takes the role ${row.role}; ask an owner.`,
	);
}

async function perform(deps: RunnerDeps, command: Command): Promise<CommandReply> {
	const { audit, operator } = deps;
	const { name, row, changes, call } = command;
	const before = await stateOf(operator, changes, call.input);
	const begun = await begin(deps, command, before);
	if (begun.kind === "replay") return { result: begun.result, isReplayed: true };
	const { line, requestId } = begun;
	let result: unknown;
	try {
		assertRole(row, call.actor);
		assertMatch(call.ifMatch, before);
		result = await workOf(operator, name)(call);
	} catch (error) {
		const code = error instanceof ServiceError ? error.code : "INTERNAL";
		await audit.end(line, { outcome: "failed", code }, async (tx) => {
			if (requestId !== undefined) await tx.delete("operator_requests", requestId);
		});
		throw error;
	}
	const wire = result as Readonly<Record<string, unknown>>;
	const after = changes.state ? await stateOf(operator, changes, call.input, wire) : result;
	if (requestId !== undefined) await keepReply(deps, requestId, result);
	const target = changes.target(call.input, wire);
	await audit.end(line, { outcome: "done", target, after: toLogged(after) }, async (tx) => {
		const request = requestId && (await tx.get("operator_requests", requestId));
		if (request) await tx.put("operator_requests", { ...request, isDone: true });
	});
	return { result, ...(changes.state && { etag: etagOf(after) }) };
}

type Begun =
	| { readonly kind: "replay"; readonly result: unknown }
	| { readonly kind: "first"; readonly line: AuditRow; readonly requestId: string | undefined };

/** The line of the log, and with it the retry key, before anything happens. */
async function begin(deps: RunnerDeps, command: Command, before: unknown): Promise<Begun> {
	const { store, audit, clock } = deps;
	const { name, changes, call } = command;
	const { actor, idempotencyKey: key, input, content } = call;
	const id = key && idempotencyIdOf(`operator ${actor.name}`, name, key);
	const fingerprint = fingerprintOf(name, content ? { ...Object(input), ...content } : input);
	const change = {
		actor,
		command: name,
		target: changes.target(input),
		before: changes.state && toLogged(before),
	};
	const begun = await store.transaction(async (tx) => {
		const known = id && (await tx.get("operator_requests", id));
		if (known && known.expiresAt > clock.now()) return { known };
		const line = await audit.begin(tx, change);
		if (!id) return { line };
		const expiresAt = clock.now() + LIMITS.idempotencyTtlMs;
		await tx.put("operator_requests", {
			id,
			fingerprint,
			auditId: line.id,
			isDone: false,
			expiresAt,
		});
		return { line };
	});
	if (begun.line) return { kind: "first", line: begun.line, requestId: id || undefined };
	const { known } = begun;
	if (known.fingerprint !== fingerprint) {
		throw new ServiceError(
			"CONFLICT",
			"This Idempotency-Key was used with another input; use a new key for a new command.",
		);
	}
	if (!known.isDone) throw await openRequest(store, known.auditId);
	return { kind: "replay", result: await readReply(deps, known.id) };
}

/** Under way in this process, or cut off in an earlier one. */
async function openRequest(store: Store, auditId: string): Promise<ServiceError> {
	const ended = await store.read((reader) => reader.findBy("audit", "outcome", "interrupted"));
	if (!ended.some(({ beginId }) => beginId === auditId)) {
		return new ServiceError(
			"IDEMPOTENCY_IN_FLIGHT",
			"The command with this Idempotency-Key is still being carried out; send it again in a moment.",
			{ retryAfterSeconds: LIMITS.retryAfterSeconds },
		);
	}
	return new ServiceError(
		"CONFLICT",
		`The command with this Idempotency-Key was interrupted (audit entry ${auditId}), and may or may not have been carried out: look at what it changes, and use a new key.`,
	);
}

async function keepReply({ store, clock, seal }: RunnerDeps, id: string, result: unknown) {
	const text = seal.seal(JSON.stringify(result ?? null));
	await store.documents.put(replyDocument(id), text, clock.now() + LIMITS.idempotencyTtlMs);
}

async function readReply({ store, seal }: RunnerDeps, id: string): Promise<unknown> {
	const sealed = await store.documents.get(replyDocument(id));
	const text = sealed === undefined ? undefined : seal.open(sealed);
	if (text !== undefined) return JSON.parse(text);
	throw new ServiceError(
		"CONFLICT",
		"The command with this Idempotency-Key was carried out, and its reply is no longer kept; use a new key.",
	);
}

const replyDocument = (id: string) => `operator-reply-${id}`;

/** What would change, by doing it on a store that commits nothing. */
async function rehearse(deps: RunnerDeps, { name, row, changes, call }: Command) {
	assertRole(row, call.actor);
	if (changes.unrehearsed !== undefined) {
		throw invalidArgument(`"dry_run" is not possible for this command: ${changes.unrehearsed}.`);
	}
	return deps.rehearse(async (operator) => {
		const before = await stateOf(operator, changes, call.input);
		assertMatch(call.ifMatch, before);
		const result = await workOf(operator, name)(call);
		const wire = result as Readonly<Record<string, unknown>>;
		const after = changes.state ? await stateOf(operator, changes, call.input, wire) : result;
		return {
			dry_run: true,
			command: name,
			target: changes.target(call.input, wire),
			before: changes.state ? withoutSecrets(before) : null,
			after: withoutSecrets(after),
		};
	});
}

/** Null for what is not there. */
async function stateOf(
	operator: Operator,
	{ state }: AnyChange,
	input: unknown,
	result?: Readonly<Record<string, unknown>>,
): Promise<unknown> {
	const found = await state?.(operator, input, result).catch((error: unknown) => {
		if (error instanceof ServiceError && error.code === "NOT_FOUND") return null;
		throw error;
	});
	return found ?? null;
}

function assertMatch(ifMatch: readonly string[] | undefined, state: unknown): void {
	if (ifMatch === undefined) return;
	const isThere = state !== null;
	if (isThere && (ifMatch.includes("*") || ifMatch.includes(etagOf(state)))) return;
	throw new ServiceError(
		"PRECONDITION_FAILED",
		"It has changed since: read it again, and send this with the ETag of that reply in If-Match.",
	);
}

const ETAG_CHARS = 22;

/** Strong: the same for the same JSON only. */
function etagOf(state: unknown): string {
	const json = toCanonicalJson(JSON.parse(JSON.stringify(state ?? null)));
	return `"${hash("sha256", json, "base64url").slice(0, ETAG_CHARS)}"`;
}

/** Fields of results that are shown once, and text of people. */
const UNLOGGED: ReadonlySet<string> = new Set(["key", "token", "url", "label", "contact"]);
const LOGGED_CHARS = 4_000;

function withoutSecrets(state: unknown): unknown {
	const text = JSON.stringify(state ?? null, (name, value: unknown) =>
		UNLOGGED.has(name) ? undefined : value,
	);
	return JSON.parse(scrubSecrets(text));
}

function toLogged(state: unknown): string {
	const text = JSON.stringify(withoutSecrets(state));
	if (text.length <= LOGGED_CHARS) return text;
	return JSON.stringify({ chars: text.length, sha256: hash("sha256", text, "hex") });
}
