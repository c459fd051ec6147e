#!/usr/bin/env node
// `npm run check:package`: packs server and client, installs both from their tarballs alone with nothing to reach and an empty cache, serves from
// there, sells a search and an imported folder, has the client ask it within a limit and be refused above it, and says what it weighs and takes. --tarball <file> takes a packed one, --json prints one line. Exit code 1 when a promise is broken.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** Packages, maps, sources, tests. */
const UNNEEDED =
	/(?:^|\/)node_modules\/|\.map$|(?<!\.d)\.ts$|^package\/(?:test|bench|src|skills)\//;

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { values } = parseArgs({
	options: {
		tarball: { type: "string" },
		json: { type: "boolean", default: false },
		"limit-mib": { type: "string", default: "250" },
	},
});
const folder = mkdtempSync(join(tmpdir(), "tollgraph-package-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const packingMs = performance.now();
const tarball = values.tarball ? resolve(values.tarball) : pack(root);
const clientTarball = pack(join(root, "client"));
const packMs = Math.round(performance.now() - packingMs);
const unneeded = listFiles(tarball).filter((path) => UNNEEDED.test(path));
if (unneeded.length > 0) fail(`It has what no one needs: ${unneeded.slice(0, 5).join(", ")}.`);
const prefix = join(folder, "prefix");
const home = join(folder, "home");
mkdirSync(home);
/** Nothing of this user's settings, no cache, no registry. */
const nothing = {
	PATH: process.env["PATH"],
	HOME: home,
	npm_config_cache: join(folder, "cache"),
	npm_config_registry: "http://127.0.0.1:9",
	npm_config_update_notifier: "false",
};
const isCutOff = spawnSync("unshare", ["-n", "true"]).status === 0;
const begunMs = performance.now();
runCutOff(["npm", "install", "--global", "--prefix", prefix, tarball]);
const installMs = Math.round(performance.now() - begunMs);
const packages = readdirSync(join(prefix, "lib", "node_modules"));
const installedMib = measureMib(prefix);
const shop = useShop(["--client", clientTarball]);
// The demo chain is a package of its own: installed beside, it is found.
const chain = join(root, "node_modules", "@foundry-rs");
const isChainTried = existsSync(chain);
if (isChainTried) {
	const beside = join(prefix, "lib", "node_modules", "@foundry-rs");
	cpSync(chain, beside, { recursive: true });
}
const paidByWallet = isChainTried ? useShop(["--wallet"]).paidByWallet : "not tried: no anvil here";
const figures = {
	tarballMib: toMib(statSync(tarball).size),
	clientKib: Math.round(statSync(clientTarball).size / 2 ** 10),
	packMs,
	installedMib,
	installMs,
	packages,
	isCutOff,
	...shop,
	paidByWallet,
};
process.stdout.write(`${JSON.stringify(figures, undefined, values.json ? undefined : "\t")}\n`);
const limitMib = Number(values["limit-mib"]);
if (installedMib > limitMib) fail(`It takes ${installedMib} MiB; ${limitMib} are allowed.`);
if (packages.length !== 1) fail(`It brought packages with it: ${packages.join(", ")}.`);

function pack(of) {
	const args = ["pack", "--json", "--pack-destination", folder];
	const packed = execFileSync("npm", args, {
		cwd: of,
		encoding: "utf8",
		stdio: ["ignore", "pipe", "inherit"],
	});
	// What runs before packing may say something, too.
	const [{ filename }] = JSON.parse(packed.slice(packed.indexOf("[")));
	return join(folder, filename);
}

function listFiles(path) {
	return execFileSync("tar", ["-tzf", path], { encoding: "utf8" }).trim().split("\n");
}

function useShop(args) {
	const script = join(root, "test", "packaging", "use-installed.mjs");
	const command = [process.execPath, script, prefix, ...args];
	return JSON.parse(runCutOff(command));
}

/** In a network of its own, which has loopback and nothing else, where this user may make one. */
function runCutOff(command) {
	const cut = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
	const [program, ...args] = isCutOff ? [...cut, ...command] : command;
	const { status, stdout } = spawnSync(program, args, {
		cwd: home,
		env: nothing,
		encoding: "utf8",
		stdio: ["ignore", "pipe", "inherit"],
	});
	if (status !== 0) fail(`${command.join(" ")} ended with ${status}.`);
	return stdout;
}

/** As disks count it. */
function measureMib(path) {
	return Number(execFileSync("du", ["-sm", path], { encoding: "utf8" }).split("\t")[0]);
}

function toMib(bytes) {
	return Math.round(bytes / 2 ** 20);
}

function fail(message) {
	process.stderr.write(`${message}\n`);
	process.exit(1);
}
