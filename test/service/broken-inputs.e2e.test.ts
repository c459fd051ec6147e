import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { main } from "../../src/cli/main.js";
import { startApp, type TestApp } from "../support/start-app.js";
import { BROKEN_INPUTS, type BrokenInput, NEIGHBORS } from "./broken-inputs.js";

const as = "tides";
const FLAGS = ["--model", "none", "--catalog", "none", "--facilitator", "off"];

/** What an import came to, whichever way it was asked for. */
interface Outcome {
	readonly code: string | undefined;
	readonly message: string;
	readonly skipped: readonly { readonly file: string; readonly reason: string }[];
	readonly all: string;
}

/** The command line in this process, on a folder that no server holds. */
async function runMain(
	args: readonly string[],
): Promise<{ code: number; out: string; said: string }> {
	const { stdout, stderr } = process;
	const [write, say] = [stdout.write, stderr.write];
	let [out, said] = ["", ""];
	// Lines of the test runner go where they went.
	stdout.write = ((chunk: string, ...more: []) => {
		if (!String(chunk).startsWith("{")) return write.call(stdout, chunk, ...more);
		out += chunk;
		return true;
	}) as typeof write;
	stderr.write = ((chunk: string) => {
		said += chunk;
		return true;
	}) as typeof say;
	process.exitCode = 0;
	try {
		await main(args);
		return { code: Number(process.exitCode), out, said };
	} finally {
		[stdout.write, stderr.write] = [write, say];
		process.exitCode = 0;
	}
}

async function byCommand(data: string, source: string): Promise<Outcome> {
	const args = ["import", source, "--as", as, "--update", "--yes", "--json", "--data", data];
	const { code, out, said } = await runMain([...args, ...FLAGS]);
	const report = out === "" ? {} : JSON.parse(out);
	const all = `${out}${said}`;
	return {
		code: code === 0 ? undefined : String(code),
		message: said,
		skipped: [],
		all,
		...report,
	};
}

const headersOf = ({ app }: TestApp) => ({
	"Content-Type": "application/json",
	Authorization: `Bearer ${app.adminToken}`,
});

async function byAdmin(shop: TestApp, source: string): Promise<Outcome> {
	const response = await fetch(`${shop.baseUrl}/v1/admin/imports`, {
		method: "POST",
		headers: headersOf(shop),
		body: JSON.stringify({ source, as, update: true, removals_max: 1_000 }),
	});
	const all = await response.text();
	const { error, result } = JSON.parse(all.trim().split("\n").at(-1) ?? "");
	return { code: undefined, message: "", skipped: [], all, ...error, ...result };
}

async function byPublisher(shop: TestApp, source: string): Promise<Outcome> {
	const path = `/v1/publish/graphs/${as}/imports`;
	const headers = headersOf(shop);
	const body = JSON.stringify({ source, removals_max: 1_000 });
	const begun = await shop.send(path, { method: "POST", headers, body });
	for (;;) {
		const { body: job } = await shop.send(`${path}/${begun.body.id}`, { headers });
		const all = JSON.stringify(job);
		if (job.state !== "running") {
			return { code: undefined, message: "", skipped: [], all, ...job.error, ...job.report };
		}
		await new Promise((resolve) => setImmediate(resolve));
	}
}

function assertOutcome(t: Test, found: Outcome, { refused, skipped = {} }: BrokenInput): void {
	t.notMatch(found.all, /^ +at |\\n +at /m, "no stack");
	t.notMatch(found.all, "\u001b", "nothing commands a terminal");
	t.notMatch(found.code ?? "", /INTERNAL|^1$/);
	if (refused) t.match(found.message, refused);
	else t.equal(found.code, undefined, found.message);
	for (const [path, reason] of Object.entries(skipped)) {
		const one = found.skipped.find(({ file }) => file === path);
		t.match(one?.reason, reason, `${path} in ${JSON.stringify(found.skipped)}`);
	}
}

/** Concepts with what they say: the same whichever way they were imported. */
const conceptsIn = (shop: TestApp) =>
	Object.fromEntries(
		shop.app.catalog
			.get(as)
			.concepts.map(({ id, title, body, edges }) => [id, { title, body, edges }]),
	);

t.test(
	"a broken input is refused or left out in a sentence, and its neighbors are sold",
	async (t) => {
		const root = realpathSync(
			t.testdir({ good: { ...NEIGHBORS, "third.md": "# Third\n\nText." } }),
		);
		const data = join(root, "command");
		const settings = { model: "none", catalog: "none" } as const;
		const shop = await startApp(t, { folder: join(root, "server"), settings });
		const good = join(root, "good");
		await byAdmin(shop, good);
		const first = conceptsIn(shop);
		t.same(Object.keys(first), ["moon", "sun", "third"]);

		const assertSold = (t: Test, { refused, made = [] }: BrokenInput): void => {
			const now = conceptsIn(shop);
			if (refused) {
				t.strictSame(now, first, "the old graph");
				return;
			}
			t.strictSame(
				[now["moon"], now["sun"], now["third"]],
				[first["moon"], first["sun"], undefined],
			);
			for (const id of made) t.ok(now[id], `${id} in ${Object.keys(now)}`);
		};
		for (const [index, input] of BROKEN_INPUTS.entries()) {
			await t.test(input.name, { skip: input.notHere ?? false }, async (t) => {
				const folder = join(root, String(index));
				mkdirSync(folder);
				for (const [path, text] of Object.entries(NEIGHBORS))
					writeFileSync(join(folder, path), text);
				const source = (await input.make(folder)) ?? folder;
				assertOutcome(t, await byCommand(data, source), input);
				for (const send of [byAdmin, byPublisher]) {
					await byAdmin(shop, good);
					assertOutcome(t, await send(shop, source), input);
					assertSold(t, input);
				}
			});
		}
	},
);
