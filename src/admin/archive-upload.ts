import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Request, Response } from "express";
import { LIMITS } from "../contract/contract.js";
import { parsePlainJson } from "../http/http.js";
import { invalidArgument } from "../kernel/kernel.js";
import type { CommandRow } from "../operator/operator.js";

/** A zip in the body in place of a path on this machine, for operators who are elsewhere. */

export const ARCHIVE_TYPE = "application/zip";

interface Upload {
	readonly folder: string;
	/** The field that names it, with its SHA-256 in place of where it lies. */
	content?: Readonly<Record<string, string>>;
}

const uploads = new WeakMap<Response, Upload>();

/** What came with a request. Where it lay meanwhile must not be shown; its content is what a request sent again has, too. */
export const uploadOf = (response: Response): Upload | undefined => uploads.get(response);

/**
 * Leaves in `request.body` the fields of the query `options`, JSON, and the path of the archive, which is removed with the reply.
 * Throws INVALID_ARGUMENT for one that is too long.
 */
export function takeArchive(field: NonNullable<CommandRow["archive"]>) {
	return async (
		request: Request,
		response: Response,
		{ isAllowed, next }: { readonly isAllowed: boolean; readonly next: () => void },
	): Promise<void> => {
		const options = readOptions(request);
		if (!isAllowed) {
			// Nothing is stored for those whose command will be refused.
			request.body = { ...options, [field]: "upload" };
			return next();
		}
		const folder = await mkdtemp(join(tmpdir(), "tollgraph-upload-"));
		const upload: Upload = { folder };
		uploads.set(response, upload);
		const remove = () => void rm(folder, { recursive: true, force: true });
		response.once("close", remove);
		// Who left meanwhile has closed it before.
		if (response.destroyed) return remove();
		const path = join(folder, "archive.zip");
		const hash = createHash("sha256");
		const bounded = atMost(LIMITS.uploadBytes, (chunk) => hash.update(chunk));
		await pipeline(request, bounded, createWriteStream(path, { mode: 0o600 }));
		upload.content = { [field]: `sha256:${hash.digest("hex")}` };
		request.body = { ...options, [field]: path };
		next();
	};
}

export const isArchive = ({ headers }: Request): boolean =>
	headers["content-type"]?.split(";")[0]?.trim().toLowerCase() === ARCHIVE_TYPE;

function readOptions({ query, headers }: Request): object {
	if (Number(headers["content-length"]) > LIMITS.uploadBytes) throw tooLong();
	const { options = "{}" } = query;
	const read = typeof options === "string" ? parsePlainJson(options, LIMITS.bodyDepth) : undefined;
	if (typeof read === "object" && read !== null && !Array.isArray(read)) return read;
	throw invalidArgument('"options" in the query must be one JSON object.');
}

function atMost(bytesMax: number, read: (chunk: Buffer) => void): Transform {
	let bytes = 0;
	return new Transform({
		transform(chunk: Buffer, _encoding, done) {
			bytes += chunk.length;
			if (bytes > bytesMax) return done(tooLong());
			read(chunk);
			done(null, chunk);
		},
	});
}

const tooLong = () =>
	invalidArgument(
		`The archive must have at most ${LIMITS.uploadBytes / 1024 ** 2} MiB; import a larger one from a path on the server's machine.`,
	);
