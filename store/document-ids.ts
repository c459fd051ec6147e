import { invalidArgument } from "../src/kernel/kernel.js";

const DOCUMENT_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/** Throws INVALID_ARGUMENT for what cannot name a document in every adapter. */
export function assertDocumentId(id: string): void {
	if (DOCUMENT_ID.test(id)) return;
	throw invalidArgument(
		`"${id.slice(0, 80)}" cannot name a document; use 1 to 128 letters, digits, hyphens and underscores.`,
	);
}

/** Throws INVALID_ARGUMENT for what is no time in milliseconds. */
export function assertExpiry(expiresAt: number): void {
	if (Number.isSafeInteger(expiresAt) && expiresAt >= 0) return;
	throw invalidArgument(`A document cannot expire at "${expiresAt}".`);
}
