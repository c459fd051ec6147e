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

const folders = new WeakMap<Response, string>();

/** What must not be shown of where an upload lay meanwhile. */
export const uploadFolderOf = (response: Response): string | undefined => folders.get(response);

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
		if (!isAllowed) {
			// Nothing is stored for those whose command will be refused.
			request.body = { ...readOptions(request), [field]: "upload" };
			return next();
		}
		const folder = await mkdtemp(join(tmpdir(), "tollgraph-upload-"));
		folders.set(response, folder);
		response.once("close", () => void rm(folder, { recursive: true, force: true }));
		const path = join(folder, "archive.zip");
		const options = readOptions(request);
		await pipeline(request, atMost(LIMITS.uploadBytes), createWriteStream(path, { mode: 0o600 }));
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

function atMost(bytesMax: number): Transform {
	let bytes = 0;
	return new Transform({
		transform(chunk: Buffer, _encoding, done) {
			bytes += chunk.length;
			if (bytes > bytesMax) done(tooLong());
			else done(null, chunk);
		},
	});
}

const tooLong = () =>
	invalidArgument(
		`The archive must have at most ${LIMITS.uploadBytes / 1024 ** 2} MiB; import a larger one from a path on the server's machine.`,
	);
