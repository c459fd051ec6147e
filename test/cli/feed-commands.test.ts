import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { PROGRAM } from "../support/server-process.js";
import { runCommand } from "./run-command.js";

t.test(
	"feeds list prints each feed, its newest value and its licence, and asks no source",
	async (t) => {
		const lines = await runCommand(t, "feeds", "list");
		t.ok(lines.length >= 100);
		const brent = lines.find((line) => line.startsWith("eia:brent"));
		t.match(brent, /^eia:brent +2026-07-01 +Brent crude oil price +US government work/);
		const [line = ""] = await runCommand(t, "feeds", "list", "--json");
		t.equal(JSON.parse(line).items.length, lines.length - 1, "the first line names the columns");
	},
);

t.test("an unknown feed is refused before any source is asked", async (t) => {
	await t.rejects(runCommand(t, "feeds", "refresh", "eia:brnt"), {
		code: "NOT_FOUND",
		message: /eia:brent/,
	});
	await t.rejects(runCommand(t, "feeds", "list", "--feeds", "sometimes"), {
		code: "INVALID_ARGUMENT",
	});
});

/** Asks for a name's address fail at once, so that nothing leaves this machine. */
const NO_NAMES = `
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
const failed = (host) => Object.assign(new Error("unknown: " + host), { code: "ENOTFOUND" });
dns.lookup = (host, options, done = options) => setImmediate(() => done(failed(host)));
dns.promises.lookup = (host) => Promise.reject(failed(host));
syncBuiltinESMExports();
`;

t.test(
	"two feeds of one host are asked one after the other, however long that takes",
	async (t) => {
		const data = join(t.testdir({}), "data");
		const preload = `data:text/javascript,${encodeURIComponent(NO_NAMES)}`;
		const feeds = ["fred:UNRATE", "fred:GDP"];
		const args = ["--import", preload, PROGRAM, "feeds", "refresh", ...feeds, "--data", data];
		const child = spawn(process.execPath, args, {
			cwd: PACKAGE_ROOT,
			stdio: ["ignore", "pipe", "pipe"],
			env: { ...process.env, NODE_OPTIONS: "" },
		});
		const [out, err] = [text(child.stdout), text(child.stderr)];
		const [code] = await once(child, "exit");
		t.equal(code, 1, "neither could be reached");
		const words = `${await out}${await err}`;
		for (const feed of feeds) t.match(words, feed);
	},
);
