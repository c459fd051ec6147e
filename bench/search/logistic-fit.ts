/** One example: its features, what it should come to in 0..1, and how much it counts. */
export interface Example {
	readonly features: readonly number[];
	readonly target: number;
	readonly weight: number;
}

export interface FitOptions {
	/** +1 for a feature whose weight must not be negative, -1 for one whose weight must not be positive. */
	readonly signs: readonly (1 | -1)[];
	/** Pull of the weights of standardized features towards zero. */
	readonly ridge: number;
}

/** Weights of the features as given, and the bias. */
export interface LogisticFit {
	readonly weights: readonly number[];
	readonly bias: number;
}

const STEPS = 600;

/** Ridge logistic regression with the sign of each weight given: accelerated projected gradient on standardized features. */
export function fitLogistic(
	examples: readonly Example[],
	{ signs, ridge }: FitOptions,
): LogisticFit {
	const scales = signs.map((_, feature) => standardOf(examples, feature));
	const rows = examples.map(({ features }) =>
		scales.map(({ mean, deviation }, at) => ((features[at] ?? 0) - mean) / deviation),
	);
	const total = examples.reduce((sum, { weight }) => sum + weight, 0);
	// The loss is at most this curved, so that such a step never overshoots.
	const step = 1 / ((total * (signs.length + 1)) / 4 + ridge);
	let current = new Array<number>(signs.length + 1).fill(0);
	let ahead = current;
	for (let turn = 1; turn <= STEPS; turn++) {
		const slope = slopeAt(ahead, examples, rows, ridge);
		const next = ahead.map((value, at) => {
			const moved = value - step * (slope[at] ?? 0);
			const sign = signs[at];
			return sign === undefined || sign * moved >= 0 ? moved : 0;
		});
		const push = (turn - 1) / (turn + 2);
		ahead = next.map((value, at) => value + push * (value - (current[at] ?? 0)));
		current = next;
	}
	const weights = scales.map(({ deviation }, at) => (current[at] ?? 0) / deviation);
	const shift = scales.reduce((sum, { mean }, at) => sum + mean * (weights[at] ?? 0), 0);
	return { weights, bias: (current.at(-1) ?? 0) - shift };
}

export function probabilityOf({ weights, bias }: LogisticFit, features: readonly number[]): number {
	const logit = features.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), bias);
	return 1 / (1 + Math.exp(-logit));
}

function slopeAt(
	point: readonly number[],
	examples: readonly Example[],
	rows: readonly (readonly number[])[],
	ridge: number,
): readonly number[] {
	const last = point.length - 1;
	const slope = point.map((value, at) => (at === last ? 0 : ridge * value));
	rows.forEach((row, index) => {
		const { target, weight } = examples[index] as Example;
		const probability = probabilityOf(
			{ weights: point.slice(0, last), bias: point[last] ?? 0 },
			row,
		);
		const error = weight * (probability - target);
		row.forEach((value, at) => {
			slope[at] = (slope[at] ?? 0) + error * value;
		});
		slope[last] = (slope[last] ?? 0) + error;
	});
	return slope;
}

function standardOf(examples: readonly Example[], feature: number) {
	const values = examples.map(({ features }) => features[feature] ?? 0);
	const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
	const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
	return { mean, deviation: Math.sqrt(variance) || 1 };
}
