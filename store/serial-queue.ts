/** Runs one task at a time, in the order they came; a task that fails does not stop the next. */
export type SerialQueue = <T>(task: () => Promise<T>) => Promise<T>;

export function createSerialQueue(): SerialQueue {
	let tail: Promise<unknown> = Promise.resolve();
	return <T>(task: () => Promise<T>): Promise<T> => {
		const result = tail.then(task, task);
		tail = result;
		return result;
	};
}
