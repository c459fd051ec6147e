import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { createProgram } from "../../src/cli/main.js";
import { listenOnLoopback } from "../support/listen-on-loopback.js";

/** A shop without graphs, and its command line. */
function openFolder(t: Test) {
	const folder = t.testdir({});
	const data = join(folder, "data");
	const tollgraph = async (...args: string[]) => {
		const said: string[] = [];
		const terminal = {
			data: (line: string) => void said.push(line),
			stream: async () => undefined,
			say: () => undefined,
			status: () => undefined,
		};
		const rest = ["--data", data, "--catalog", "none", "--model", "none", "--json"];
		const program = createProgram({ terminal, environment: {}, folder, startedMs: 0 }, "0.0.0");
		process.exitCode = 0;
		await program.parseAsync([...args, ...rest], { from: "user" });
		const code = process.exitCode;
		process.exitCode = 0;
		return { ...JSON.parse(said.at(-1) ?? "{}"), code };
	};
	const pay = () => tollgraph("spt", "issue", "--usd", "1");
	const copy = (to: string) => cpSync(data, join(folder, to), { recursive: true });
	const restore = (from: string) => {
		rmSync(data, { recursive: true });
		cpSync(join(folder, from), data, { recursive: true });
	};
	return { folder, data, tollgraph, pay, copy, restore };
}

t.test(
	"an anchor shows an old folder and another ledger, and lets a newer state pass",
	async (t) => {
		const { folder, tollgraph, pay, copy, restore } = openFolder(t);
		await pay();
		copy("monday");
		await pay();
		const anchored = await tollgraph("ledger", "anchor", "--to", "anchors.jsonl");
		t.match(anchored, {
			sequence: Number,
			sha256: /^[0-9a-f]{64}$/,
			published_to: join(folder, "anchors.jsonl"),
		});
		t.match(await tollgraph("ledger", "verify", "--anchor", "anchors.jsonl"), {
			status: "ok",
			code: 0,
		});
		await pay();
		t.match(
			await tollgraph("ledger", "verify", "--anchor", "anchors.jsonl"),
			{ status: "ok" },
			"what came later is no matter",
		);

		restore("monday");
		t.match(await tollgraph("ledger", "verify"), { status: "ok" }, "by itself it is sound");
		t.match(await tollgraph("ledger", "verify", "--anchor", "anchors.jsonl"), {
			status: "breached",
			failures: [/ends before frame \d+, which was anchored at .*older state/],
			code: 3,
		});
		for (let payment = 0; payment < 12; payment++) await pay();
		t.match(await tollgraph("ledger", "verify", "--anchor", "anchors.jsonl"), {
			status: "breached",
			failures: [/another one than was anchored .*rewritten/],
			code: 3,
		});
	},
);

t.test("a repository gets a commit, an address is sent the line", async (t) => {
	const { folder, tollgraph, pay } = openFolder(t);
	await pay();
	const repository = join(folder, "anchors");
	mkdirSync(repository);
	const git = (...args: string[]) => execFileSync("git", ["-C", repository, ...args]).toString();
	git("init", "--quiet");
	git("config", "user.name", "books");
	git("config", "user.email", "books@example.org");
	for (let time = 0; time < 2; time++) {
		await tollgraph("ledger", "anchor", "--to", "anchors");
		await pay();
	}
	t.match(git("log", "--format=%s"), /^Anchor frame \d+\nAnchor frame \d+\n$/);
	t.equal(git("status", "--porcelain"), "");
	t.match(await tollgraph("ledger", "verify", "--anchor", "anchors"), { status: "ok" });
	await t.rejects(tollgraph("ledger", "anchor", "--to", "anchors", "--push"), {
		code: "UNAVAILABLE",
		message: /git push failed/,
	});

	let held = "";
	const server = createServer(async (request, response) => {
		if (request.method === "POST") held += await text(request);
		response.end(request.method === "GET" ? held : "");
	});
	const address = `http://127.0.0.1:${await listenOnLoopback(t, server)}/anchors`;
	await tollgraph("ledger", "anchor", "--to", address);
	t.equal(held.split("\n").length, 2);
	t.match(await tollgraph("ledger", "verify", "--anchor", address), { status: "ok" });
});

t.test("what is no anchor, and a place that takes none, are said", async (t) => {
	const { folder, tollgraph, pay } = openFolder(t);
	await pay();
	t.match(await tollgraph("ledger", "anchor"), { published_to: null });
	writeFileSync(join(folder, "notes.txt"), "hello\n");
	const server = createServer((_, response) => response.writeHead(403).end());
	const address = `http://127.0.0.1:${await listenOnLoopback(t, server)}/`;
	for (const [args, refusal] of [
		[["verify", "--anchor", "nowhere.jsonl"], { code: "NOT_FOUND", message: /ledger anchor --to/ }],
		[["verify", "--anchor", "notes.txt"], { code: "INVALID_ARGUMENT", message: /is no anchor/ }],
		[
			["anchor", "--to", "no/such/folder"],
			{ code: "INVALID_ARGUMENT", message: /cannot be written/ },
		],
		[["anchor", "--to", address], { code: "UNAVAILABLE", message: /answered 403/ }],
		[["anchor", "--to", "http://192.0.2.1/"], { code: "INVALID_ARGUMENT", message: /address/ }],
	] as const) {
		await t.rejects(tollgraph("ledger", ...args), refusal, args.join(" "));
	}
	t.equal(readFileSync(join(folder, "notes.txt"), "utf8"), "hello\n");
});
