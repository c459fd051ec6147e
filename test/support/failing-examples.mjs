/** What properties failed for, each with the line that keeps it from coming back, and what failed without naming an example. */
export function describeFailures(failed, examples) {
	const unnamed = failed.filter(
		({ file, seed }) => !examples.some((one) => one.file === file && one.seed === seed),
	);
	return [...examples.map(describeExample), ...unnamed.map(describeFile)].join("");
}

function describeExample({ file, seed, path, example, error }) {
	return `
A failing example to be added to ${file}: ${error}
	examples: [${example ?? ""}],
	{ seed: ${seed}, path: ${JSON.stringify(path)}, endOnFailure: true }
	again: npm run properties -- --seed ${seed} ${file}
`;
}

function describeFile({ file, seed }) {
	return `
Failed without an example: ${file}
	again: npm run properties -- --seed ${seed} ${file}
`;
}
