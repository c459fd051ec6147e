import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServedDocument } from "../contract/contract.js";

const PUBLIC_CACHE = "public, max-age=60";
const ETAG_CHARS = 22;

/** A document as it stands, or 304 when the caller has it already. */
export function sendDocument(
	req: IncomingMessage,
	res: ServerResponse,
	document: ServedDocument,
	{ fileName }: { readonly fileName?: string | undefined } = {},
): void {
	if (document.isSecret) {
		res.setHeader("Cache-Control", "no-store");
		res.setHeader("Referrer-Policy", "no-referrer");
	} else if (isStillFresh(req, res, toEtag(document.hash))) return;
	if (fileName) res.setHeader("Content-Disposition", `attachment; filename="${fileName}"`);
	sendBytes(res, { status: 200, body: document.body, mediaType: document.mediaType });
}

/** A whole reply; its length is told before its bytes. */
export function sendBytes(
	res: ServerResponse,
	reply: {
		readonly status: number;
		readonly body: string | Uint8Array;
		readonly mediaType: string;
	},
): void {
	const { status, body, mediaType } = reply;
	res.statusCode = status;
	res.setHeader("Content-Type", mediaType);
	res.setHeader("Content-Length", Buffer.byteLength(body));
	// Node sends a text in one piece with its headers.
	res.end(body);
}

/** A document with the hash its ETag is made of. */
export function toDocument(mediaType: string, body: string | Uint8Array): ServedDocument {
	return { mediaType, body, hash: createHash("sha256").update(body).digest("hex") };
}

/** Weak: a proxy may compress what it stands for. */
export function toEtag(hash: string): string {
	return `W/"${hash.slice(0, ETAG_CHARS)}"`;
}

/** Sets the headers of a cacheable reply; true when the caller's copy is still good and 304 has been sent. */
export function isStillFresh(req: IncomingMessage, res: ServerResponse, etag: string): boolean {
	res.setHeader("ETag", etag);
	res.setHeader("Cache-Control", PUBLIC_CACHE);
	const known = req.headers["if-none-match"]?.split(",").map((tag) => tag.trim());
	if (!known?.some((tag) => tag === "*" || opaque(tag) === opaque(etag))) return false;
	res.statusCode = 304;
	res.end();
	return true;
}

function opaque(etag: string): string {
	return etag.replace(/^W\//, "");
}
