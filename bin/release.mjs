#!/usr/bin/env node
// `npm run release -- --dry-run`: checks that everything is committed, that the change log has this version and that vendored files are
// those listed; builds, packs, and lays the package, its bill of materials, what is vendored and their checksums out in dist.release/.
// Nothing is published. Without --dry-run the commit is tagged as well. --json prints one line; exit code 1 when a check finds something.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { toBillOfMaterials } from "./bill-of-materials.mjs";
import { checksumOf, checkVendored } from "./vendored-files.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, "dist.release");
const { values } = parseArgs({
	options: {
		"dry-run": { type: "boolean", default: false },
		json: { type: "boolean", default: false },
	},
});
const { name, version } = readJson("package.json");

const findings = [...checkTree(), ...checkVersion(), ...checkVendored(root)];
for (const finding of findings) process.stderr.write(`${finding}\n`);
// A dry run shows all there is to see.
if (findings.length > 0 && !values["dry-run"]) process.exit(1);

rmSync(target, { recursive: true, force: true });
mkdirSync(target);
run("npm", ["pack", "--pack-destination", target], { stdio: ["ignore", 2, 2] });
const bom = JSON.parse(run("npm", ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"]));
const bundled = readJson("dist/bundle/packages.json");
writeJson("sbom.cdx.json", toBillOfMaterials(bom, bundled, { name, version }));
copyFileSync(join(root, "vendor", "SOURCES.json"), join(target, "vendored.json"));
const files = readdirSync(target).sort();
const sums = files.map((file) => `${checksumOf(join(target, file))}  ${file}\n`);
writeFileSync(join(target, "SHA256SUMS"), sums.join(""));
if (!values["dry-run"]) run("git", ["tag", "-a", `v${version}`, "-m", `${name} ${version}`]);

const result = { name, version, folder: target, files: [...files, "SHA256SUMS"], findings };
process.stdout.write(
	values.json
		? `${JSON.stringify(result)}\n`
		: `${sums.join("")}${name} ${version} lies in ${target}; nothing is published.\n`,
);
process.exitCode = findings.length > 0 ? 1 : 0;

function checkTree() {
	const changed = run("git", ["status", "--porcelain"]).trim();
	return changed === "" ? [] : [`Not everything is committed: ${changed.split("\n")[0].trim()}.`];
}

/** The version has its section, the newest of all, with something in it, and nothing waits for another one. */
function checkVersion() {
	const text = readFileSync(join(root, "CHANGELOG.md"), "utf8");
	const sections = text.split(/^## /m).slice(1);
	const [unreleased, ...released] = sections[0]?.startsWith("Unreleased")
		? sections
		: ["", ...sections];
	const [title = "", ...lines] = (released[0] ?? "").split("\n");
	const isThere = title.split(" ")[0] === version && lines.some((line) => line.startsWith("- "));
	return [
		...(isThere ? [] : [`CHANGELOG.md has no section ${version} with changes at its top.`]),
		...(/^- /m.test(unreleased) ? ["CHANGELOG.md has changes that are in no version."] : []),
	];
}

function readJson(path) {
	return JSON.parse(readFileSync(join(root, path), "utf8"));
}

function writeJson(file, value) {
	writeFileSync(join(target, file), `${JSON.stringify(value, undefined, "\t")}\n`);
}

function run(program, args, options = {}) {
	const stdio = ["ignore", "pipe", "inherit"];
	return execFileSync(program, args, { cwd: root, encoding: "utf8", stdio, ...options });
}
