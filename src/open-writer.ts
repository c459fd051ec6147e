import type { KeyFolder } from "./auth/key-folder.js";
import type { Clock } from "./core/clock.js";
import { WRITER_LIMITS } from "./core/writer-limits.js";
import { createConfiguredEgress } from "./delivery/egress.js";
import { extractiveWriter } from "./evidence/extractive-writer.js";
import { createLlmWriter } from "./evidence/llm-writer.js";
import type { Writer } from "./evidence/writer.js";
import type { WriterSettings } from "./writer-settings.js";

export interface OpenWriterDeps {
	readonly writer: WriterSettings | undefined;
	readonly keys: Pick<KeyFolder, "readPlaced">;
	readonly clock: Clock;
}

/** The model an operator configured, reached at its own host and nowhere else; without one evidence is quoted. */
export function openWriter({ writer, keys, clock }: OpenWriterDeps): Writer {
	if (!writer) return extractiveWriter;
	const { url, model, timeoutMs } = writer;
	const egress = createConfiguredEgress({ urls: [url], replyBytesMax: WRITER_LIMITS.replyBytes });
	const apiKey = writer.apiKey ?? keys.readPlaced("writer-key");
	return createLlmWriter({ egress, clock, url, model, timeoutMs, apiKey });
}
