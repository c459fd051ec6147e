import t from "tap";
import { runCommand } from "./run-command.js";

t.test("models list names the model in use first, with its size", async (t) => {
	const [columns, first, second, third] = await runCommand(t, "models", "list");
	t.match(columns, /^ +model +state +dimensions +size +licence/);
	t.match(first, /^\* +bundled +ready +384 +\d+\.\d MB +Apache-2\.0$/);
	t.match(second, /table +ready +256 +\d+\.\d MB +Apache-2\.0$/);
	t.match(third, /hub:Xenova\/all-MiniLM-L6-v2 +known +384/);
});

t.test("models list says what is wrong with the model in use", async (t) => {
	const [line = ""] = await runCommand(
		t,
		"models",
		"list",
		"--json",
		"--model",
		"hub:nobody/nothing",
	);
	const { items } = JSON.parse(line);
	t.match(
		items.find(({ is_active }: { is_active: boolean }) => is_active),
		{
			model: "hub:nobody/nothing",
			state: "unusable",
			is_active: true,
			reason: /has not been fetched: run tollgraph models fetch nobody\/nothing/,
		},
	);
});

t.test("an id that is none is refused before anybody is asked", async (t) => {
	await t.rejects(runCommand(t, "models", "fetch", "gte-small"), { code: "INVALID_ARGUMENT" });
	await t.rejects(runCommand(t, "models", "list", "--model", "gte-small"), {
		code: "INVALID_ARGUMENT",
	});
});
