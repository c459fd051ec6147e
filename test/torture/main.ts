/**
 * `npm run torture`: failing calls to the disk, then world after world until time is up or a promise is broken; then exit
 * code 1 and the way to replay it.
 */
import { parseArgs } from "node:util";
import { type CampaignReport, runCampaign } from "./campaign.js";
import { tryFailingCalls } from "./failing-calls.js";

const { values } = parseArgs({
	options: {
		seed: { type: "string" },
		minutes: { type: "string" },
		crashes: { type: "string" },
		worlds: { type: "string" },
		until: { type: "string" },
		trace: { type: "boolean", default: false },
		json: { type: "boolean", default: false },
	},
});
const numberOf = (name: "seed" | "minutes" | "crashes" | "worlds" | "until") => {
	const text = values[name];
	if (text === undefined) return undefined;
	const number = Number(text);
	if (Number.isFinite(number) && number >= 0) return number;
	throw new Error(`--${name} must be a number, not "${text}".`);
};
const say = (text: string) => process.stdout.write(`${text}\n`);

// A replay looks at its world alone.
const isReplay = values.worlds !== undefined || values.until !== undefined;
const disk = isReplay ? undefined : await tryFailingCalls();
const isBounded = values.crashes !== undefined || values.worlds !== undefined;
const minutes = numberOf("minutes") ?? (isBounded ? undefined : 2);
const report = await runCampaign({
	seed: numberOf("seed") ?? 1,
	minutes: minutes && Math.max(0, minutes - performance.now() / 60_000),
	crashes: numberOf("crashes"),
	// One world is replayed, unless more are asked for.
	worlds: numberOf("worlds") ?? (values.until === undefined ? undefined : 1),
	until: numberOf("until"),
	onTrace: values.trace ? say : undefined,
	monotonicMs: () => performance.now(),
});
say(values.json ? JSON.stringify({ ...report, disk }) : render(report));
process.exitCode = report.failure || (disk && disk.faults.length > 0) ? 1 : 0;

function render({ failure, ...facts }: CampaignReport): string {
	const { worlds, crashes, seconds } = facts;
	const lines = [
		...(disk ? [`${disk.runs} calls to the disk failed`, ...disk.faults] : []),
		`${crashes} crashes in ${worlds} worlds, ${seconds} s`,
		...(["endings", "replies", "payments"] as const).map(
			(name) => `${name}: ${JSON.stringify(facts[name])}`,
		),
	];
	if (!failure) return [...lines, "every promise was kept"].join("\n");
	const { seed, until, message } = failure;
	return [
		...lines,
		`BROKEN in the world of seed ${seed}: ${message}`,
		`replay: npm run torture -- --seed ${seed} --worlds 1`,
		`shortest: npm run torture -- --seed ${seed} --until ${until} --trace`,
	].join("\n");
}
