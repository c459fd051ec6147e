/** A function of the traced checkout. */
export interface TracedFunction {
	/** Relative to the checkout, with slashes. */
	readonly file: string;
	readonly line: number;
	readonly name: string;
}

export interface TraceSummary {
	/** Every file, in the order in which they are first entered, by the function first entered. */
	readonly firstEntries: readonly TracedFunction[];
	/** Files that are not below the folders left out. */
	readonly filesOutside: number;
	/** Entries into a file outside that was entered before, and left. */
	readonly returns: number;
	/** What `returns` is counted in: entries into files outside, without those that stay in the file entered last. */
	readonly sequence: readonly TracedFunction[];
}

/**
 * A file is entered when one of its functions is called: not when a call comes back to it, nor when it goes on after an `await`. What
 * is called below the folders left out does not part the calls before and after it.
 */
export function summarizeTrace(
	calls: readonly TracedFunction[],
	leftOut: readonly string[],
): TraceSummary {
	const isOutside = ({ file }: TracedFunction) =>
		!leftOut.some((folder) => file.startsWith(`${folder}/`));
	const sequence = collapse(calls.filter(isOutside));
	const filesOutside = firstOfEachFile(sequence).length;
	return {
		firstEntries: firstOfEachFile(calls),
		filesOutside,
		returns: sequence.length - filesOutside,
		sequence,
	};
}

function collapse(calls: readonly TracedFunction[]): TracedFunction[] {
	return calls.filter(({ file }, index) => file !== calls[index - 1]?.file);
}

function firstOfEachFile(calls: readonly TracedFunction[]): TracedFunction[] {
	const first = new Map<string, TracedFunction>();
	for (const call of calls) if (!first.has(call.file)) first.set(call.file, call);
	return [...first.values()];
}
