import t from "tap";
import { runCommand } from "./run-command.js";

t.test(
	"feeds list tells each feed, its newest value and its licence, and asks no source",
	async (t) => {
		const lines = await runCommand(t, "feeds", "list");
		t.ok(lines.length >= 100);
		const brent = lines.find((line) => line.startsWith("eia:brent"));
		t.match(brent, /^eia:brent +2026-07-01 +Brent crude oil price +US government work/);
		const [line = ""] = await runCommand(t, "feeds", "list", "--json");
		t.equal(JSON.parse(line).items.length, lines.length);
	},
);

t.test("a feed nobody knows is refused before anybody is asked", async (t) => {
	await t.rejects(runCommand(t, "feeds", "refresh", "eia:brnt"), {
		code: "NOT_FOUND",
		message: /eia:brent/,
	});
	await t.rejects(runCommand(t, "feeds", "list", "--feeds", "sometimes"), {
		code: "INVALID_ARGUMENT",
	});
});
