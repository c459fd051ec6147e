import type { DenseSide } from "./dense-side.js";
import type { QueryVectors } from "./query-vectors.js";
import {
	createVectorRegions,
	type DenseScope,
	type VectorRegion,
	type VectorRegions,
} from "./vector-regions.js";
import { createVectorScan, type VectorScan } from "./vector-scan.mjs";

interface Opened {
	readonly regions: VectorRegions;
	readonly scan: VectorScan;
}

/** The dense side in the thread that asks: for embedders that have no thread of their own. */
export function createLocalDenseSide(queryVectors: QueryVectors): DenseSide {
	/** Opened with the first segment, which knows how long vectors are. */
	let opened: Opened | undefined;
	const find = (): Opened => {
		if (!opened) throw new RangeError("A region is of another dense side.");
		return opened;
	};
	return {
		add(segment) {
			opened ??= open(segment.embedder);
			return opened.regions.add(segment);
		},
		release: (region) => find().regions.release(region),
		async search({ query, scopes, count }) {
			const release = scopes.length > 0 ? find().regions.hold(scopes) : undefined;
			try {
				const vector = await queryVectors.find(query);
				return vector && { vector, ...searchIn(scopes, vector, count) };
			} finally {
				release?.();
			}
		},
		cosineOf: (vector: Float32Array, region: VectorRegion, document: number) =>
			find().regions.closest(vector, region, document),
	};

	function searchIn(scopes: readonly DenseScope[], vector: Float32Array, count: number) {
		if (scopes.length === 0) return { slots: [], cosines: new Float32Array() };
		const { regions, scan } = find();
		return scan.search(vector, regions.toScanScopes(scopes), count);
	}
}

function open(embedder: Parameters<typeof createVectorRegions>[0]["embedder"]): Opened {
	const regions = createVectorRegions({ embedder });
	return { regions, scan: createVectorScan(regions.openSetup().setup) };
}
