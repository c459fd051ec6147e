import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { openDocument, openQuery } from "../../store/sealed-texts.js";
import type { QueryLogRow } from "../../store/store-port.js";

/** Every file below a folder. */
export function filesBelow(folder: string): string[] {
	return readdirSync(folder, { recursive: true })
		.map((name) => join(folder, String(name)))
		.filter((path) => statSync(path).isFile());
}

/** Files below a data folder that hold a text, to those who have its keys; named from there. */
export function filesWith(folder: string, text: string): string[] {
	return filesBelow(folder)
		.filter((path) => readFileSync(path).includes(text) || unsealed(folder, path).includes(text))
		.map((path) => relative(folder, path));
}

/** A file of a data folder as it stands (in Latin-1), and what those who have its keys read in it. */
export function readableText(folder: string, path: string): string {
	return `${readFileSync(path, "latin1")}\n${unsealed(folder, path)}`;
}

/** Files that hold a text as it stands. */
export function rawFilesWith(folder: string, text: string): string[] {
	return filesBelow(folder)
		.filter((path) => readFileSync(path).includes(text))
		.map((path) => relative(folder, path));
}

type Keys = readonly [Uint8Array, ...Uint8Array[]];

function textKeysOf(folder: string): Keys | undefined {
	const path = join(folder, "keys", "text-key");
	if (!existsSync(path)) return undefined;
	const lines = readFileSync(path, "utf8").trim().split("\n");
	return lines.map((line) => Buffer.from(line, "hex")) as unknown as Keys;
}

function unsealed(folder: string, path: string): string {
	const keys = /\/(documents|queries)\//.test(path) ? textKeysOf(folder) : undefined;
	if (!keys) return "";
	const text = readFileSync(path, "utf8");
	const deps = { keys: () => keys };
	if (path.includes("/documents/")) {
		return openDocument(text, basename(path).replace(/\.\d+$/, ""), deps) ?? "";
	}
	const lines = text.split("\n").filter((line) => line.trim() !== "");
	return lines.map((line) => openQuery(JSON.parse(line) as QueryLogRow, deps) ?? "").join("\n");
}
