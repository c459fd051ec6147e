import type { BooksParts, PlacedCommit } from "../store.js";
import type { JournalDocuments } from "./documents.js";
import type { ChainLink } from "./frame.js";
import { committedIn } from "./history.js";
import type { JournalReader } from "./journal-reader.js";
import type { SegmentFacts } from "./segments.js";
import type { JournalState } from "./state.js";

/** What a journal holds beyond what the port shows. */
export function createJournalParts({
	reader,
	settled,
	state,
	documents,
}: {
	readonly reader: Pick<JournalReader, "readFrames">;
	readonly settled: () => Promise<{
		readonly head: ChainLink;
		readonly segments: readonly SegmentFacts[];
	}>;
	readonly state: Pick<JournalState, "keys">;
	readonly documents: Pick<JournalDocuments, "ids" | "open">;
}): BooksParts {
	return {
		async *commits(): AsyncGenerator<PlacedCommit> {
			for (const facts of (await settled()).segments) {
				for await (const { link, body } of reader.readFrames(facts)) {
					const frame = body();
					const placed = { place: link.sequence, at: frame.at };
					for (const committed of committedIn(frame)) yield { ...committed, ...placed };
				}
			}
		},
		end: async () => (await settled()).head.sequence,
		async *ledgerKeys() {
			yield* state.keys.capture();
		},
		async *documents(now) {
			for (const id of documents.ids().sort()) {
				const found = await documents.open(id, now);
				if (!found) continue;
				const { path, file } = found;
				const bytes = await file.read(0, file.bytes).finally(file.close);
				const expiresAt = Number(path.slice(path.lastIndexOf(".") + 1));
				yield { id, text: bytes.toString("utf8"), expiresAt };
			}
		},
	};
}
