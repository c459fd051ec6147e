import type { Recorder, Sample } from "../../src/telemetry/recorder.js";

/** Keeps what is recorded, by metric and labels. */
export function createNotes() {
	const counts = new Map<string, number>();
	const ended: string[] = [];
	const sources: (() => readonly Sample[] | Promise<readonly Sample[]>)[] = [];
	const add = (metric: string, labels: object, by: number) => {
		const key = `${metric} ${JSON.stringify(labels)}`;
		counts.set(key, (counts.get(key) ?? 0) + by);
	};
	const recorder: Recorder = {
		count: (metric, labels, by = 1) => add(metric, labels, by),
		time: (metric, _seconds, labels) => add(metric, labels, 1),
		begin({ name }) {
			let isOver = false;
			return {
				run: (work) => work(),
				note: () => undefined,
				end() {
					if (!isOver) ended.push(name);
					isOver = true;
				},
			};
		},
		operation: () => "graphs.search",
		observe: (read) => void sources.push(read),
	};
	return { counts, ended, recorder, sources };
}
