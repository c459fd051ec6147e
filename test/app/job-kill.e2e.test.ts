import { once } from "node:events";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { PASSES_OF } from "../../skills/deep-dive/plan.js";
import { createApp } from "../../src/app/create-app.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { type ServerProcess, startServerProcess } from "../support/server-process.js";
import { testSettings } from "../support/start-app.js";

const AT = "/v1/research/deep-dive";
const GRAPH = "agent-payments";
const RANK: Readonly<Record<string, number>> = { queued: 0, running: 1, completed: 2 };

interface Told {
	readonly status: string;
	readonly percent: number;
	readonly pass: string | null;
	readonly pass_number: number;
	readonly passes: number;
}

interface Dive {
	readonly mode: "fast" | "comprehensive";
	readonly priceMicros: bigint;
	readonly account: `rev:${string}`;
	/** Passes in which its server is killed; each start takes seconds. */
	readonly kills: (passes: number) => readonly number[];
}

const DIVES: readonly Dive[] = [
	{
		mode: "fast",
		priceMicros: 10_000_000n,
		account: "rev:deep_research_light",
		kills: (passes) => [Math.ceil(passes / 2), passes],
	},
	{
		mode: "comprehensive",
		priceMicros: 15_000_000n,
		account: "rev:deep_research_heavy",
		// Two that the fast one does not have.
		kills: () => OF_ITS_OWN.map((pass) => PASSES_OF.comprehensive.indexOf(pass) + 1),
	},
];
const OF_ITS_OWN = ["round_3", "feeds"] as const;

function passesToKill({ kills }: Dive, passes: number): readonly number[] {
	const every = Array.from({ length: passes }, (_, index) => index + 1);
	return process.env["JOB_KILL_EVERY_PASS"] ? every : kills(passes);
}

/** Asks again and again until a pass is begun, or the job has ended; what was reported last. */
async function pollUntil(server: ServerProcess, path: string, pass: number): Promise<Told[]> {
	const told: Told[] = [];
	for (;;) {
		const response = await fetch(`${server.ready.base_url}${path}`, {
			headers: { "X-Pay-SPT": server.ready.demo_spt },
		});
		const { data, error } = (await response.json()) as { data: Told; error?: object };
		if (error) throw new Error(JSON.stringify(error));
		told.push(data);
		if (data.pass_number >= pass || data.status === "completed") return told;
	}
}

for (const dive of DIVES) {
	const { mode, priceMicros, account } = dive;
	const title = `a ${mode} deep dive whose server is killed goes on, is charged once and never goes back`;
	t.test(title, async (t) => {
		const base = t.testdir({});
		const [folder, catalog] = [join(base, "data"), join(base, "catalog")];
		// One graph of the sample: a server with few graphs starts sooner.
		await cp(join(PACKAGE_ROOT, "graphs", GRAPH), join(catalog, GRAPH), { recursive: true });
		const args = ["--data", folder, "--catalog", catalog, "--model", "none"];
		let server = await startServerProcess(args);
		const launch = async (): Promise<{ data: Told & { job_id: string } }> => {
			const response = await fetch(`${server.ready.base_url}${AT}`, {
				method: "POST",
				headers: {
					"Content-Type": "application/json",
					"X-Pay-SPT": server.ready.demo_spt,
					"Idempotency-Key": "one-dive",
				},
				body: JSON.stringify({ query: "How do agents pay for what they call?", mode }),
			});
			return (await response.json()) as { data: Told & { job_id: string } };
		};
		const { data: job } = await launch();
		const path = `${AT}/status/${job.job_id}`;
		const told: Told[] = [job];
		const killed: (string | null)[] = [];
		for (const pass of passesToKill(dive, job.passes)) {
			told.push(...(await pollUntil(server, path, pass)));
			killed.push(told.at(-1)?.pass ?? null);
			server.child.kill("SIGKILL");
			await once(server.child, "exit");
			server = await startServerProcess(args);
		}
		told.push(...(await pollUntil(server, path, Number.POSITIVE_INFINITY)));
		t.equal((await launch()).data.job_id, job.job_id, "its key is still its key");
		server.child.kill("SIGKILL");
		await once(server.child, "exit");

		for (const [index, { status, percent, pass_number }] of told.entries()) {
			const before = told[index - 1];
			if (!before) continue;
			const isForward =
				(RANK[status] ?? -1) >= (RANK[before.status] ?? -1) &&
				percent >= before.percent &&
				pass_number >= before.pass_number;
			if (!isForward) t.fail(`${JSON.stringify(before)} became ${JSON.stringify(told[index])}`);
		}
		t.comment(`killed in ${killed.join(", ")} of ${job.passes} passes`);
		t.match(told.at(-1), { status: "completed", percent: 100 });

		const silent = { info: () => undefined, error: () => undefined };
		const settings = testSettings(folder, { model: "none", catalog });
		const app = await createApp({ settings, logger: silent });
		t.teardown(() => app.close());
		const rows = await app.store.read((reader) => reader.list("jobs"));
		t.match(rows, [{ state: "completed", chargedMicros: priceMicros }]);
		t.equal(rows.length, 1);
		const taken = await app.store.read((reader) => reader.balance(account));
		t.equal(taken, priceMicros);
		t.match(await app.operator.verifyLedger(), { status: "ok", open_holds: 0, failures: [] });
		const report = JSON.parse((await app.store.documents.get(job.job_id)) ?? "null");
		t.same(report.method.passes, rows[0]?.passes, "nothing was left out");
	});
}
