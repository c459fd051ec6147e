import { ServiceError } from "../../src/kernel/kernel.js";
import { messageOf, stopped } from "./damage.js";

const DOCUMENT_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/** What is done with one document happens one after the other, with different ones side by side. */
export interface Turns {
	/** Throws INVALID_ARGUMENT for what cannot name a document, UNAVAILABLE when the task fails. */
	look<T>(id: string, task: () => Promise<T>): Promise<T>;
	/** As `look`, and UNAVAILABLE once closed. */
	change<T>(id: string, task: () => Promise<T>): Promise<T>;
	/** A task about no document in particular: UNAVAILABLE once closed. */
	tidy(task: () => Promise<void>): Promise<void>;
	/** Resolves when no change is under way any more. */
	close(): Promise<void>;
}

export function createTurns(): Turns {
	const last = new Map<string, Promise<unknown>>();
	const tidying = new Set<Promise<void>>();
	let isClosed = false;
	const look = async <T>(id: string, task: () => Promise<T>): Promise<T> => {
		assertId(id);
		const result = (last.get(id) ?? Promise.resolve()).then(task, task).catch((error: unknown) => {
			throw unavailable(id, error);
		});
		last.set(id, result);
		const forget = () => last.get(id) === result && last.delete(id);
		result.then(forget, forget);
		return result;
	};
	return {
		look,
		async change(id, task) {
			if (isClosed) throw stopped("it is closed");
			return look(id, task);
		},
		async tidy(task) {
			if (isClosed) throw stopped("it is closed");
			const result = task();
			tidying.add(result);
			try {
				await result;
			} finally {
				tidying.delete(result);
			}
		},
		async close() {
			isClosed = true;
			await Promise.allSettled([...last.values(), ...tidying]);
		},
	};
}

function assertId(id: string): void {
	if (DOCUMENT_ID.test(id)) return;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`"${id.slice(0, 80)}" cannot name a document; use 1 to 128 letters, digits, hyphens and underscores.`,
	);
}

function unavailable(id: string, error: unknown): ServiceError {
	if (error instanceof ServiceError) return error;
	return new ServiceError(
		"UNAVAILABLE",
		`The document "${id}" could not be read or written (${messageOf(error)}). Try again in a moment.`,
		{ cause: error },
	);
}
