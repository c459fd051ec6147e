import { once } from "node:events";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { createApp } from "../../src/app.js";
import { PACKAGE_ROOT } from "../../src/package-root.js";
import { type ServerProcess, startServerProcess } from "../support/server-process.js";
import { testSettings } from "../support/start-app.js";

const AT = "/v1/research/deep-dive";
const GRAPH = "agent-payments";
const RANK: Readonly<Record<string, number>> = { queued: 0, running: 1, completed: 2 };

interface Told {
	readonly status: string;
	readonly percent: number;
	readonly pass_number: number;
	readonly passes: number;
}

/** Each start takes seconds: every pass where that is asked for, else one in the middle and the last. */
function passesToKill(passes: number): readonly number[] {
	const every = Array.from({ length: passes }, (_, index) => index + 1);
	if (process.env["JOB_KILL_EVERY_PASS"]) return every;
	return [Math.ceil(passes / 2), passes];
}

/** Asks again and again until a pass is begun, or the job has ended; what was told last. */
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

t.test(
	"a deep dive whose server is killed goes on, is charged once and never goes back",
	{ timeout: 240_000 },
	async (t) => {
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
				body: JSON.stringify({ query: "How do agents pay for what they call?" }),
			});
			return (await response.json()) as { data: Told & { job_id: string } };
		};
		const { data: job } = await launch();
		const path = `${AT}/status/${job.job_id}`;
		const told: Told[] = [job];
		for (const pass of passesToKill(job.passes)) {
			told.push(...(await pollUntil(server, path, pass)));
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
		const seen = new Set(told.map(({ pass_number: pass }) => pass));
		t.comment(`killed in passes ${[...seen].join(", ")} of ${job.passes}`);
		t.match(told.at(-1), { status: "completed", percent: 100 });

		const silent = { info: () => undefined, error: () => undefined };
		const settings = testSettings(folder, { model: "none", catalog });
		const app = await createApp({ settings, logger: silent });
		t.teardown(() => app.close());
		const rows = await app.store.read((reader) => reader.list("jobs"));
		t.match(rows, [{ state: "completed", chargedMicros: 10_000_000n }]);
		t.equal(rows.length, 1);
		const taken = await app.store.read((reader) => reader.balance("rev:deep_research_light"));
		t.equal(taken, 10_000_000n);
		t.match(await app.operator.verifyLedger(), { status: "ok", open_holds: 0, failures: [] });
	},
);
