import { basename, dirname, sep } from "node:path";
import { type Clock, ServiceError, unavailable } from "../../kernel/kernel.js";
import { createBatchQueue } from "../dense/batch-queue.js";
import type { EmbedderIdentity } from "../model/embedder.js";
import { type ModelLocation, openModelFolder } from "../model/model-folder.js";
import { createWorkerHost, workerFailure } from "../model/worker-host.js";

/** A question or a claim, and the passage that is read for it. */
export interface TextPair {
	readonly text: string;
	readonly passage: string;
}

/** What a passage says to a text, as probabilities. */
export interface PairReading {
	/** That it answers the question. */
	readonly answers: number;
	/** That it supports the claim, refutes it, or leaves it open; together 1. */
	readonly supports: number;
	readonly refutes: number;
	readonly open: number;
}

/** Reads pairs of texts with a cross-encoder. */
export interface PairJudge {
	/** Name, and sha256 (hex) over all that decides a reading. */
	readonly identity: Pick<EmbedderIdentity, "id" | "sha256">;
	/**
	 * One reading for each pair, in order, which no other pair changes; what is beyond the model's length is cut. Rejects with UNAVAILABLE when
	 * the model cannot be run, has just crashed or is overrun, and when the signal is aborted before they were read: what no one waits for any
	 * more is not read for.
	 */
	read(pairs: readonly TextPair[], signal?: AbortSignal): Promise<readonly PairReading[]>;
	/** Starts loading the model. */
	warm(): void;
	close(): Promise<void>;
}

/** Scores of one pair: relevance, then the stances. */
const SCORES = 4;
const MAX_BATCH_PAIRS = 32;
const MAX_WAITING_PAIRS = 4_096;

interface QueuedPair {
	readonly pair: TextPair;
	readonly signal: AbortSignal | undefined;
}

/** The judge of a model folder, in a thread of its own. Throws UNAVAILABLE when the folder holds no usable model. */
export async function createPairJudge(clock: Clock, location: ModelLocation): Promise<PairJudge> {
	const { path, dtype, profile, identity } = await openModelFolder(location);
	const host = createWorkerHost({
		clock,
		failed: workerFailure("The judge gave no verdicts"),
		script: new URL("./judge-worker.mjs", import.meta.url),
		prepare: () => ({
			data: {
				modelsFolder: dirname(path) + sep,
				modelName: basename(path),
				maxTokens: profile.maxTokens,
				dtype,
			},
			dispose: () => undefined,
		}),
	});
	const queue = createBatchQueue<QueuedPair, PairReading>({
		async send(pairs) {
			const task = { pairs: pairs.map(({ pair: { text, passage } }) => [text, passage]) };
			const { scores } = await host.request<{ scores: Float32Array }>(task);
			if (scores.length !== SCORES * pairs.length) {
				throw unavailable("The judge gave scores of an unexpected number.");
			}
			return pairs.map((_, at) => toReading(scores.subarray(SCORES * at, SCORES * (at + 1))));
		},
		maxBatchItems: MAX_BATCH_PAIRS,
		isWanted: ({ signal }) => signal?.aborted !== true,
		maxWaitingItems: MAX_WAITING_PAIRS,
	});
	const readOne = async (queued: QueuedPair): Promise<PairReading> => {
		const reading = await queue.send(queued);
		if (!reading) throw unavailable("The judge gave no verdict.");
		return reading;
	};
	return {
		identity: { id: identity.id, sha256: identity.sha256 },
		read: (pairs, signal) => Promise.all(pairs.map((pair) => readOne({ pair, signal }))),
		warm: host.start,
		close: host.close,
	};
}

export function toReading([relevance = 0, ...stances]: Float32Array): PairReading {
	const powers = stances.map((score) => Math.exp(score - Math.max(...stances)));
	const sum = powers.reduce((total, power) => total + power, 0);
	const [supports = 0, refutes = 0, open = 0] = powers.map((power) => power / sum);
	return {
		answers: 1 / (1 + Math.exp(-relevance)),
		supports,
		refutes,
		open,
	};
}

/** A judge, or why there is none, as a sentence. */
export interface OpenedJudge {
	readonly judge?: PairJudge;
	readonly reason?: string;
}

export async function openJudge(
	clock: Clock,
	model: ModelLocation | PairJudge | "none",
): Promise<OpenedJudge> {
	if (model === "none") return { reason: "The judge is switched off." };
	if (!("folder" in model)) return { judge: model };
	try {
		return { judge: await createPairJudge(clock, model) };
	} catch (error) {
		if (error instanceof ServiceError) return { reason: error.message };
		throw error;
	}
}
