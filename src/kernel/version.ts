import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "./package-root.js";

const manifest = JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8")) as {
	version: string;
};

/** Version of this software; the interface has its own (`INTERFACE_VERSION`). */
export const SOFTWARE_VERSION = manifest.version;
