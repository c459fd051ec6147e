#!/usr/bin/env node
// `npm run check:vendored`: are the files that others made, or that were made from what others made, those that vendor/SOURCES.json lists,
// with source, license and checksum? Exit code 1 when not. --write takes the checksums of files in folders that are listed.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const LIST = "vendor/SOURCES.json";
const FOLDERS = ["contracts", "feeds", "models", "vendor"];

export function readVendoredList(root = ROOT) {
	return JSON.parse(readFileSync(join(root, LIST), "utf8"));
}

/** What differs between the list and the files, a sentence each; `files` are those to be listed. */
export function compareVendored(list, { files, checksumOf }) {
	const listed = new Map(list.flatMap(({ files }) => Object.entries(files)));
	const incomplete = list.filter(({ source, license }) => !source || !license);
	return [
		...incomplete.map(({ folder }) => `${folder} has no source or no license.`),
		...files.filter((file) => !listed.has(file)).map((file) => `${file} is not listed.`),
		...[...listed.keys()]
			.filter((file) => !files.includes(file))
			.map((file) => `${file} is listed, and not there.`),
		...files
			.filter((file) => listed.has(file) && listed.get(file) !== checksumOf(file))
			.map((file) => `${file} has changed.`),
	];
}

/** Every file of the folders, as git knows them, but for the list itself. */
export function listVendored(root = ROOT) {
	const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", ...FOLDERS];
	const names = execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\0");
	return names.filter((name) => name !== "" && name !== LIST).sort();
}

export function checksumOf(path) {
	return createHash("sha256").update(readFileSync(path)).digest("hex");
}

export function checkVendored(root = ROOT) {
	return compareVendored(readVendoredList(root), {
		files: listVendored(root),
		checksumOf: (file) => checksumOf(join(root, file)),
	});
}

function write() {
	const files = listVendored();
	const list = readVendoredList().map((entry) => {
		const own = files.filter((file) => file.startsWith(`${entry.folder}/`));
		const sums = own.map((file) => [file, checksumOf(join(ROOT, file))]);
		return { ...entry, files: Object.fromEntries(sums) };
	});
	writeFileSync(join(ROOT, LIST), `${JSON.stringify(list, undefined, "\t")}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	if (process.argv.includes("--write")) write();
	const findings = checkVendored();
	for (const finding of findings) process.stdout.write(`${finding}\n`);
	process.exitCode = findings.length > 0 ? 1 : 0;
}
