import { Worker } from "node:worker_threads";
import { type Clock, type ServiceError, unavailable } from "../../kernel/kernel.js";

export type WorkerHost = ReturnType<typeof createWorkerHost>;

interface Waiting {
	readonly resolve: (reply: object) => void;
	readonly reject: (error: ServiceError) => void;
	readonly stopWaiting: () => void;
}

/** Hundreds of times what a full batch takes. */
const LONGEST_ANSWER_MS = 30_000;
const FIRST_REST_MS = 250;
const LONGEST_REST_MS = 60_000;
const LONGEST_LOAD_MS = 5_000;
const LATE = "it did not answer in time";

/**
 * Built with telemetry, the ONNX runtime keeps an id of this machine in the home folder and sends what it counts to its maker. It reads
 * this from the process, whose environment a thread has a copy of: what is set there, as the library in between does, it never sees.
 */
process.env["ORT_DISABLE_TELEMETRY"] = "1";

interface WorkerHostOptions {
	readonly clock: Clock;
	/** What callers are rejected with. */
	readonly failed: ReturnType<typeof workerFailure>;
	readonly script: URL;
	/**
	 * Called at each start; `dispose` once that thread has ended. The data is the thread's `workerData`, with `loading` added:
	 * an Int32Array the worker sets from 1 to 0 and notifies once it has loaded.
	 */
	readonly prepare: () => {
		readonly data: Readonly<Record<string, unknown>>;
		readonly dispose: () => void;
	};
}

/**
 * One worker thread that answers {id, …task} with {id, …reply} or {id, error} and ends itself on {close: true}; started when
 * needed and again after a crash. It keeps the process alive only while a caller waits for an answer, or for its end.
 */
export function createWorkerHost({ clock, failed, script, prepare }: WorkerHostOptions) {
	const waiting = new Map<number, Waiting>();
	let worker: Worker | undefined;
	let lastId = 0;
	let crashes = 0;
	let restsUntil = Number.NEGATIVE_INFINITY;
	let isClosed = false;
	const { loading, dispose: disposeFlag } = createLoadingFlag();

	const settle = (id: number): Waiting | undefined => {
		const found = waiting.get(id);
		waiting.delete(id);
		found?.stopWaiting();
		if (waiting.size === 0 && !isClosed) worker?.unref();
		return found;
	};
	const onReply = ({ id, error, ...reply }: { id: number; error?: string }) => {
		if (error !== undefined) return settle(id)?.reject(failed(error));
		crashes = 0;
		settle(id)?.resolve(reply);
	};
	const onGone = (gone: Worker, why: string) => {
		if (gone !== worker) return;
		worker = undefined;
		Atomics.store(loading, 0, 0);
		restsUntil = clock.monotonicMs() + Math.min(FIRST_REST_MS * 2 ** crashes++, LONGEST_REST_MS);
		for (const id of [...waiting.keys()]) settle(id)?.reject(failed(why));
	};
	const onLate = (late: Worker, id: number) => {
		// While it loads it must not be torn down, see above; only this caller gives up.
		if (Atomics.load(loading, 0) === 1) return void settle(id)?.reject(failed(LATE));
		onGone(late, LATE);
		void stop(late, clock);
	};
	const start = (): void => {
		if (worker || isClosed || clock.monotonicMs() < restsUntil) return;
		const { data, dispose } = prepare();
		Atomics.store(loading, 0, 1);
		// Loaders of the parent (test coverage, TypeScript) would only slow the worker down: it is plain JavaScript.
		const fresh = new Worker(script, { workerData: { ...data, loading }, execArgv: [] });
		worker = fresh;
		fresh.on("message", onReply);
		fresh.on("error", (error) => onGone(fresh, reasonOf(error)));
		fresh.on("exit", () => onGone(fresh, "its thread ended"));
		fresh.on("exit", dispose);
		fresh.unref(); // Last, because listening to messages holds the process again.
	};

	return {
		/** Starts the worker unless it runs or rests. */
		start,
		/** The worker's reply. Rejects with UNAVAILABLE when it fails, crashes, is late, or still rests after any of this. */
		request<Reply extends object>(task: object): Promise<Reply> {
			start();
			const running = worker;
			return new Promise<Reply>((resolve, reject) => {
				if (!running) return reject(failed("it is not running"));
				const id = ++lastId;
				const stopWaiting = clock.after(LONGEST_ANSWER_MS, () => onLate(running, id));
				waiting.set(id, { resolve: (reply) => resolve(reply as Reply), reject, stopWaiting });
				running.ref();
				running.postMessage({ id, ...task });
			});
		},
		async close(): Promise<void> {
			isClosed = true;
			await (worker && stop(worker, clock));
			disposeFlag();
		},
	};
}

/** 1 while the thread loads. One that is torn down while native code loads aborts the whole process: the exit waits for it. */
function createLoadingFlag() {
	const loading = new Int32Array(new SharedArrayBuffer(4));
	const waitWhileLoading = () => void Atomics.wait(loading, 0, 1, LONGEST_LOAD_MS);
	process.on("exit", waitWhileLoading);
	return { loading, dispose: () => void process.off("exit", waitWhileLoading) };
}

/** Lets the thread finish what it is doing and end itself; one that does not is ended, which aborts the process where native code still runs. */
async function stop(worker: Worker, clock: Clock): Promise<void> {
	await new Promise<void>((resolve) => {
		const cancelGivingUp = clock.after(LONGEST_LOAD_MS, () => void worker.terminate());
		worker.once("exit", () => {
			cancelGivingUp();
			resolve();
		});
		worker.ref();
		worker.postMessage({ close: true });
	});
}

function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : "it crashed";
}

/** `what` begins the sentence that callers get: "The embedding model gave no vectors". */
export function workerFailure(what: string): (why: string) => ServiceError {
	return (why) => unavailable(`${what}: ${why.slice(0, 300).replace(/\.+$/, "")}.`);
}
