/** A process that runs one task, sends what came of it and ends. */
import { TASKS, type Tasks } from "./tasks.js";

interface Order {
	readonly name: keyof Tasks;
	readonly input: never;
}

process.once("disconnect", () => process.exit(1));
process.once("message", ({ name, input }: Order) => {
	TASKS[name](input)
		.then((result) => {
			const peakRssMb = Math.round(process.resourceUsage().maxRSS / 1_024);
			process.send?.({ result, peakRssMb }, () => process.exit(0));
		})
		.catch((error: unknown) => {
			process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
			process.exit(1);
		});
});
