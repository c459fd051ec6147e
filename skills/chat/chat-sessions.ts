import type { z } from "zod";
import {
	type Caller,
	type Json,
	type PageRequest,
	readCursor,
	takePage,
	toCursor,
} from "../../src/contract/contract.js";
import { findCitedSentence } from "../../src/evidence/evidence.js";
import { invalidArgument, notFound, toIsoTime } from "../../src/kernel/kernel.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import type { ChatRow } from "../../store/store.js";
import { createCitationList } from "../answers/answers.js";
import type { ChatRecord, ChatRecords, TurnWritingDeps } from "./chat-records.js";
import { CHAT_LIMITS, type ChatTurn } from "./chat-turns.js";
import type { chatChangeBody } from "./chat-wire.js";

type ChatChange = z.output<typeof chatChangeBody>;

/** What those who hold a chat and those who change it share. */
export type ChatSessionParts = Pick<TurnWritingDeps, "records" | "writes">;

const LIST = { list: "chats", asked: {} };

export type ChatSessions = ReturnType<typeof createChatSessions>;

/**
 * The free operations on chats. A session is named by the client's own name or by its id; a wallet names it by id alone.
 * Unknown and foreign ones are the same NOT_FOUND.
 */
export function createChatSessions(
	{ records, writes }: ChatSessionParts,
	catalog: Pick<GraphCatalog, "find">,
) {
	const get = async (caller: Caller, reference: string): Promise<ChatRecord> => {
		const record = await records.find(caller, reference);
		if (record) return record;
		throw notFound(
			`No chat session of yours is called "${reference.slice(0, CHAT_LIMITS.sessionIdChars)}".`,
		);
	};
	/** Alone with a session: a turn that is persisted meanwhile is neither lost nor brought back. */
	const inTurn = async <T>(
		caller: Caller,
		reference: string,
		work: (record: ChatRecord) => Promise<T>,
	): Promise<T> => {
		const { row } = await get(caller, reference);
		const leave = await writes.enter(row.key);
		try {
			return await work(await get(caller, row.id));
		} finally {
			leave();
		}
	};
	return {
		/** Latest used first. */
		list: async (caller: Caller, page: PageRequest): Promise<Json> =>
			pageOfSessions(records, await records.rowsOf(caller), page),

		get: async (caller: Caller, reference: string): Promise<Json> =>
			toWire(await get(caller, reference)),

		/** Oldest first, with what the cited evidence says today. */
		messages: async (caller: Caller, reference: string, page: PageRequest): Promise<Json> =>
			pageOfMessages(catalog, await get(caller, reference), page),

		/** Throws INVALID_ARGUMENT for an unknown graph. */
		change(caller: Caller, reference: string, { title, graphs }: ChatChange): Promise<Json> {
			const unknown = graphs?.find((id) => !catalog.find(id));
			if (unknown !== undefined) {
				throw invalidArgument(
					`No graph is called "${unknown}"; GET /v1/graphs/catalog lists those there are.`,
					{ details: [{ path: "graphs", message: `"${unknown}" is not known` }] },
				);
			}
			return inTurn(caller, reference, async ({ row, text }) => {
				const changed = {
					...text,
					...(title !== undefined && { title }),
					...(graphs && { graphs: [...new Set(graphs)] }),
				};
				await records.put(row, changed);
				return toWire({ row, text: changed });
			});
		},

		/** All its text is gone when it resolves. */
		remove: (caller: Caller, reference: string): Promise<Json> =>
			inTurn(caller, reference, async ({ row, text }) => {
				await records.remove(row);
				return { id: row.id, session_id: text.session_id, status: "deleted" };
			}),
	};
}

async function pageOfSessions(
	records: Pick<ChatRecords, "read">,
	rows: Awaited<ReturnType<ChatRecords["rowsOf"]>>,
	{ limit, cursor }: PageRequest,
): Promise<Json> {
	const [after] = cursor === undefined ? [] : readCursor(cursor, LIST, 1);
	const start = after === undefined ? 0 : placeBehind(rows, after);
	const page = rows.slice(start, start + limit);
	const last = page.at(-1);
	const found = await Promise.all(page.map(records.read));
	return {
		items: found.flatMap((record) => (record ? [toWire(record)] : [])),
		next_cursor:
			last && rows.length > start + limit ? toCursor(LIST, [`${last.usedAt}.${last.id}`]) : null,
	};
}

/** Behind the place of an item that may have moved, or be gone, since the page before. */
function placeBehind(rows: readonly Pick<ChatRow, "id" | "usedAt">[], place: string): number {
	const [usedAt, id = ""] = place.split(".", 2);
	const at = rows.findIndex(
		(row) => row.usedAt < Number(usedAt) || (row.usedAt === Number(usedAt) && row.id < id),
	);
	return at < 0 ? rows.length : at;
}

function toWire({ row, text }: ChatRecord) {
	const { id, createdAt, usedAt } = row;
	const cited = new Set(text.turns.flatMap((turn) => turn.cited.flat()));
	return {
		id,
		session_id: text.session_id,
		title: text.title,
		graphs: [...text.graphs],
		turns: text.turn_count,
		turns_kept: text.turns.length,
		citations: cited.size,
		created_at: toIsoTime(createdAt),
		last_used_at: toIsoTime(usedAt),
		expires_at: toIsoTime(usedAt + CHAT_LIMITS.keptMs),
	};
}

function pageOfMessages(
	catalog: Pick<GraphCatalog, "find">,
	{ row, text }: ChatRecord,
	{ limit, cursor }: PageRequest,
) {
	const identity = { list: "chat.messages", asked: { id: row.id } };
	const [after = "0"] = cursor === undefined ? [] : readCursor(cursor, identity, 1);
	const rest = text.turns.filter(({ n }) => n > Number(after));
	const { page, next_cursor } = takePage(rest, limit, identity, ({ n }) => [String(n)]);
	return { items: page.map((turn) => toMessage(catalog, turn)), next_cursor };
}

function toMessage(catalog: Pick<GraphCatalog, "find">, turn: ChatTurn) {
	const ids = [...new Set(turn.cited.flat())];
	const list = createCitationList();
	const gone: string[] = [];
	for (const id of ids) {
		const sentence = findCitedSentence(catalog, id);
		if (sentence) list.numberOf(sentence);
		else gone.push(id);
	}
	return {
		n: turn.n,
		at: toIsoTime(turn.at),
		message: turn.message,
		resolved_question: turn.question,
		citations: [...list.toWire()],
		citations_gone: gone,
		not_covered: [...turn.missing],
	};
}
