import { createHash } from "node:crypto";
import { ServiceError } from "../../src/kernel/errors.js";
import type { Concept, Graph } from "../../src/knowledge/model/graph.js";
import { tokenize } from "../../src/search/lexical/tokenizer.js";
import type { Embedder } from "../../src/search/model/embedder.js";
import { toUnitLength } from "./random-vectors.js";

/** A concept with what a test cares about; everything else is empty. */
export function sampleConcept(id: string, given: Partial<Concept> = {}): Concept {
	return {
		id,
		path: `${id.replaceAll(".", "/")}.md`,
		type: "Concept",
		title: id,
		summary: "",
		body: "",
		tags: [],
		aliases: [],
		evidence: [],
		edges: [],
		trust: "unverified",
		status: "stable",
		generatedAt: undefined,
		staleAfter: undefined,
		...given,
	};
}

/** A graph whose content hash follows from its concepts. */
export function sampleGraph(id: string, concepts: readonly Concept[]): Graph {
	return {
		record: {
			id,
			slug: id,
			title: id,
			type: "domain",
			version: "1.0.0",
			updated: "2026-01-01",
			description: "",
			about: "",
			topics: [],
			exampleQueries: [],
			curator: undefined,
			expert: undefined,
			analyst: undefined,
		},
		concepts,
		folder: "",
		contentHash: createHash("sha256").update(JSON.stringify(concepts)).digest("hex"),
	};
}

export const PAYMENTS = sampleGraph("payments", [
	sampleConcept("eip-3009", {
		title: "EIP-3009 transferWithAuthorization",
		aliases: ["EIP-3009"],
		summary: "A token holder signs a transfer off chain and anyone may submit it.",
		body: "The random nonce lets many authorizations be outstanding in any order.",
	}),
	sampleConcept("holds", {
		title: "Reserve, deliver, settle",
		summary: "Money is reserved before work starts and the unused part is released.",
	}),
	sampleConcept("http-402", {
		title: "HTTP 402 Payment Required",
		summary: "The status code is reserved for payment; no flow is standardised.",
	}),
]);

export const BOTANY = sampleGraph("botany", [
	sampleConcept("moss", { title: "Moss", summary: "Small plants without roots that like shade." }),
	sampleConcept("oak", {
		title: "Oak",
		summary: "A long-lived tree with lobed leaves and acorns.",
	}),
]);

const DIMENSIONS = 32;

export interface CountingEmbedder extends Embedder {
	/** Passages embedded so far. */
	passages(): number;
	/** While true, every call is rejected. */
	fail(isFailing: boolean): void;
}

/** Bags of words hashed into 32 components: enough for likeness by shared words, with a count of what was asked. */
export function createCountingEmbedder(id = "counting"): CountingEmbedder {
	let passages = 0;
	let isFailing = false;
	return {
		identity: { id, sha256: id.padEnd(64, "0"), dimensions: DIMENSIONS, pooling: "mean" },
		async embed(texts, lane) {
			if (isFailing) throw new ServiceError("UNAVAILABLE", "The model is away.");
			if (lane === "passage") passages += texts.length;
			return texts.map(toVector);
		},
		warm: () => undefined,
		close: async () => undefined,
		passages: () => passages,
		fail(next) {
			isFailing = next;
		},
	};
}

function toVector(text: string): Float32Array {
	const vector = new Float32Array(DIMENSIONS);
	for (const { whole, isStopWord } of tokenize(text)) {
		const slot = createHash("sha256").update(whole).digest()[0] ?? 0;
		if (!isStopWord) vector[slot % DIMENSIONS] = (vector[slot % DIMENSIONS] ?? 0) + 1;
	}
	return toUnitLength(vector);
}
