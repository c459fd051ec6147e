import { type Micros, ServiceError } from "../../src/kernel/kernel.js";
import {
	type AccountName,
	type CommittedState,
	type Row,
	reviveMoney,
	type Tables,
} from "../store.js";
import type { KnownRows } from "./known-rows.js";
import type { Look, Question } from "./looks.js";
import { assertHot, balanceLock, placeOf } from "./reads.js";
import { toKey } from "./text-keys.js";

/** What a posting may take until the commit judges it: more money than there is. */
const ENOUGH: Micros = 10n ** 30n;

/** A question of the work, and its answer. */
export interface Seen {
	readonly question: Question;
	readonly rows: readonly Row[];
	readonly version: string | null;
	/** True where it was not asked for, so that it may be old. */
	readonly isRecalled: boolean;
}

export interface SeenState {
	readonly state: CommittedState;
	/** All that was answered, each once. */
	seen(): readonly Seen[];
	/** How many statements answered: what one alone says is of one moment. */
	statements(): number;
	/** The first look that failed. */
	failure(): unknown;
	/** True once the work asked for what only a locked or repeatable transaction answers. */
	needsMore(): boolean;
}

/**
 * What stands, looked at without locks and noted down, so that it can be compared at the commit. Postings are taken for
 * possible: the commit judges them, too.
 */
export function createSeenState({
	look,
	known,
	processId,
	isAlive,
}: {
	readonly look: Look;
	/** What need not be asked for where it is compared later; without them everything is asked. */
	readonly known?: KnownRows;
	readonly processId: string;
	readonly isAlive: (processId: string) => Promise<boolean>;
}): SeenState {
	const balances = new Map<AccountName, Micros>();
	const { ask, addStatement, ...asked } = createNotes(look, known);
	let needsMore = false;
	const refuse = async (): Promise<never> => {
		needsMore = true;
		throw new ServiceError("INTERNAL", "This is answered by another kind of transaction only.");
	};

	const state: CommittedState = {
		processId,
		async get(table, id) {
			const { rows } = await ask({ kind: "row", table, key: toKey(id) });
			return rows[0] as Tables[typeof table] | undefined;
		},
		async findBy(table, index, value) {
			assertHot(table);
			const [place, key] = [placeOf(table, index as string), toKey(value)];
			const { rows } = await ask({ kind: "rows", table, place, key });
			return rows as readonly Tables[typeof table][];
		},
		list: refuse,
		async balance(account) {
			const key = toKey(account);
			const { version } = await ask({ kind: "balance", key });
			const amount = BigInt(version ?? 0);
			balances.set(account, amount);
			return amount;
		},
		balances: refuse,
		isAlive: (id) => {
			addStatement();
			return isAlive(id);
		},
		standing: (accounts) => ({
			balances: new Map(accounts.map((account) => [account, balances.get(account) ?? ENOUGH])),
			isKeyUsed: false,
		}),
	};
	return {
		state,
		...asked,
		needsMore: () => needsMore,
	};
}

function recall(known: KnownRows, question: Question): Seen | undefined {
	if (question.kind === "balance") {
		const amount = known.takeBalance(question.key);
		if (amount === undefined) return undefined;
		return { question, rows: [], version: String(amount), isRecalled: true };
	}
	const row = question.kind === "row" ? known.get(lockNameOf({ question })) : undefined;
	return row && { question, rows: [row.row], version: row.version, isRecalled: true };
}

/** Asks each question once, and notes what was answered. */
function createNotes(look: Look, known: KnownRows | undefined) {
	/** By question. */
	const asked = new Map<string, Promise<Seen>>();
	const seen: Seen[] = [];
	const statements = new Set<number>();
	let others = 0;
	let failure: unknown;

	const answer = async (question: Question): Promise<Seen> => {
		const name = lockNameOf({ question });
		const recalled = known && recall(known, question);
		if (recalled) return recalled;
		const { bodies, version, statement } = await look(question);
		statements.add(statement);
		const rows = bodies.map((body) => reviveMoney(JSON.parse(body)) as Row);
		const [row] = rows;
		if (question.kind === "row" && row && version !== null)
			known?.note(name, { row, version, size: bodies[0]?.length ?? 0 });
		return { question, rows, version, isRecalled: false };
	};
	const note = async (question: Question): Promise<Seen> => {
		try {
			const answered = await answer(question);
			seen.push(answered);
			return answered;
		} catch (error) {
			failure ??= error;
			throw error;
		}
	};
	return {
		ask(question: Question): Promise<Seen> {
			const name = JSON.stringify(question);
			const answered = asked.get(name) ?? note(question);
			asked.set(name, answered);
			return answered;
		},
		seen: (): readonly Seen[] => seen,
		/** Of what was answered otherwise. */
		addStatement: () => void others++,
		statements: () => statements.size + others,
		failure: () => failure,
	};
}

/** Names of what was not asked for. */
export const recalledNames = (seen: readonly Seen[]): readonly string[] =>
	seen.filter(({ isRecalled }) => isRecalled).map(lockNameOf);

/** Of the lock that a transaction takes which reads the same with locks. */
export function lockNameOf({ question }: Pick<Seen, "question">): string {
	const { kind, key } = question;
	if (kind === "balance") return balanceLock(key);
	if (kind === "row") return `r|${question.table}|${key}`;
	return `i|${question.table}|${question.place}|${key}`;
}
