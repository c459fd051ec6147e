import t from "tap";
import { startWriterServer } from "../support/writer-server.js";
import { runCommand } from "./run-command.js";

t.test("writer test says what to do where there is no writer", async (t) => {
	await t.rejects(runCommand(t, "writer", "test", "--model", "none"), {
		code: "INVALID_ARGUMENT",
		message: /set writer_preset, or writer_url and writer_model/,
	});
	await t.rejects(runCommand(t, "writer", "test", "--questions", "0"), /from 1 to 100/);
	const dead = ["--writer-url", "http://127.0.0.1:9/v1", "--writer-model", "m"];
	await t.rejects(runCommand(t, "writer", "test", "--model", "none", ...dead), {
		code: "UNAVAILABLE",
		message: /Start its server/,
	});
});

t.test("writer test shows what passed, what did not, and what it cost", async (t) => {
	const server = await startWriterServer(t, ({ data }) => [
		{ ids: ["p1"], text: data.evidence[0]?.text ?? "READY" },
		{ ids: ["p1"], text: "The moon is made of cheese since 1887." },
	]);
	const [line = ""] = await runCommand(
		...[t, "writer", "test", "--json", "--questions", "1", "--model", "none"],
		...["--writer-url", server.url, "--writer-model", "m", "--writer-usd-per-million-in", "1"],
	);
	t.match(JSON.parse(line), {
		...{ model: "m", output: "json_schema", counts_tokens: false, cut_prompts: false },
		questions: [
			{
				question: /^What is /,
				dropped: [{ text: "The moon is made of cheese since 1887.", reason: "not supported" }],
			},
		],
		cost_usd: /^0\.0\d+/,
	});
	t.ok(JSON.parse(line).passed >= 1);
});
