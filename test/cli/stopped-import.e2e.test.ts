import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import t, { type Test } from "tap";
import { type App, createApp } from "../../src/app/create-app.js";
import { runDoctor } from "../../src/cli/doctor.js";
import { writeServerFile } from "../../src/cli/operator-client.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { filesBelow } from "../support/files-below.js";
import { PROGRAM } from "../support/server-process.js";
import { startApp, testSettings } from "../support/start-app.js";
import { times } from "../support/times.js";

const as = "tides";
const SIGNAL_AT_STEP = join(PACKAGE_ROOT, "test/support/signal-at-step.mjs");
const SETTINGS = { model: "none", catalog: "none" } as const;

const note = (index: number, more: string) =>
	`# Note ${index} of the harbor\n\nWater number ${index} rises. See [the next](note-${index + 1}.md).${more}\n`;
const notes = (count: number, more = "") =>
	Object.fromEntries(times(count, (index) => [`note-${index}.md`, note(index, more)]));

interface Step {
	readonly name: string;
	/** The change of files before which the process is stopped: the `nth` that matches. */
	readonly step: string;
	readonly nth?: number;
}

const FIRST: readonly Step[] = [
	{ name: "half of the files are written", step: "writeFile .*/graphs/.*md$", nth: 20 },
	{ name: "the folder takes its name", step: "rename .*/graphs/tides$" },
	{ name: "its first version is noted", step: "rename .*/graph-history/tides/1$" },
	{ name: "the index is exchanged", step: "rename .*/index/manifest.json$" },
];
const UPDATE: readonly Step[] = [
	{ name: "half of what is replaced is kept", step: "writeFile .*/graph-history/.*new", nth: 20 },
	{ name: "the version is noted", step: "rename .*/graph-history/tides/2$" },
	{ name: "half of the files are staged", step: "writeFile .*/graphs/.*new", nth: 20 },
	{ name: "the plan is made", step: "rename .*/graphs/.*/changes.json$" },
	{ name: "the first file is removed", step: "unlink .*/graphs/tides/" },
	{ name: "half of the files are in place", step: "rename .*/graphs/tides/", nth: 20 },
	{ name: "the plan is carried out", step: "unlink .*/graphs/.*/changes.json$" },
	{ name: "the index is exchanged", step: "rename .*/index/manifest.json$" },
];

/** Runs an import that sends itself a signal at one of its steps. */
async function importUntil(
	{ step, nth = 1 }: Step,
	signal: NodeJS.Signals,
	args: readonly string[],
) {
	const hook = pathToFileURL(SIGNAL_AT_STEP);
	hook.search = String(new URLSearchParams({ step, nth: String(nth), signal }));
	const child = spawn(process.execPath, [`--import=${hook}`, PROGRAM, "import", ...args], {
		cwd: PACKAGE_ROOT,
		stdio: ["ignore", "ignore", "pipe"],
		env: { ...process.env, NODE_OPTIONS: "" },
	});
	const [stderr, [code, by]] = await Promise.all([text(child.stderr), once(child, "exit")]);
	return { code, by, stderr };
}

const onSaleOf = ({ catalog }: App) =>
	JSON.stringify(catalog.list().map(({ contentHash, concepts }) => [contentHash, concepts]));

/** Every concept on sale with what it says, as a start finds it, and what `graphs check` finds of them. */
async function lookAt(data: string) {
	const logger = { info: () => undefined, error: () => undefined };
	const app = await createApp({ settings: testSettings(data, SETTINGS), logger });
	await app.ready();
	const found = app.catalog.list();
	for (const { record, concepts } of found) {
		const { concepts: checked } = await app.operator.checkGraph({ graph_id: record.id });
		if (checked !== concepts.length) throw new Error(`${checked} of ${concepts.length} concepts`);
	}
	return { app, onSale: onSaleOf(app) };
}

const onSaleIn = async (data: string) => {
	const { app, onSale } = await lookAt(data);
	await app.close();
	return onSale;
};

/** Returns what was on sale before. */
async function importAgain(t: Test, data: string, source: string, wanted: string) {
	const { app, onSale } = await lookAt(data);
	await app.operator.importGraph({ source, as, update: true });
	t.equal(onSaleOf(app), wanted, "the next import is whole");
	await app.close();
	const { checks } = await runDoctor(testSettings(data, SETTINGS));
	// Without an encoder every server counts as degraded.
	t.same(
		checks.filter(({ ok, name }) => !ok && name !== "health"),
		[],
	);
	const left = filesBelow(data).filter((path) => /(^|\/)\.[^/]+-\w{6}\//.test(path));
	t.same(left, [], "nothing is left behind");
	return onSale;
}

for (const [kind, steps, more] of [
	["a first import", FIRST, []],
	["an update", UPDATE, ["--update"]],
] as const) {
	t.test(`${kind} that is stopped at any step leaves the old graph or the new one`, async (t) => {
		const root = realpathSync(t.testdir({ old: notes(41), next: notes(40, " It was measured.") }));
		const [base, whole, next] = ["base", "whole", "next"].map((name) => join(root, name)) as [
			string,
			string,
			string,
		];
		const { app } = await lookAt(base);
		if (kind === "an update") await app.operator.importGraph({ source: join(root, "old"), as });
		await app.close();
		const before = await onSaleIn(base);
		cpSync(base, whole, { recursive: true });
		const done = await lookAt(whole);
		await done.app.operator.importGraph({ source: next, as, update: kind === "an update" });
		await done.app.close();
		const after = await onSaleIn(whole);
		t.not(after, before);

		const seen = new Set<string>();
		const args = [next, "--as", as, ...more, "--model", "none", "--catalog", "none"];
		const stop = async (step: Step, signal: NodeJS.Signals) => {
			const data = join(root, "data");
			rmSync(data, { recursive: true, force: true });
			cpSync(base, data, { recursive: true });
			const { code, by, stderr } = await importUntil(step, signal, [...args, "--data", data]);
			const name = `${signal} before ${step.name}`;
			t.notMatch(stderr, /^ {4}at /m, name);
			t.strictSame([code, by], signal === "SIGINT" ? [130, null] : [null, signal], name);
			const now = await importAgain(t, data, next, after);
			seen.add(now);
			const wanted = signal === "SIGINT" ? [before] : [before, after];
			t.ok(wanted.includes(now), `${name}: ${now.slice(0, 200)}`);
		};
		for (const step of steps) await stop(step, "SIGKILL");
		// Once searches see the new graph, it is the new one that stays.
		for (const step of steps) await stop(step, "SIGINT");
		t.same(seen, new Set([before, after]), "both were seen");
	});
}

t.test("a command that is stopped while a server works for it stops the work", async (t) => {
	const root = realpathSync(t.testdir({ old: notes(3), next: notes(3, " It was measured.") }));
	const data = join(root, "data");
	const { app, baseUrl } = await startApp(t, { folder: data, settings: SETTINGS });
	await app.operator.importGraph({ source: join(root, "old"), as });
	const { contentHash } = app.catalog.get(as);
	writeServerFile(data, { admin_url: `${baseUrl}/v1/admin`, token: app.adminToken });

	const { sync } = app.search;
	let stop = () => false;
	app.search.sync = async (graphs, options) => {
		await sync(graphs, options);
		if (options?.vectors === "background") return;
		app.search.sync = sync;
		stop();
		// Its vectors take as long as the command is there.
		await ended;
	};
	const args = ["import", join(root, "next"), "--as", as, "--update", "--data", data];
	const child = spawn(process.execPath, [PROGRAM, ...args], {
		cwd: PACKAGE_ROOT,
		stdio: ["ignore", "ignore", "pipe"],
		env: { ...process.env, NODE_OPTIONS: "" },
	});
	stop = () => child.kill("SIGINT");
	const ended = once(child, "exit");
	const [said, code] = await Promise.all([text(child.stderr), ended]);
	t.strictSame(code, [130, null]);
	t.match(said, /^tollgraph: The work was stopped\. Unless it was done by then, .* is on sale/);
	// Imports run one after the other: what was stopped is undone before this one begins.
	await app.operator.importGraph({ source: join(root, "old"), as: "other" });
	t.equal(app.catalog.get(as).contentHash, contentHash);
});

const hasScript = spawnSync("script", ["--version"]).status === 0;

t.test(
	"Ctrl-C at the question of an update ends it with nothing changed",
	{ skip: !hasScript && "needs the script of util-linux, for a terminal" },
	async (t) => {
		const root = realpathSync(t.testdir({ old: notes(3), wrong: { "a.md": "# A\n\nNot it." } }));
		const data = join(root, "data");
		const { app } = await lookAt(data);
		await app.operator.importGraph({ source: join(root, "old"), as });
		await app.close();
		const before = await onSaleIn(data);
		const flags = `--model none --catalog none --data ${data}`;
		const line = `${process.execPath} ${PROGRAM} import ${root}/wrong --as ${as} --update ${flags}`;
		const child = spawn("script", ["-qec", line, "/dev/null"], {
			cwd: PACKAGE_ROOT,
			stdio: ["pipe", "pipe", "ignore"],
			env: { ...process.env, NODE_OPTIONS: "" },
		});
		let shown = "";
		child.stdout.on("data", (chunk) => {
			const wasAsked = shown.includes("[y/N]");
			shown += chunk;
			if (!wasAsked && shown.includes("[y/N]")) child.stdin.write("\u0003");
		});
		t.strictSame(await once(child, "close"), [130, null]);
		t.match(shown, /tollgraph: Nothing has changed\./);
		t.notMatch(shown, /^ {4}at /m);
		t.equal(await onSaleIn(data), before);
	},
);
