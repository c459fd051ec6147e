import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { seededRandom } from "../support/seeded-random.js";
import { PROGRAM } from "../support/server-process.js";

const NOTES = 150;
const PARAGRAPHS = 60;
const PARAGRAPH_WORDS = 60;
const WORDS = "tide moon ocean current salt reef harbour storm vessel anchor chart lantern".split(
	" ",
);
const GRAPH =
	"---\ntype: domain\nid: sea\ntitle: The sea\nversion: 1.0.0\nupdated: '2020-01-01'\n---\nThe sea.\n";

/** Texts whose vectors take some seconds to make. */
function longNotes(): Record<string, string> {
	const random = seededRandom(1);
	const word = () => WORDS[Math.floor(random() * WORDS.length)];
	const paragraph = () => `${Array.from({ length: PARAGRAPH_WORDS }, word).join(" ")}.`;
	const note = (index: number) => {
		const body = Array.from({ length: PARAGRAPHS }, paragraph).join("\n\n");
		return `---\ntype: Concept\ntitle: Note ${index}\ndescription: At sea.\n---\n${body}\n`;
	};
	const names = Array.from({ length: NOTES }, (_, index) => index);
	const links = names.map((index) => `* [Note ${index}](note-${index}.md) - at sea\n`).join("");
	return {
		"graph.md": GRAPH,
		"index.md": `---\nokf_version: "0.2"\n---\n# The sea\n\n${links}`,
		...Object.fromEntries(names.map((index) => [`note-${index}.md`, note(index)])),
	};
}

t.test("ending a server while it makes its vectors does not wait for them", async (t) => {
	const root = t.testdir({ graphs: { sea: longNotes() } });
	const data = join(root, "data");
	const where = ["--data", data, "--catalog", join(root, "graphs"), "--facilitator", "off"];
	const child = spawn(process.execPath, [PROGRAM, "serve", "--json", "--port", "0", ...where], {
		cwd: PACKAGE_ROOT,
		stdio: ["ignore", "pipe", "pipe"],
		env: { ...process.env, NODE_OPTIONS: "" },
	});
	const [out, err, ended] = [text(child.stdout), text(child.stderr), once(child, "exit")];
	const serverFile = join(data, "server.json");
	while (!existsSync(serverFile) && child.exitCode === null) await sleep(20);
	child.kill("SIGTERM");
	t.strictSame(await ended, [0, null]);
	t.equal(await out, "", "it never became ready");
	t.match(await err, "SIGTERM: finishing running calls.");
	t.notOk(existsSync(serverFile));
});
