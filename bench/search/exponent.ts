import { round } from "../figures.js";

/** The power of size that cost grows with: the slope of a straight line through the logarithms (least squares). */
export function exponentOf(costs: readonly (readonly [size: number, cost: number])[]): number {
	const points = costs.map(([size, cost]) => [Math.log(size), Math.log(cost)] as const);
	const meanOf = (axis: 0 | 1) =>
		points.reduce((sum, point) => sum + point[axis], 0) / points.length;
	const [x, y] = [meanOf(0), meanOf(1)];
	const spread = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
	const together = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
	return round(together / spread, 3);
}
