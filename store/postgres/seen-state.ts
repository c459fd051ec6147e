import { type Micros, ServiceError } from "../../src/kernel/kernel.js";
import {
	type AccountName,
	type CommittedState,
	reviveMoney,
	type TableName,
	type Tables,
} from "../store.js";
import type { Answer, Look, Question } from "./looks.js";
import { assertHot, balanceLock, placeOf } from "./reads.js";
import { toKey } from "./text-keys.js";

/** What a posting may take until the commit judges it: more money than there is. */
const ENOUGH: Micros = 10n ** 30n;

/** A question of the work, and what it was told. */
export interface Seen {
	readonly question: Question;
	readonly version: string | null;
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
	processId,
	isAlive,
}: {
	readonly look: Look;
	readonly processId: string;
	readonly isAlive: (processId: string) => Promise<boolean>;
}): SeenState {
	/** By table, place and key, so that each is asked once. */
	const asked = new Map<string, Promise<Answer>>();
	const seen: Seen[] = [];
	const balances = new Map<AccountName, Micros>();
	const statements = new Set<number>();
	let failure: unknown;
	let needsMore = false;

	const ask = (question: Question): Promise<Answer> => {
		const name = JSON.stringify(question);
		const earlier = asked.get(name);
		if (earlier !== undefined) return earlier;
		const answered = look(question).then(
			(answer) => {
				seen.push({ question, version: answer.version });
				statements.add(answer.statement);
				return answer;
			},
			(error: unknown) => {
				failure ??= error;
				throw error;
			},
		);
		asked.set(name, answered);
		return answered;
	};
	const refuse = async (): Promise<never> => {
		needsMore = true;
		throw new ServiceError("INTERNAL", "This is answered by another kind of transaction only.");
	};

	const state: CommittedState = {
		processId,
		async get(table, id) {
			const key = toKey(id);
			const answer = await ask({ kind: "row", table, key });
			return toRows<typeof table>(answer)[0];
		},
		async findBy(table, index, value) {
			assertHot(table);
			const [place, key] = [placeOf(table, index as string), toKey(value)];
			return toRows(await ask({ kind: "rows", table, place, key }));
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
		isAlive,
		standing: (accounts) => ({
			balances: new Map(accounts.map((account) => [account, balances.get(account) ?? ENOUGH])),
			isKeyUsed: false,
		}),
	};
	return {
		state,
		seen: () => seen,
		statements: () => statements.size,
		failure: () => failure,
		needsMore: () => needsMore,
	};
}

function toRows<T extends TableName>({ bodies }: Answer): readonly Tables[T][] {
	return bodies.map((body) => reviveMoney(JSON.parse(body)) as Tables[T]);
}

/** Names of the locks that a transaction takes which reads the same with locks. */
export const lockNamesOf = (seen: readonly Seen[]): readonly string[] => seen.map(lockNameOf);

export function lockNameOf({ question }: Seen): string {
	const { kind, key } = question;
	if (kind === "balance") return balanceLock(key);
	if (kind === "row") return `r|${question.table}|${key}`;
	return `i|${question.table}|${question.place}|${key}`;
}
