import { createLlmWriter, extractiveWriter, type Writer } from "../../skills/answers/answers.js";
import type { KeyFolder } from "../accounts/accounts.js";
import { WRITER_LIMITS } from "../contract/contract.js";
import { createConfiguredEgress } from "../delivery/delivery.js";
import type { Clock } from "../kernel/kernel.js";
import type { WriterSettings } from "../settings/settings.js";

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
