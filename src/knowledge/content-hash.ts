import { createHash } from "node:crypto";

/** sha256 (hex) of one text or byte string; what ETags are made of. */
export function hashOf(content: string | Uint8Array): string {
	return createHash("sha256").update(content).digest("hex");
}

/** sha256 (hex) over the path and bytes of every file, in path order: two bundles agree exactly when their files do. */
export function hashFiles(files: ReadonlyMap<string, Uint8Array>): string {
	const hash = createHash("sha256");
	for (const path of [...files.keys()].sort()) {
		const bytes = files.get(path) ?? new Uint8Array();
		hash.update(`${Buffer.byteLength(path)}:${path}:${bytes.length}:`).update(bytes);
	}
	return hash.digest("hex");
}
