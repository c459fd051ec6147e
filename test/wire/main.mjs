/**
 * Shows that two checkouts answer alike: `npm run wire -- record --root <checkout> --out <file>`, `compare <before> <after>`, or
 * `check --base <git ref>` for both at once. It knows nothing of the sources: it starts servers by their commands and speaks HTTP.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { withCurrentNames } from "./aliases.mjs";
import { canonical, compare, sortOut } from "./compare.mjs";
import { record } from "./record.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(HERE, "../..");
const SHOWN_CHARS = 400;
const FOUND_SOMETHING = 3;
const USAGE = `npm run wire -- record --root <checkout> --out <file.json>
npm run wire -- compare <before.json> <after.json> [--allowed <file.json>]
npm run wire -- check --base <git ref>`;

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		root: { type: "string", default: ROOT },
		out: { type: "string" },
		base: { type: "string" },
		allowed: { type: "string", default: join(HERE, "allowed.json") },
	},
});
const [command, ...files] = positionals;
if (command === "record" && values.out) await recordInto(values.root, values.out);
else if (command === "compare" && files.length === 2) report(...files.map(readSnapshot));
else if (command === "check" && values.base) await check(values.base);
else {
	process.stderr.write(`${USAGE}\n`);
	process.exitCode = 2;
}

async function recordInto(root, file) {
	const snapshot = await record(resolve(root));
	writeFileSync(file, `${canonical(snapshot, "\t")}\n`);
	say(`${Object.keys(snapshot.exchanges).length} exchanges of ${root} are in ${file}`);
}

/** Records another commit in a worktree of its own, with the packages installed here. */
async function check(ref) {
	const folder = mkdtempSync(join(tmpdir(), "tollgraph-wire-"));
	const [base, before, after] = ["base", "before.json", "after.json"].map((name) =>
		join(folder, name),
	);
	const git = (...words) => execFileSync("git", words, { cwd: ROOT, stdio: "ignore" });
	try {
		git("worktree", "add", "--detach", base, ref);
		linkPackages(join(ROOT, "node_modules"), join(base, "node_modules"));
		await recordInto(base, before);
		await recordInto(ROOT, after);
		report(readSnapshot(before), readSnapshot(after));
	} finally {
		if (existsSync(base)) git("worktree", "remove", "--force", base);
		rmSync(folder, { recursive: true, force: true });
	}
}

/** Hard links where both lie on one disk, else copies: the compiler follows a symbolic link and finds types in a foreign place. */
function linkPackages(from, to) {
	try {
		execFileSync("cp", ["-al", from, to], { stdio: "ignore" });
	} catch {
		rmSync(to, { recursive: true, force: true });
		execFileSync("cp", ["-a", from, to]);
	}
}

function report(before, after) {
	const { unexpected, stale, expected } = sortOut(
		compare(before.exchanges, after.exchanges),
		readJson(values.allowed),
	);
	for (const difference of unexpected) {
		say(`${difference.path}: ${difference.kind}`);
		if ("before" in difference) say(`  before: ${shorten(difference.before)}`);
		if ("after" in difference) say(`  after:  ${shorten(difference.after)}`);
	}
	for (const { path, reason } of stale)
		say(`stale: nothing differs at ${path} any more (${reason})`);
	say(`${unexpected.length} differences, ${expected} expected ones, ${stale.length} stale entries`);
	if (unexpected.length > 0) process.exitCode = FOUND_SOMETHING;
}

function shorten(value) {
	const text = canonical(value);
	return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}… (${text.length})` : text;
}

function readJson(file) {
	return JSON.parse(readFileSync(file, "utf8"));
}

function readSnapshot(file) {
	return JSON.parse(withCurrentNames(readFileSync(file, "utf8")));
}

function say(line) {
	process.stdout.write(`${line}\n`);
}
