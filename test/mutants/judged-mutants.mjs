import { eachIn } from "./coverage.mjs";
import { runTest } from "./test-run.mjs";

/** A machine that others share may take several times as long as when the test was measured; endless loops end by their hits. */
const TIMEOUT_FACTOR = 4;
const TIMEOUT_ADDED_MS = 60_000;
/** A mutant that is reached so many times as often as before is in a loop without end. */
const HITS_FACTOR = 100;

/**
 * Runs the tests that reach each mutant, those first that are likely to notice soon, until one fails. One that none has noticed which
 * take `budgetSeconds` together counts as survived, whatever the rest would say.
 */
export async function judgeMutants(mutants, { folders, coverage, say, endsMs, budgetSeconds }) {
	const judged = [];
	const order = createOrder(coverage);
	await eachIn(folders, mutants, async (mutant, folder) => {
		if (Date.now() > endsMs) return;
		const result = await judge(mutant, { folder, coverage, order, budgetSeconds });
		judged.push({ ...mutant, ...result });
		if (result.status !== "killed") say(`${result.status}: ${mutant.at} ${shortOf(mutant)}`);
		if (judged.length % 25 === 0) say(`${judged.length} of ${mutants.length} judged`);
	});
	return judged;
}

const shortOf = ({ mutator, replacement }) =>
	`${mutator} ${replacement.replace(/\s+/g, " ").slice(0, 100)}`;

async function judge({ id, key, file }, { folder, coverage, order, budgetSeconds }) {
	const tests = order.of(file, (test) => coverage.get(test).hits[key] !== undefined);
	if (tests.length === 0) return { status: "no coverage" };
	let spent = 0;
	for (const [index, test] of tests.entries()) {
		const { seconds, wallMs, hits } = coverage.get(test);
		spent += seconds;
		if (index > 0 && spent > budgetSeconds)
			return { status: "survived", notRun: tests.length - index };
		const env = {
			__STRYKER_ACTIVE_MUTANT__: id,
			MUTANT_HIT_LIMIT: String(hits[key] * HITS_FACTOR),
		};
		const timeoutMs = wallMs * TIMEOUT_FACTOR + TIMEOUT_ADDED_MS;
		const { outcome } = await runTest(test, { folder, env, timeoutMs });
		order.note(file, test, outcome !== "passed");
		if (outcome !== "passed")
			return { status: outcome === "timeout" ? "timeout" : "killed", by: test };
	}
	return { status: "survived", notRun: 0 };
}

/**
 * Most kills for the time first, by what each test did to other mutants of the file; before that is known, by how much of what it
 * reaches lies in the file.
 */
function createOrder(coverage) {
	const shares = new Map([...coverage].map(([test, { hits }]) => [test, sharesOf(hits)]));
	const notes = new Map();
	const notesOf = (file, test) => notes.get(`${file} ${test}`) ?? { kills: 0, runs: 0 };
	const worth = (file, test) => {
		const { kills, runs } = notesOf(file, test);
		const likely = (kills + Math.sqrt(shares.get(test).get(file) ?? 0)) / (runs + 1);
		return likely / (coverage.get(test).seconds + 0.2);
	};
	return {
		of: (file, reaches) =>
			[...coverage.keys()].filter(reaches).sort((a, b) => worth(file, b) - worth(file, a)),
		note(file, test, isKill) {
			const { kills, runs } = notesOf(file, test);
			notes.set(`${file} ${test}`, { kills: kills + (isKill ? 1 : 0), runs: runs + 1 });
		},
	};
}

function sharesOf(hits) {
	const files = Object.keys(hits).map((key) => key.slice(0, key.indexOf(":")));
	const shares = new Map();
	for (const file of files) shares.set(file, (shares.get(file) ?? 0) + 1 / files.length);
	return shares;
}
