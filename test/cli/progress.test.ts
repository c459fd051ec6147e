import t from "tap";
import { createProgress } from "../../src/cli/output.js";

t.test("progress writes a line only where it reads differently, and ends it once", async (t) => {
	const lines: string[] = [];
	const terminal = {
		data: () => undefined,
		stream: async () => undefined,
		say: () => undefined,
		status: (line: string) => void lines.push(line),
	};
	const progress = createProgress(terminal, "Fetching MB");
	for (const done of [0, 0, 1, 1, 2, 2, 2]) progress({ done, total: 2 });
	progress({ done: 2, total: 2, stage: "vectors" });
	t.same(lines, ["Fetching MB 0/2", "Fetching MB 1/2", "Fetching MB 2/2\n", "Embedding 2/2\n"]);
});
