import { createHash } from "node:crypto";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { filesBelow, findTests, ROOT } from "../support/compiled-tests.mjs";
import { runTest } from "./test-run.mjs";

const KEPT = join(ROOT, ".tap", "mutants.json");
/** One that takes longer would be the last to be asked. */
const TEST_TIMEOUT_MS = 300_000;
const MUTATED = /^(?:payments|store)\//;
const ABOUT_MONEY = /^test\/(?:payments|jobs)\//;
const SERVER = /^src\/(?:app|cli)\//;

/**
 * Which mutants each test reaches, how often, and how much processor time it takes; measured
 * once for each state of the files it imports. `parts` are of the paths of the tests that are asked, of all where it is empty.
 */
export async function measureCoverage({ folders, mutants, say, parts, withServers }) {
	const kept = existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, "utf8")) : {};
	const keys = new Map(mutants.map(({ id, key }) => [id, key]));
	const tests = findTests(parts).filter((test) => parts.length > 0 || withServers || isAsked(test));
	const stale = tests
		.map((test) => ({ test, state: stateOf(test) }))
		.filter(({ test, state }) => kept[test]?.state !== state || kept[test].outcome === "failed");
	let left = stale.length;
	await eachIn(folders, stale, async ({ test, state }, folder) => {
		const { hits, ...run } = await measure(test, folder);
		const reached = Object.entries(hits).map(([id, count]) => [keys.get(id), count]);
		kept[test] = { state, ...run, hits: Object.fromEntries(reached) };
		say(`${--left} tests to be measured; ${test} ${run.outcome} in ${run.seconds.toFixed(1)} s`);
		mkdirSync(dirname(KEPT), { recursive: true });
		writeFileSync(KEPT, JSON.stringify(kept));
	});
	const broken = tests.filter((test) => kept[test].outcome !== "passed");
	// One that fails without a mutant would kill them all.
	for (const test of broken) say(`left out, ${kept[test].outcome} without a mutant: ${test}`);
	return new Map(tests.filter((test) => !broken.includes(test)).map((test) => [test, kept[test]]));
}

/** Works through a list, one item in each folder at a time. */
export async function eachIn(folders, items, work) {
	const queue = [...items];
	await Promise.all(
		folders.map(async (folder) => {
			for (let item = queue.shift(); item !== undefined; item = queue.shift())
				await work(item, folder);
		}),
	);
}

/** One run of a test without a mutant. */
export async function measure(test, folder) {
	const into = mkdtempSync(join(tmpdir(), "mutant-hits-"));
	try {
		const env = { MUTANT_HITS_FOLDER: into };
		const { outcome, wallMs } = await runTest(test, { folder, env, timeoutMs: TEST_TIMEOUT_MS });
		const measured = { outcome, wallMs, seconds: 0, hits: {} };
		for (const file of readdirSync(into)) {
			const { seconds, hits } = JSON.parse(readFileSync(join(into, file), "utf8"));
			measured.seconds += seconds;
			for (const [id, count] of Object.entries(hits))
				measured.hits[id] = (measured.hits[id] ?? 0) + count;
		}
		return measured;
	} finally {
		rmSync(into, { recursive: true, force: true });
	}
}

/**
 * True for a test that imports what is mutated, itself or by its own helpers. Where the server around it runs as well, a mutant takes
 * seconds: such tests are asked only in the folders that are about money, and elsewhere only where they are named or wanted.
 */
function isAsked(test) {
	const imported = [...closureOf(test, (file) => file.startsWith("test/"))];
	if (!imported.some((file) => MUTATED.test(file))) return false;
	return (
		ABOUT_MONEY.test(test) ||
		!(test.includes(".e2e.") || imported.some((file) => SERVER.test(file)))
	);
}

function stateOf(test) {
	const digest = createHash("sha256");
	for (const file of [...closureOf(test, () => true)].sort()) digest.update(textOf(file));
	return digest.digest("base64url");
}

/** The file and all it imports; what `follows` refuses is in it, and its imports are not. */
function closureOf(file, follows) {
	const found = new Set([file]);
	for (const one of found) {
		if (one !== file && !follows(one)) continue;
		for (const imported of importsOf(one)) found.add(imported);
	}
	return found;
}

const texts = new Map();
const sources = new Set(
	["src", "payments", "skills", "store", "test", "agent-card", "bench"].flatMap(filesBelow),
);

function textOf(file) {
	if (!texts.has(file)) texts.set(file, readFileSync(join(ROOT, file), "utf8"));
	return texts.get(file);
}

function importsOf(file) {
	return [...textOf(file).matchAll(/(?:from|import|import\(|new URL\()\s*"(\.[^"]+)"/g)]
		.map(([, name]) => normalize(join(dirname(file), name)).replace(/\.js$/, ".ts"))
		.filter((name) => sources.has(name));
}
