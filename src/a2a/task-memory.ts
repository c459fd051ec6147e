import { Task } from "@a2a-js/sdk";
import type { TaskRow } from "../../store/store.js";
import { LIMITS } from "../contract/contract.js";
import type { Clock } from "../kernel/kernel.js";

/** A task no one paid for, as it is kept. */
export interface KeptText {
	/** One flat string: what is counted is what is held, which is not so for objects a caller has made up. */
	readonly text: string;
	/** Whose it is, where room is short. */
	readonly holder: string;
	/** Not to be forgotten for others. */
	readonly isPinned: boolean;
}

interface Entry extends KeptText {
	readonly expiresAt: number;
}

export interface TaskMemoryDeps {
	readonly clock: Clock;
	/** The task must not be forgotten now. */
	readonly isBusy?: ((taskId: string) => boolean) | undefined;
	/** Processes that have a memory each, and a share of the room. */
	readonly share?: (() => number) | undefined;
}

/** Memory of tasks no one paid for, bounded in number, size and time: their text must not fill a disk. */
export function createTaskMemory({ clock, isBusy = () => false, share = () => 1 }: TaskMemoryDeps) {
	const entries = new Map<string, Entry>(); // oldest first
	let chars = 0;

	const forget = (taskId: string): void => {
		chars -= entries.get(taskId)?.text.length ?? 0;
		entries.delete(taskId);
	};
	const isAlive = ({ expiresAt }: Entry) => expiresAt > clock.now();
	const isFull = () =>
		entries.size > LIMITS.waitingTasksMax / share() || chars > LIMITS.waitingTasksChars / share();
	const findEvictable = () => {
		const free = [...entries].filter(([id, { isPinned }]) => !isPinned && !isBusy(id));
		const heaviest = heaviestOf(free.map(([, entry]) => entry));
		return free.find(([, { holder }]) => holder === heaviest)?.[0];
	};
	const evict = (): readonly string[] => {
		const evicted: string[] = [];
		const drop = (taskId: string) => {
			forget(taskId);
			evicted.push(taskId);
		};
		for (const [taskId, entry] of entries) {
			if (isAlive(entry)) break;
			drop(taskId);
		}
		while (isFull()) {
			const taskId = findEvictable();
			if (taskId === undefined) break;
			drop(taskId);
		}
		return evicted;
	};
	return {
		/** Undefined once it is forgotten. */
		find(taskId: string): string | undefined {
			const entry = entries.get(taskId);
			return entry && isAlive(entry) ? entry.text : undefined;
		},
		/** Texts of one holder, oldest first. */
		textsOf: (holder: string): readonly string[] =>
			[...entries.values()]
				.filter((entry) => entry.holder === holder && isAlive(entry))
				.map(({ text }) => text),
		/**
		 * Starts its time again. Where room is short, the holder of most loses its oldest that is neither pinned nor busy. Returns
		 * those that were forgotten for it, or because their time is over.
		 */
		keep(taskId: string, kept: KeptText): readonly string[] {
			forget(taskId);
			chars += kept.text.length;
			entries.set(taskId, { ...kept, expiresAt: clock.now() + LIMITS.waitingTaskTtlMs });
			return evict();
		},
		forget,
	};
}

/** The holder whose texts are the longest together. */
function heaviestOf(entries: readonly Entry[]): string | undefined {
	const sums = new Map<string, number>();
	for (const { holder, text } of entries) sums.set(holder, (sums.get(holder) ?? 0) + text.length);
	const [first] = [...sums].sort(([, a], [, b]) => b - a);
	return first?.[0];
}

/** A text as it was found. */
export interface FoundText {
	readonly text: string;
	/** Of this state of it. */
	readonly version: number;
	/** Another process works on its payment, or this one. */
	readonly isBusy: boolean;
}

/** Where the texts of tasks that wait are: in the memory of the only process, or in rows that all of them see. */
export interface WaitingTexts {
	has(taskId: string): Promise<boolean>;
	/** Undefined once it is forgotten. */
	find(taskId: string): Promise<FoundText | undefined>;
	/**
	 * Finds it for one payment alone, until it is kept, forgotten or released; call once at a time for one task. Waits while
	 * another process works on the same payment, and throws IDEMPOTENCY_IN_FLIGHT while it works on another one.
	 */
	claim(taskId: string, payment: string): Promise<FoundText | undefined>;
	/** Starts its time again; false, and then nothing is changed, where it is no longer in the version that was found. */
	keep(taskId: string, kept: KeptText, version: number | undefined): Promise<boolean>;
	/** Once it is paid for. Never rejects. */
	forget(taskId: string): Promise<void>;
	/** Ends a claim that has changed nothing. Never rejects. */
	release(taskId: string): Promise<void>;
}

/** In memory there is one state of each, and the one process knows itself which payments are under way. */
export function createWaitingMemory(deps: TaskMemoryDeps): WaitingTexts {
	const memory = createTaskMemory(deps);
	const find = async (taskId: string) => {
		const text = memory.find(taskId);
		return text === undefined ? undefined : { text, version: 1, isBusy: false };
	};
	return {
		has: async (taskId) => memory.find(taskId) !== undefined,
		find,
		claim: find,
		async keep(taskId, kept) {
			memory.keep(taskId, kept);
			return true;
		},
		forget: async (taskId) => memory.forget(taskId),
		release: async () => undefined,
	};
}

/** Finished tasks that cost nothing: read like those in the archive, by the same rules, until memory forgets them. */
export type UnpaidTasks = ReturnType<typeof createUnpaidTasks>;

export function createUnpaidTasks(clock: Clock) {
	const memory = createTaskMemory({ clock });
	return {
		keep(row: TaskRow, task: Task): void {
			const text = `${JSON.stringify(row)}\n${JSON.stringify(Task.toJSON(task))}`;
			memory.keep(row.id, { text, holder: row.owner, isPinned: false });
		},
		findRow(taskId: string): TaskRow | undefined {
			const text = memory.find(taskId);
			return text === undefined ? undefined : rowIn(text);
		},
		findTask(taskId: string): Task | undefined {
			const text = memory.find(taskId);
			return text === undefined
				? undefined
				: Task.fromJSON(JSON.parse(text.slice(text.indexOf("\n"))));
		},
		rowsOf: (owner: string): readonly TaskRow[] => memory.textsOf(owner).map(rowIn),
		forget: memory.forget,
	};
}

/** A list needs the rows only, so that no task is parsed for it. */
function rowIn(text: string): TaskRow {
	return JSON.parse(text.slice(0, text.indexOf("\n")));
}
