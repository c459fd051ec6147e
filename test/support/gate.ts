/** A gate that work waits at until it is opened; anyone who waits for the work to arrive there is notified. */
export function createGate() {
	let open = () => undefined as unknown;
	let arrive = () => undefined as unknown;
	const opened = new Promise<void>((resolve) => {
		open = resolve;
	});
	const arrived = new Promise<void>((resolve) => {
		arrive = resolve;
	});
	return {
		arrived,
		open: () => open(),
		async pass() {
			arrive();
			await opened;
		},
	};
}
