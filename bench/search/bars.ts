/** What a figure has to reach, and whether it did. */
export interface Bar {
	readonly figure: string;
	readonly value: number;
	readonly bar: string;
	readonly is_met: boolean;
}

export function atLeast(figure: string, value: number, least: number): Bar {
	return { figure, value, bar: `>= ${least}`, is_met: value >= least };
}

export function below(figure: string, value: number, limit: number): Bar {
	return { figure, value, bar: `< ${limit}`, is_met: value < limit };
}

export function atMost(figure: string, value: number, most: number): Bar {
	return { figure, value, bar: `<= ${most}`, is_met: value <= most };
}

/** One line for people. */
export function toBarLine({ figure, value, bar, is_met }: Bar): string {
	return `${is_met ? "met   " : "MISSED"} ${figure}: ${value} (${bar})`;
}
