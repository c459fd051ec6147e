// Which packages are in a bundle, and what their licenses ask to be passed on with it.
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

const LICENSE_FILE = /^(?:licen[cs]e|notice|copying|third-?party-?notices)/i;

/** Every package with code in the outputs that the metafiles describe, by name and version, with the text of its license. */
export async function listPackages(folder, metafiles) {
	const inputs = metafiles.flatMap(({ outputs }) =>
		Object.values(outputs).flatMap((output) => Object.entries(output.inputs)),
	);
	const files = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
	const folders = new Set(files.map((path) => packageFolder(resolve(folder, path))));
	folders.delete(undefined);
	const packages = await Promise.all([...folders].map(readPackage));
	const byId = new Map(packages.map((found) => [`${found.name}@${found.version}`, found]));
	return [...byId.values()].sort(
		(a, b) => compare(a.name, b.name) || compare(a.version, b.version),
	);
}

/** One text for all of them, each license below the packages it stands for. */
export function toLicenseText(packages) {
	const parts = packages.map(({ name, version, license, texts }) =>
		[`${name} ${version} (${license})`, ...texts].join("\n\n"),
	);
	return `${["The files in this folder contain these packages.", ...parts].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

/** The folder of the package that a file is in; undefined for files of our own. What a package has copied into itself is part of it. */
function packageFolder(path) {
	const [folder] = path.match(/^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/) ?? [];
	if (folder === undefined || existsSync(join(folder, "package.json"))) return folder;
	return packageFolder(dirname(dirname(folder)));
}

async function readPackage(folder) {
	const { name, version, license } = JSON.parse(
		await readFile(join(folder, "package.json"), "utf8"),
	);
	const names = (await readdir(folder)).filter((entry) => LICENSE_FILE.test(entry)).sort();
	const texts = await Promise.all(names.map((entry) => readText(join(folder, entry))));
	return { name, version, license: license ?? "see below", texts: texts.filter(Boolean) };
}

async function readText(path) {
	try {
		return (await readFile(path, "utf8")).trim();
	} catch (error) {
		// Some packages have a folder of that name.
		if (error.code === "EISDIR") return "";
		throw error;
	}
}

function compare(a, b) {
	return a < b ? -1 : Number(a > b);
}
