/** As much of a transformers.js tensor as pooling reads. */
export interface TokenTensor {
	readonly data: ArrayLike<number>;
	/** Texts, tokens of each with the padding, components. */
	readonly dims: readonly number[];
}

/**
 * One vector of unit length per text, end to end: the mean of the tokens that the mask holds, or the first one. What sums up
 * to nothing stays zero. The library's own pooling goes over the tokens once per component and costs a short query more
 * than the model does.
 */
export function poolTokens(
	tokens: TokenTensor,
	mask: ArrayLike<bigint | number>,
	pooling: "mean" | "cls",
): Float32Array;
