import type { OpenedModel } from "./dense/open-model.js";
import type { SetSizes } from "./index/segment-set.js";
import type { Embedder } from "./model/embedder.js";
import type { SearchOutcome } from "./ranking/search-outcome.js";
import type { IndexStatus } from "./search-engine.js";

/** What the engine says of itself to the operator. */
export function toStatus(
	{ embedder, reason }: OpenedModel,
	{ waiting: pendingVectors, segments, tombstones, refusal }: SetSizes,
	{ concepts, problem }: { readonly concepts: number; readonly problem: string | undefined },
): IndexStatus {
	const failure = embedder?.failure() ?? refusal;
	return {
		model: embedder && namesOf(embedder.identity),
		concepts,
		pendingVectors,
		mode: embedder && pendingVectors === 0 && !failure ? "hybrid" : "keyword",
		reason: [reason ?? failure, problem].filter(Boolean).join(" ") || undefined,
		segments,
		tombstones,
	};
}

function namesOf({ id, sha256, dimensions }: Embedder["identity"]): IndexStatus["model"] {
	return { id, sha256, dimensions };
}

/** Where nothing could be looked at, the mode is what the next query would get. */
export function modeOf(
	{ scopes, dense }: { readonly scopes: readonly unknown[]; readonly dense: unknown },
	statusNow: () => IndexStatus,
	sizesNow: () => SetSizes,
): Pick<SearchOutcome, "mode" | "reason"> {
	if (dense) return { mode: "hybrid" };
	const status = statusNow();
	const mode = scopes.length === 0 ? status.mode : "keyword";
	return mode === "hybrid" ? { mode } : { mode, reason: whyKeywords(status, sizesNow()) };
}

/** For callers: what the operator must do is in the status. */
function whyKeywords(
	{ model, pendingVectors, concepts }: IndexStatus,
	{ refusal }: SetSizes,
): string {
	if (!model) return "This server has no embedding model, so that only words are compared.";
	if (pendingVectors > 0) {
		return `Vectors of the embedding model are being made: ${concepts - pendingVectors} of ${concepts} concepts have theirs.`;
	}
	if (refusal) {
		return "Not all vectors find room in this server's memory, so that only words were compared.";
	}
	return "The embedding model gave no vector in time, so that only words were compared.";
}
