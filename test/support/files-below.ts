import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

/** Every file below a folder. */
export function filesBelow(folder: string): string[] {
	return readdirSync(folder, { recursive: true })
		.map((name) => join(folder, String(name)))
		.filter((path) => statSync(path).isFile());
}

/** Files below a folder that hold a text, named from there. */
export function filesWith(folder: string, text: string): string[] {
	return filesBelow(folder)
		.filter((path) => readFileSync(path).includes(text))
		.map((path) => relative(folder, path));
}
