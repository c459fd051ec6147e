import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Folder of this package's package.json, the same from the sources and from `dist`. */
export const PACKAGE_ROOT = findPackageRoot(dirname(fileURLToPath(import.meta.url)));

function findPackageRoot(start: string): string {
	for (let folder = start; ; folder = dirname(folder)) {
		if (existsSync(join(folder, "package.json"))) return folder;
		if (folder === dirname(folder)) throw new Error("tollgraph's package.json is missing.");
	}
}

const manifest = JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8")) as {
	version: string;
};

/** Version of this software; the interface has its own (`INTERFACE_VERSION`). */
export const SOFTWARE_VERSION = manifest.version;
