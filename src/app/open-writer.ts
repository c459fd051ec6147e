import { extractiveWriter } from "../../skills/answers/extractive-writer.js";
import { createLlmWriter } from "../../skills/answers/llm-writer.js";
import type { Writer } from "../../skills/answers/writer.js";
import type { KeyFolder } from "../accounts/key-folder.js";
import { WRITER_LIMITS } from "../contract/writer-limits.js";
import { createConfiguredEgress } from "../delivery/configured-egress.js";
import type { Clock } from "../kernel/clock.js";
import type { WriterSettings } from "../settings/writer-settings.js";

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
