/** `npm run bench:search`: how good search is and what it costs, beside other engines on the same texts. */
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { readDevelopmentSet } from "./development-set.js";
import { readLabelledHalf } from "./labelled-half.js";
import { BUNDLED } from "./our-index.js";
import { measureQuality, type QualityReport } from "./quality.js";
import { measureModel, measureSpeed, type SpeedReport } from "./speed.js";

const { values: options } = parseArgs({
	options: {
		json: { type: "boolean", default: false },
		/** Concepts of each speed run. */
		sizes: { type: "string", default: "10000,100000" },
		model: { type: "string", default: BUNDLED.folder },
		only: { type: "string", default: "quality,speed" },
		/** About so many of the development set: the other engines take long for each. */
		questions: { type: "string", default: "800" },
	},
});
const model = { folder: options.model, sums: "if-there" as const };
const parts = options.only.split(",");

const quality: Record<string, QualityReport> = {};
if (parts.includes("quality")) {
	const development = readDevelopmentSet(Number(options.questions));
	if (!development) say("No development set in ../shared/data/dev: its part is skipped.");
	const labelled = [await readLabelledHalf("tune"), await readLabelledHalf("test")];
	for (const set of [...labelled, ...(development ? [development] : [])]) {
		say(`quality: ${set.name}, ${set.questions.length} questions`);
		quality[set.name] = await measureQuality(set, model);
	}
}
const speed: SpeedReport[] = [];
if (parts.includes("speed")) {
	for (const size of options.sizes.split(",").map(Number)) {
		say(`speed: ${size} concepts`);
		speed.push(await measureSpeed(size));
	}
}
const report = {
	machine: { node: process.version, cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length },
	quality,
	speed,
	...(parts.includes("speed") && { model: await measureModel(model) }),
};
process.stdout.write(`${JSON.stringify(report, undefined, options.json ? 0 : 2)}\n`);

function say(text: string): void {
	process.stderr.write(`${text}\n`);
}
