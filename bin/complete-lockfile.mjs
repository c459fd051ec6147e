#!/usr/bin/env node
// Names every optional platform package in package-lock.json, also those the registry at hand does not carry:
// npm leaves such packages out, and `npm ci` then refuses the lockfile. Every entry gets the integrity that the registry tells,
// so that no machine installs what others did not. Run it after `npm install`.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const SYSTEMS = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"];
const PROCESSORS = ["arm64", "arm", "ia32", "ppc64", "riscv64", "s390x", "x64", "wasm32"];

const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
const added = {};
for (const entry of Object.values(lock.packages)) {
	for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
		const path = `node_modules/${name}`;
		const system = SYSTEMS.find((candidate) => name.includes(`-${candidate}`));
		if (lock.packages[path] || !system || !/^\d/.test(version)) continue;
		const processor = PROCESSORS.find((candidate) => name.includes(`-${candidate}`));
		added[path] = {
			version,
			...(processor && { cpu: [processor] }),
			...(entry.dev && { dev: true }),
			optional: true,
			os: [system],
		};
	}
}
const packages = Object.entries({ ...lock.packages, ...added });
let completed = 0;
for (const [at, [path, entry]] of packages.entries()) {
	if (!path.startsWith("node_modules/") || entry.link || entry.integrity) continue;
	const name = entry.name ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
	const options = { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
	const order = ["view", `${name}@${entry.version}`, "dist.integrity"];
	const { version, ...rest } = entry;
	let integrity = "";
	try {
		integrity = execFileSync("npm", order, options).trim();
	} catch {
		// Said below, with those that the registry has without one.
	}
	if (integrity === "") {
		process.stderr.write(`${name}@${version}: the registry at hand has no integrity of it\n`);
		process.exitCode = 1;
		continue;
	}
	packages[at][1] = { version, integrity, ...rest };
	completed += 1;
}
lock.packages = Object.fromEntries(packages.sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync("package-lock.json", `${JSON.stringify(lock, undefined, "\t")}\n`);
process.stderr.write(
	`${Object.keys(added).length} packages named, ${completed} with an integrity they lacked\n`,
);
