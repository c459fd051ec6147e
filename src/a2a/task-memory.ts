import { Task } from "@a2a-js/sdk";
import type { TaskRow } from "../../store/store.js";
import { LIMITS } from "../contract/contract.js";
import type { Clock } from "../kernel/kernel.js";

interface Entry {
	/** One flat string: what is counted is what is held, which is not so for objects a caller has made up. */
	readonly text: string;
	/** Whose it is, where room is short. */
	readonly holder: string;
	readonly isPinned: boolean;
	readonly expiresAt: number;
}

/** Memory of tasks no one paid for, bounded in number, size and time: their text must not fill a disk. */
export function createTaskMemory({
	clock,
	isBusy = () => false,
}: {
	readonly clock: Clock;
	/** The task must not be forgotten now. */
	readonly isBusy?: (taskId: string) => boolean;
}) {
	const entries = new Map<string, Entry>(); // oldest first
	let chars = 0;

	const forget = (taskId: string): void => {
		chars -= entries.get(taskId)?.text.length ?? 0;
		entries.delete(taskId);
	};
	const isAlive = ({ expiresAt }: Entry) => expiresAt > clock.now();
	const isFull = () => entries.size > LIMITS.waitingTasksMax || chars > LIMITS.waitingTasksChars;
	const findEvictable = () => {
		const free = [...entries].filter(([id, { isPinned }]) => !isPinned && !isBusy(id));
		const heaviest = heaviestOf(free.map(([, entry]) => entry));
		return free.find(([, { holder }]) => holder === heaviest)?.[0];
	};
	const evict = () => {
		for (const [taskId, entry] of entries) {
			if (isAlive(entry)) break;
			forget(taskId);
		}
		while (isFull()) {
			const taskId = findEvictable();
			if (taskId === undefined) return;
			forget(taskId);
		}
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
		/** Starts its time again. Where room is short, the holder of most loses its oldest that is neither pinned nor busy. */
		keep(taskId: string, kept: Omit<Entry, "expiresAt">): void {
			forget(taskId);
			chars += kept.text.length;
			entries.set(taskId, { ...kept, expiresAt: clock.now() + LIMITS.waitingTaskTtlMs });
			evict();
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
