const Z_95 = 1.96;

/** Counts, score and survivors. `chosen` is how many were to be judged. */
export function toReport(judged, { chosen, seconds }) {
	const files = [...new Set(judged.map(({ file }) => file))].sort();
	return {
		chosen,
		seconds: Math.round(seconds),
		...countOf(judged),
		files: Object.fromEntries(
			files.map((file) => [file, countOf(judged.filter((one) => one.file === file))]),
		),
		survivors: judged
			.filter(({ status }) => status === "survived" || status === "no coverage")
			.sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
			.map(({ key, at, status, notRun, mutator, original, replacement }) => {
				return { key, at, status, notRun, mutator, original, replacement };
			}),
	};
}

function countOf(judged) {
	const of = (wanted) => judged.filter(({ status }) => status === wanted).length;
	const [killed, timeouts] = [of("killed"), of("timeout")];
	return {
		judged: judged.length,
		killed,
		timeouts,
		survived: of("survived"),
		noCoverage: of("no coverage"),
		...scoreOf(killed + timeouts, judged.length),
	};
}

/** Share of mutants that were noticed, in percent, with the interval of Wilson (1927) at 95 %. */
export function scoreOf(noticed, count) {
	if (count === 0) return { score: 0, interval: [0, 100] };
	const share = noticed / count;
	const spread = 1 + Z_95 ** 2 / count;
	const middle = (share + Z_95 ** 2 / (2 * count)) / spread;
	const half =
		(Z_95 / spread) * Math.sqrt((share * (1 - share)) / count + (Z_95 / (2 * count)) ** 2);
	return { score: percent(share), interval: [percent(middle - half), percent(middle + half)] };
}

const percent = (share) => Math.round(share * 1_000) / 10;

export function writeReport({ files, survivors, ...all }) {
	const rows = Object.entries(files).map(([file, count]) => `${lineOf(count)}  ${file}`);
	const found = survivors.map(
		({ at, status, mutator, original, replacement }) =>
			`${at} ${status} (${mutator})\n\t- ${shortOf(original)}\n\t+ ${shortOf(replacement)}`,
	);
	const [low, high] = all.interval;
	const summary = [
		`${all.judged} of ${all.chosen} mutants judged in ${all.seconds} s: ${all.killed} killed, ${all.timeouts} timeouts, ${all.survived} survived, ${all.noCoverage} no coverage`,
		`score ${all.score} % (95 %: ${low} to ${high} %)`,
	];
	return `${[...found, "", " score  judged killed timeouts survived uncovered", ...rows, "", ...summary].join("\n")}\n`;
}

function lineOf({ score, judged, killed, timeouts, survived, noCoverage }) {
	const cells = [judged, killed, timeouts, survived, noCoverage].map((cell) =>
		String(cell).padStart(7),
	);
	return `${score.toFixed(1).padStart(6)} ${cells.join(" ")}`;
}

const shortOf = (text) => text.replace(/\s+/g, " ").slice(0, 160);
