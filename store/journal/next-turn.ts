/** Resolves after what waits in the event loop now had its turn. */
export function nextTurn(): Promise<void> {
	return new Promise((resolve) => {
		setImmediate(resolve);
	});
}
